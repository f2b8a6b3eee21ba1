// SPDX-License-Identifier: Apache-2.0

import Glibc
import Locking
import TestKit
import Testing

@testable import Outbound

@Suite("Outbound requests and their responses", .enabled(if: TLSFront.isAvailable, "python3 or openssl is missing"))
struct ExchangeTests {
    @Test func `a POST is sent with its fields and body, and its response is returned completely`() async throws {
        let received = Recorded<ReceivedRequest>()
        let fixture = try OutboundFixture(
            OutboundFixture.answering { request, connection in
                received.append(request)
                try connection.respond(201, "Made", headers: [("X-One", "1"), ("x-one", "2")], text: "done")
            })
        var request = try fixture.request("POST", "/hook?a=b")
        request.fields = [OutboundField("Content-Type", "application/json"), OutboundField("X-Empty", "")]
        request.body = Array("{}".utf8)
        let answer = try await fixture.outbound.send(request)

        #expect(answer.head.status == 201)
        #expect(answer.head.version == .one)
        #expect(answer.body == Array("done".utf8))
        #expect(answer.head.fields.filter { $0.name.lowercased() == "x-one" }.map(\.value) == ["1", "2"])
        #expect(answer.head["X-ONE"] == "1")

        let seen = try #require(received.values.first)

        #expect(seen.method == "POST")
        #expect(seen.target == "/hook?a=b")
        #expect(seen.text == "{}")
        #expect(seen.value(of: "Content-Type") == "application/json")
        #expect(seen.value(of: "X-Empty") == "")
        #expect(seen.value(of: "Host") == "localhost:\(fixture.front.port)")
        #expect(seen.value(of: "User-Agent") == "viberemote-gateway")
        #expect(seen.value(of: "Content-Length") == "2")
        #expect(seen.value(of: "Expect") == nil)
        #expect(seen.value(of: "Accept") == nil)
        #expect(seen.values(of: "Transfer-Encoding").isEmpty)

        let end = try #require(answer.head.certificateEnd)

        #expect(abs(end - (time(nil) + 30 * 86_400)) < 600)
    }

    @Test(arguments: ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH"])
    func `each method is sent with and without a body`(method: String) async throws {
        let received = Recorded<ReceivedRequest>()
        let fixture = try OutboundFixture(
            OutboundFixture.answering { request, connection in
                received.append(request)
                try connection.writeHead(200, headers: [("Content-Length", "2")])
                if request.method != "HEAD" { try connection.write("ok") }
            })
        let plain = try await fixture.outbound.send(try fixture.request(method))

        #expect(plain.head.status == 200)
        #expect(plain.body.count == (method == "HEAD" ? 0 : 2))

        if method != "HEAD" {
            var request = try fixture.request(method)
            request.body = Array("body".utf8)
            _ = try await fixture.outbound.send(request)
        }

        #expect(received.values.allSatisfy { $0.method == method })
        #expect(received.values.map(\.text) == (method == "HEAD" ? [""] : ["", "body"]))
    }

    @Test func `the bytes of a stream are delivered as they arrive`() throws {
        let reported = Recorded<String>()
        let fixture = try OutboundFixture { connection in
            _ = try connection.readRequestHead()
            try connection.writeHead(200, headers: [("Transfer-Encoding", "chunked")])
            for number in 1...5 {
                try connection.writeChunk(": \(number)\n\n")
                // Send nothing more before this part has arrived.
                try reported.wait(within: .seconds(20)) { $0.contains(": \(number)\n\n") }
            }
            try connection.writeLastChunk()
        }
        fixture.outbound.start(try fixture.request()) { event in
            switch event {
            case .head(let head): reported.append("head \(head.status)")
            case .bytes(let bytes): reported.append(String(decoding: bytes, as: UTF8.self))
            case .ended(let failure): reported.append("end \(failure?.description ?? "")")
            }
        }
        let all = try reported.wait(within: .seconds(20)) { $0.last?.hasPrefix("end") == true }

        #expect(all == ["head 200"] + (1...5).map { ": \($0)\n\n" } + ["end "])
    }

    @Test(arguments: [true, false])
    func `an endless or overlong response fails at 1 MiB`(isChunked: Bool) async throws {
        let fixture = try OutboundFixture { connection in
            _ = try connection.readRequestHead()
            try connection.writeHead(
                200, headers: [isChunked ? ("Transfer-Encoding", "chunked") : ("Content-Length", "1000000000000")])
            let fragment = [UInt8](repeating: 0x2e, count: 64 * 1024)
            while true { if isChunked { try connection.writeChunk(fragment) } else { try connection.write(fragment) } }
        }
        var request = try fixture.request()
        request.longestAnswer = 1 << 30
        let failure = await fixture.failure(request)

        #expect(failure?.kind == .size)
        #expect(failure?.description.contains("1048576 bytes") == true)
    }

    @Test func `a response of exactly 1 MiB is accepted`() async throws {
        let fixture = try OutboundFixture(
            OutboundFixture.answering { _, connection in
                try connection.respond(200, body: [UInt8](repeating: 1, count: 1 << 20))
            })

        #expect(try await fixture.outbound.send(try fixture.request()).body.count == 1 << 20)
    }

    @Test(arguments: [0, 1, 2])
    func `a silent server causes a timeout before TLS, before the response and within it`(stage: Int) async throws {
        let fixture = try OutboundFixture { connection in
            _ = try connection.readRequestHead()
            if stage == 2 { try connection.writeHead(200, headers: [("Content-Length", "5")]) }
            _ = try connection.waitForEnd(within: .seconds(30))
        }
        let silent = try TLSFront(
            fixture.certificates.pair(for: ["DNS:localhost"]), to: fixture.server.port, isSilent: true)
        var request = try fixture.request("POST")
        if stage == 0 { request.url = try fixture.url(port: silent.port) }
        var failure: OutboundFailure?
        // A busy machine needs more than 1.5 s to reach the server.
        for time in stage == 0 ? [300] : [1500, 6000, 24_000] where failure?.mayHaveArrived != (stage > 0) {
            request.timeout = .milliseconds(time)
            let begun = ContinuousClock.now
            failure = await fixture.failure(request)
            #expect(ContinuousClock.now - begun < request.timeout + .seconds(13))
        }

        #expect(failure?.kind == .time, "\(String(describing: failure))")
        #expect(failure?.mayHaveArrived == (stage > 0), "\(String(describing: failure))")
    }

    @Test func `a refused connection and a server without TLS are connection failures`() async throws {
        let fixture = try OutboundFixture(OutboundFixture.answering { _, connection in try connection.respond(200) })
        let refusing = try RefusingPort()
        var request = try fixture.request()
        request.url = try fixture.url(port: refusing.number)
        var failure = try #require(await fixture.failure(request))

        #expect(failure.kind == .connection)
        #expect(!failure.mayHaveArrived)

        let plain = try TestServer { try $0.respond(400) }
        request.url = try fixture.url(port: plain.port)
        failure = try #require(await fixture.failure(request))

        #expect(failure.kind == .connection, "\(failure)")
        #expect(failure.description.contains("TLS"), "\(failure)")
    }

    @Test func `a response that is not HTTP is reported as an invalid response`() async throws {
        let fixture = try OutboundFixture { connection in
            _ = try connection.readRequestHead()
            try connection.write("SSH-2.0-OpenSSH_9.2\r\n\r\n")
        }

        #expect(await fixture.failure(try fixture.request())?.kind == .answer)
    }

    @Test func `an invalid request is not sent`() async throws {
        let fixture = try OutboundFixture(OutboundFixture.answering { _, connection in try connection.respond(200) })
        for (method, name, value) in [
            ("GET X", "A", "b"), ("", "A", "b"), ("GET", "A B", "c"), ("GET", "A", "b\r\nC: d"), ("GET", "A", "b\0"),
            ("GET", "Host", "x"), ("GET", "Content-Length", "3"), ("GET", "Transfer-Encoding", "chunked"),
        ] {
            var request = try fixture.request(method)
            request.fields = [OutboundField(name, value)]
            #expect(await fixture.failure(request)?.kind == .request, "\(method) \(name)")
        }

        #expect(fixture.server.connections.values.isEmpty)
    }

    @Test func `a GET is sent again if its kept connection closes, and a POST is not`() async throws {
        let seen = Recorded<String>()
        let fixture = try OutboundFixture { connection in
            guard let first = try connection.readRequest(within: .seconds(60)) else { return }
            seen.append(first.target)
            try connection.respond(200)
            // The server reads the next request on this connection, but never responds to it.
            if let second = try connection.readRequest(within: .seconds(60)) { seen.append(second.target) }
        }
        _ = try await fixture.outbound.send(try fixture.request("GET", "/1"))
        let failure = await fixture.failure(try fixture.request("POST", "/2"))

        #expect(failure?.kind == .connection, "\(String(describing: failure))")
        #expect(failure?.mayHaveArrived == true, "\(String(describing: failure))")

        _ = try await fixture.outbound.send(try fixture.request("GET", "/3"))
        _ = try await fixture.outbound.send(try fixture.request("GET", "/4"))

        #expect(seen.values == ["/1", "/2", "/3", "/4", "/4"])
    }

    @Test(.enabled(if: NginxFront.isAvailable, "nginx is missing"))
    func `HTTP/2 is used if the server supports it and the request allows it`() async throws {
        let received = Recorded<ReceivedRequest>()
        let fixture = try OutboundFixture(
            OutboundFixture.answering { request, connection in
                received.append(request)
                try connection.respond(200, headers: [("X-Behind", "nginx")], text: "two")
            })
        let nginx = try NginxFront(fixture.certificates.pair(for: ["DNS:localhost"]), to: fixture.server.port)
        var request = try fixture.request("POST", "/h2")
        request.url = try fixture.url("/h2", port: nginx.port)
        request.body = Array("body".utf8)
        let answer = try await fixture.outbound.send(request)

        #expect(answer.head.version == .two)
        #expect(answer.head["x-behind"] == "nginx")
        #expect(answer.body == Array("two".utf8))
        #expect(received.values.first?.text == "body")

        // The request must not use the existing connection.
        request.usesFirstVersion = true

        #expect(try await fixture.outbound.send(request).head.version == .one)
    }
}
