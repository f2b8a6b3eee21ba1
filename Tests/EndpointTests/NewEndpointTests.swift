// SPDX-License-Identifier: Apache-2.0

import Access
import Addresses
import EventLoop
import Foundation
import HTTPServer
import HTTPTypes
import JSONText
import Logging
import OpenCodeFamilies
import TestKit
import Testing

@testable import APIDescription
@testable import GatewayCore
@testable import GatewayServer

/// A new route needs only one `Endpoint`.
@Suite(.timeLimit(.minutes(5))) struct NewEndpointTests {
    private static let key = "a key that is long enough"
    private static let authorization = ("Authorization", "Bearer \(key)")

    /// An endpoint that returns the arguments of its handler.
    private static let echo = Endpoint(
        [.get, .post], "/things/{kind}/{id}", requires: .key(.read), body: .json(limit: 10),
        description: .init(id: "thing", summary: "A thing", "For tests.", .json(200, schema: .document, "It."))
    ) { request, _ in
        let parts = [
            request.principal?.name ?? "-", String(decoding: request.parameters["kind"] ?? [], as: UTF8.self),
            String(decoding: request.parameters["id"] ?? [], as: UTF8.self), request.query["q"] ?? "-",
            String(decoding: request.body, as: UTF8.self),
        ]
        return .answer(GatewayAnswer(head: ResponseHead(status: 200), body: Array(parts.joined(separator: "|").utf8)))
    }

    private static let table = EndpointTable(EndpointTable.gateway.endpoints + [echo])

    @Test func `a new endpoint is routed, allowed in a CORS preflight and documented`() throws {
        let index = Self.table.endpoints.count - 1

        #expect(Self.table.match(RequestHead(.post, "/things/a/1?q")) == .endpoint(index))
        #expect(Self.table.match(RequestHead(.put, "/things/a/1")) == .methodNotAllowed(allow: "GET, HEAD, POST"))
        #expect(Self.table.match(RequestHead(.get, "/things/a")) == .notFound)

        let head = RequestHead(
            .options, "/things/a/1", ["Origin": "https://a.example", "Access-Control-Request-Method": "POST"])
        let terms = AllowedOrigins(["https://a.example"]).terms(for: head.fields)
        let preflight = try #require(try Preflight(head)?.answer(Self.table.allow(head), terms))

        #expect(preflight.head.status == 204)

        let json =
            try JSONSerialization.jsonObject(with: Data(OpenAPIDocument.json(Self.table).bytes)) as? [String: Any]
        let path = (json?["paths"] as? [String: Any])?["/things/{kind}/{id}"] as? [String: Any]

        #expect(Set(try #require(path).keys) == ["parameters", "get", "post"])

        let post = try #require(path?["post"] as? [String: Any])

        #expect(post["operationId"] as? String == "thingPost")
        #expect(
            Set(try #require(post["responses"] as? [String: Any]).keys).isSuperset(of: ["401", "413", "415", "429"]))

        let large = ((post["responses"] as? [String: Any])?["413"] as? [String: Any])?["description"] as? String

        #expect(large?.hasPrefix("The body is larger than 10 bytes. Or: ") == true)
        #expect(large?.contains("2^63") == true)

        let page = String(decoding: DocumentationPage.html(Self.table), as: UTF8.self)

        #expect(page.contains("<h2><b>GET, POST</b> <code>/things/{kind}/{id}</code></h2>"))
    }

    @Test func `a handler receives the principal, path parameters, query and a validated body`() async throws {
        let plane = try await Plane(Self.table)
        defer { plane.stop() }
        let json = ("Content-Type", "Application/JSON; charset=utf-8")
        let port = plane.port
        let answers = try await onThread {
            try [
                ([Self.authorization, json], Array("{}".utf8)), ([json], Array("{}".utf8)),
                ([Self.authorization], Array("{}".utf8)), ([Self.authorization, json], Array("12345678901".utf8)),
                (
                    [Self.authorization, json, ("Transfer-Encoding", "chunked")],
                    Array("6\r\n123456\r\n6\r\n789012\r\n0\r\n\r\n".utf8)
                ),
                (
                    [Self.authorization, json, ("Transfer-Encoding", "chunked")],
                    Array("2\r\n[1\r\n1\r\n]\r\n0\r\n\r\n".utf8)
                ),
            ].map { try TestClient.request(port: port, "POST", "/things/a%20b/1?q=%C3%A9", headers: $0, body: $1) }
        }

        #expect(answers.map(\.status) == [200, 401, 415, 413, 413, 200])
        #expect(answers[0].text == "VIBE_AUTH_SECRET|a%20b|1|\u{e9}|{}")
        #expect(answers[5].text == "VIBE_AUTH_SECRET|a%20b|1|\u{e9}|[1]")
        #expect(answers[3].text.contains("larger than 10 bytes"))
    }

    @Test func `a stream waits for a client that does not read and ends when it disconnects`() async throws {
        let written = Recorded<Bool>("a write")
        let flood = Endpoint(
            .get, "/flood", requires: .nothing, description: .init(id: "flood", summary: "A flood", "For tests.")
        ) { _, _ in
            .stream(ResponseHead(status: 200)) { stream in
                let fragment = [UInt8](repeating: 0x61, count: 1 << 20)
                while await stream.write(fragment) { written.append(true) }
                let goesOn = await stream.pause(for: .seconds(3600))
                written.append(goesOn)
            }
        }
        let plane = try await Plane(EndpointTable([flood]))
        defer { plane.stop() }
        let port = plane.port

        try await onThread {
            let client = try TestClient.connect(port: port, receiveBuffer: 4096)
            try client.send("GET", "/flood")
            try written.wait(forCount: 1)
            _ = try ResponseReader(client).readHead()
            // The source waits once the kernel's buffers and the backlog are full.
            try Self.waitUntilStill(written)
            #expect(written.count < 64)

            client.close()
            try written.wait("the end", within: .seconds(20)) { $0.last == false }
        }
    }

    /// Waits until the record has not grown for a while.
    private static func waitUntilStill(_ record: Recorded<Bool>) throws {
        let deadline = Deadline(after: .seconds(20))
        var count = -1
        while count != record.count, !deadline.hasPassed {
            count = record.count
            _ = try? record.wait(forCount: count + 1, within: .milliseconds(300))
        }
    }

    @Test func `a page is generated by its first request, once for all loops`() async throws {
        let generated = Recorded<Int>("a page")
        let page = Endpoint(
            .get, "/page", requires: .nothing, description: .init(id: "page", summary: "A page", "For tests."),
            handler: .page { table in
                generated.append(table.endpoints.count)
                return StaticPage(Array("A page".utf8), ["Content-Type": "text/plain"])
            })
        let plane = try await Plane(EndpointTable([page]).adding([Self.echo]), threads: 2)
        defer { plane.stop() }
        let port = plane.port

        #expect(generated.count == 0)

        // The kernel distributes new connections among the loops' listeners.
        let answers = try await onThread {
            try (0..<40).map { _ in try TestClient.request(port: port, "GET", "/page").text }
        }

        #expect(answers == Array(repeating: "A page", count: 40))
        #expect(generated.values == [2])
    }

    @Test func `HEAD receives a stream's head without running its source`() async throws {
        let runs = Recorded<Bool>("a run")
        let endpoint = Endpoint(.get, "/s", requires: .nothing, description: .init(id: "s", summary: "S", "For tests."))
        { _, _ in
            var head = ResponseHead(status: 200)
            head.fields.append("Content-Type", "text/event-stream")
            return .stream(head) { _ in runs.append(true) }
        }
        let plane = try await Plane(EndpointTable([endpoint]))
        defer { plane.stop() }
        let port = plane.port
        let answer = try await onThread { try TestClient.request(port: port, "HEAD", "/s") }

        #expect(answer.status == 200)
        #expect(answer.values(of: "Content-Type") == ["text/event-stream"])
        #expect(answer.body.isEmpty)
        #expect(runs.count == 0)
    }

    @Test func `a draining gateway aborts a stream and notifies its source`() async throws {
        let goesOn = Recorded<Bool>("the source's end")
        let endpoint = Endpoint(.get, "/s", requires: .nothing, description: .init(id: "s", summary: "S", "For tests."))
        { _, _ in
            var head = ResponseHead(status: 200)
            head.fields.append("Content-Type", "text/event-stream")
            return .stream(head) { stream in
                _ = await stream.write(Array(": 1\n\n".utf8))
                goesOn.append(await stream.pause(for: .seconds(3600)))
            }
        }
        let plane = try await Plane(EndpointTable([endpoint]))
        defer { plane.stop() }
        let dataPlane = plane.plane

        let drain = try await onThread {
            let events = try TestClient.events(port: dataPlane.address.port, "/s")
            #expect(try events.nextBlock() == ": 1")

            let drain = Task { await dataPlane.drain(within: .seconds(30)) }
            do {
                #expect(try events.nextBlock() == nil)
                #expect(events.response.ending == .truncated || events.response.ending == .reset)
            } catch TestKitError.closed {
                // The body ended between two chunks, so there is no last chunk.
            }

            #expect(try goesOn.wait(forCount: 1) == [false])
            return drain
        }

        // If the plane were stopped earlier, the drain would wait forever.
        await drain.value
    }

    @Test func `a request in its handler or mid-body is answered with 503 when the drain times out`() async throws {
        let (isAsked, isOver) = (Latch("a call"), Recorded<Void>("the test's end"))
        let endpoint = Endpoint(
            .post, "/s", requires: .nothing, body: .json(limit: 1 << 20),
            description: .init(id: "s", summary: "S", "For tests.")
        ) { _, _ in
            isAsked.open()
            _ = try? await onThread { try isOver.wait(forCount: 1) }
            return .answer(GatewayAnswer(head: ResponseHead(status: 200), body: []))
        }
        let plane = try await Plane(EndpointTable([endpoint]))
        defer { plane.stop() }
        defer { isOver.append(()) }
        let dataPlane = plane.plane

        let drain = try await onThread {
            let clients = try (0..<2).map { _ in try TestClient.connect(port: dataPlane.address.port) }
            // The body exceeds the size that is held until a request is complete.
            let body = [UInt8](repeating: 0x20, count: 200_000)
            for (client, length) in zip(clients, [200_000, 300_000]) {
                let headers = [("Content-Type", "application/json"), ("Content-Length", "\(length)")]
                try client.send("POST", "/s", headers: headers, body: body)
            }

            try isAsked.wait()
            let drain = Task { await dataPlane.drain(within: .seconds(1)) }

            for client in clients {
                let answer = try ResponseReader(client).readAll()
                #expect(answer.status == 503)
                #expect(answer.text == #"{"detail":"The gateway is shutting down. Try again in a moment."}"#)
            }
            return drain
        }
        await drain.value
    }

    /// A data plane with these endpoints, on its own port.
    private struct Plane {
        let plane: DataPlane
        var port: UInt16 { plane.address.port }

        init(_ endpoints: EndpointTable, threads: Int = 1) async throws {
            let address = try #require(SocketAddress(host: "127.0.0.1", port: 0))
            var setUp = DataPlane.SetUp(
                address: address, threads: threads, policy: Policy(key: NewEndpointTests.key),
                log: Logger(sink: LogKeeper()), control: NoProjects())
            setUp.endpoints = endpoints
            plane = try DataPlane(setUp)
            try await plane.accept()
        }

        func stop() { plane.stop() }
    }
}
