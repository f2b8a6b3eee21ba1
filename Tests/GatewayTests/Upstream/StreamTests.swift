// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import TestThreads
import Testing

/// Tests event streams, which the gateway recognizes by the instance's Content-Type and forwards byte for byte as they
/// arrive.
@Suite(.onTestThreads) struct StreamTests {
    private static let head = [("Content-Type", "text/event-stream"), ("Transfer-Encoding", "chunked")]

    @Test(arguments: ["text/event-stream", "text/event-stream; charset=utf-8", "Text/Event-Stream ;x=y"], ["*/*", ""])
    func `the instance's Content-Type alone makes a response an event stream`(type: String, accept: String) throws {
        // The response to a prompt can also be a stream.
        let method = accept.isEmpty ? "POST" : "GET"
        let ended = Latch("the client to have seen the head")
        let fixture = try ProxyFixture { connection, _ in
            try connection.writeHead(200, headers: [("Content-Type", type), ("Transfer-Encoding", "chunked")])
            try ended.wait()
            try connection.writeLastChunk()
        }
        let client = try fixture.send(method, "/any/path", headers: accept.isEmpty ? [] : [("Accept", accept)])
        let reader = ResponseReader(client)
        // No event has been sent yet.
        let head = try reader.readHead()

        #expect(head.status == 200)
        #expect(head.values(of: "Content-Type") == [type])
        #expect(head.values(of: "Cache-Control") == ["no-cache, no-transform"])
        #expect(head.values(of: "X-Accel-Buffering") == ["no"])

        ended.open()

        #expect(try reader.readAll().ending == .complete)
    }

    @Test func `the gateway replaces an event stream's Cache-Control and X-Accel-Buffering`() throws {
        let fixture = try ProxyFixture { connection, _ in
            try connection.writeHead(
                200,
                headers: Self.head + [
                    ("Cache-Control", "no-store"), ("x-accel-buffering", "yes"), ("cache-control", "x"),
                ])
            try connection.writeLastChunk()
        }
        let answer = try fixture.request("GET", "/event")

        #expect(answer.values(of: "Cache-Control") == ["no-cache, no-transform"])
        #expect(answer.values(of: "X-Accel-Buffering") == ["no"])
    }

    @Test func `an Accept of text/event-stream does not make a JSON response an event stream`() throws {
        let fixture = try ProxyFixture { connection, _ in
            try connection.respond(200, headers: [("Content-Type", "application/json")], text: "{}")
        }
        let client = try fixture.gateway.connect()

        for path in ["/event", "/global/event"] {
            let answer = try client.exchange(
                "GET", ProxyFixture.target(path),
                headers: [GatewayUnderTest.authorization, ("Accept", "text/event-stream")])
            #expect(answer.text == "{}")
            #expect(answer.values(of: "Cache-Control") == [])
            #expect(answer.values(of: "X-Accel-Buffering") == [])
        }
    }

    @Test(arguments: [401, 404, 500], ["application/json", "text/event-stream"])
    func `an error response to a stream request is forwarded unchanged`(status: Int, type: String) throws {
        let fixture = try ProxyFixture { connection, _ in
            try connection.respond(
                status, "Refused", headers: [("Content-Type", type), ("X-Why", "because")], text: #"{"name":"Refused"}"#
            )
        }
        let answer = try fixture.request("GET", "/event", headers: [("Accept", "text/event-stream")])

        #expect(answer.status == status)
        #expect(answer.text == #"{"name":"Refused"}"#)
        #expect(answer.values(of: "X-Why") == ["because"])
        #expect(answer.values(of: "Cache-Control") == [])
        #expect(answer.ending == .complete)
    }

    @Test func `a stream request receives 502 if the instance closes without a response`() throws {
        let fixture = try ProxyFixture { connection, _ in connection.close() }

        #expect(try fixture.request("GET", "/event", headers: [("Accept", "text/event-stream")]).status == 502)
    }

    /// Returns the reads of a recorded stream, each with its original boundaries.
    private static func recordedReads() throws -> [[UInt8]] {
        try Fixtures.lines("opencode/1.18.33/events-talk.jsonl").compactMap { line in
            let record = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return (record?["text"] as? String).map { Array($0.utf8) }
        }
    }

    @Test func `a recorded stream is forwarded byte for byte, each read as it arrives`() throws {
        let reads = try Self.recordedReads()

        try #require(reads.count > 20)

        let arrived = Recorded<Int>("a read that arrived")
        let fixture = try ProxyFixture { connection, _ in
            try connection.writeHead(200, headers: Self.head)
            for (index, read) in reads.enumerated() {
                try connection.writeChunk(read)
                try arrived.wait(forCount: index + 1)
            }
            try connection.writeLastChunk()
        }
        let reader = ResponseReader(try fixture.send("GET", "/event"))
        for read in reads {
            // Each read is sent only after the previous one has arrived completely, so that withheld or truncated data
            // would be detected.
            var bytes: [UInt8] = []
            while bytes.count < read.count {
                bytes += try reader.readBodyPart() ?? Array(repeating: 0, count: read.count)
            }
            #expect(bytes == read)
            arrived.append(0)
        }

        #expect(try reader.readBodyPart() == nil)
        #expect(reader.ending == .complete)
    }

    @Test(arguments: [1, 7, 100, 4096])
    func `an event stream is forwarded unchanged regardless of the instance's chunk sizes`(size: Int) throws {
        let stream = try Self.recordedReads().flatMap { $0 }
        let fixture = try ProxyFixture { connection, _ in
            try connection.writeHead(200, headers: Self.head)
            var wire: [UInt8] = []
            for start in stride(from: 0, to: stream.count, by: size) {
                let fragment = stream[start..<min(stream.count, start + size)]
                wire += Array("\(String(fragment.count, radix: 16));x=y\r\n".utf8) + fragment + [13, 10]
            }
            // The writes split sizes and data at arbitrary positions.
            for start in stride(from: 0, to: wire.count, by: 1_001) {
                try connection.write(wire[start..<min(wire.count, start + 1_001)])
            }
            try connection.writeLastChunk()
        }

        for method in ProxyFixture.carriers {
            let answer = try fixture.request(method, "/event")
            #expect(isSame(answer.body, stream))
            #expect(answer.ending == .complete)
        }
    }

    @Test func `an event of 1.5 MB is forwarded whole`() throws {
        let event = Array("data: {\"delta\":\"\(String(repeating: "x", count: 1_500_000))\"}\n\n".utf8)
        let fixture = try ProxyFixture { connection, _ in
            try connection.writeHead(200, headers: Self.head)
            for _ in 0..<3 { try connection.writeChunk(event) }
            try connection.writeLastChunk()
        }

        for method in ProxyFixture.carriers {
            let answer = try fixture.request(method, "/event")
            #expect(isSame(answer.body, event + event + event))
            #expect(answer.ending == .complete)
        }
    }

    @Test func `a stream to an HTTP/1.0 client is not chunked and ends with the connection`() throws {
        let fixture = try ProxyFixture { connection, _ in
            try connection.writeHead(200, headers: Self.head)
            try connection.writeChunk("data: 1\n\n")
            try connection.writeChunk("data: 2\n\n")
            try connection.writeLastChunk()
        }
        let client = try fixture.gateway.connect()
        try client.write(
            "GET \(ProxyFixture.target("/event")) HTTP/1.0\r\nAuthorization: Bearer \(GatewayUnderTest.key)\r\n\r\n")
        let answer = try ResponseReader(client).readAll()

        #expect(answer.values(of: "Transfer-Encoding") == [])
        #expect(answer.text == "data: 1\n\ndata: 2\n\n")
        #expect(answer.ending == .closed)
    }

    @Test func `the response to HEAD on an event path has no body`() throws {
        let fixture = try ProxyFixture { connection, _ in try connection.writeHead(200, headers: Self.head) }
        let answer = try fixture.request("HEAD", "/event")

        #expect(answer.status == 200)
        #expect(answer.values(of: "Content-Type") == ["text/event-stream"])
        #expect(answer.body.isEmpty)
        #expect(try fixture.request("HEAD", "/event").status == 200)
    }

    @Test func `each of 200 concurrent streams receives every event`() throws {
        let count = 200
        let opened = Recorded<Int>("a stream that is open")
        let fixture = try ProxyFixture(environment: ["VIBE_THREADS": "2"]) { connection, _ in
            try connection.writeHead(200, headers: Self.head)
            opened.append(0)
            try opened.wait(forCount: count, within: .seconds(30))
            for event in 0..<20 { try connection.writeChunk("data: \(event)\n\n") }
            try connection.writeLastChunk()
        }

        let streams = try (0..<count).map { _ in try fixture.events() }
        let expected = (0..<20).map { "data: \($0)\n\n" }.joined()

        for stream in streams {
            let answer = try stream.response.readAll(within: .seconds(30))
            #expect(answer.text == expected)
            #expect(answer.ending == .complete)
        }
    }

    @Test func `ordinary requests reuse one connection to the instance beside 50 open streams`() throws {
        let done = Latch("the requests to be done")
        let fixture = try ProxyFixture { connection, head in
            guard head.path == "/event" else { return try connection.respond(200, text: "fine") }
            try connection.writeHead(200, headers: Self.head)
            try connection.writeChunk("data: first\n\n")
            try done.wait(within: .seconds(30))
            try connection.writeLastChunk()
        }
        let streams = try (0..<50).map { _ in try fixture.events() }
        for stream in streams { #expect(try stream.next() == "first") }
        let client = try fixture.gateway.connect()
        for _ in 0..<50 {
            let answer = try client.exchange(
                "GET", ProxyFixture.target("/x"), headers: [GatewayUnderTest.authorization])
            #expect(answer.text == "fine")
        }

        #expect(Set(fixture.carried.values.filter { $0.target == "/x" }.map(\.port)).count == 1)

        done.open()
        for stream in streams { #expect(try stream.next() == nil) }

        #expect(streams.allSatisfy { $0.response.ending == .complete })
    }
}
