// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

/// Tests request bodies. Small bodies are buffered completely, larger bodies are streamed, and every body arrives byte
/// for byte.
@Suite(.onTestThreads) struct RequestBodyTests {
    private static let key = GatewayUnderTest.authorization

    private static func recording(_ bodies: Recorded<ReceivedRequest>) throws -> FakeOpenCode.Server {
        try FakeOpenCode().start { connection, head in
            bodies.append(try connection.readBody(of: head, within: .seconds(30)))
            try connection.respond(200, text: "answered")
        }
    }

    @Test func `bodies of each size arrive byte for byte with Content-Length and in the chunked coding`() throws {
        let bodies = Recorded<ReceivedRequest>("a request")
        let instance = try Self.recording(bodies)
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        let connection = try gateway.connect()
        for size in [0, 1, 1000, 16_384, 65_535, 65_536, 65_537, 300_000, 3_000_000] {
            let body = Bytes.pattern(size)
            let answer = try connection.exchange("POST", "/projects/demo/api/x", headers: [Self.key], body: body)
            #expect(answer.text == "answered", "\(size)")
            #expect(bodies.values.last?.body == body, "\(size)")
            #expect(bodies.values.last?.values(of: "Content-Length") == ["\(size)"], "\(size)")
            #expect(bodies.values.last?.values(of: "Transfer-Encoding") == [], "\(size)")
            let chunked = try gateway.connect()
            try chunked.send("POST", "/projects/demo/api/x", headers: [Self.key, ("Transfer-Encoding", "chunked")])
            for start in stride(from: 0, to: size, by: 70_000) {
                try chunked.writeChunk(body[start..<min(size, start + 70_000)])
            }
            try chunked.writeLastChunk()
            #expect(try ResponseReader(chunked).readAll().text == "answered", "\(size)")
            #expect(bodies.values.last?.body == body, "\(size)")
        }

        #expect(bodies.count == 18)
    }

    @Test func `a request without a body has no framing fields at the instance`() throws {
        let bodies = Recorded<ReceivedRequest>("a request")
        let instance = try Self.recording(bodies)
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)

        for method in ["GET", "HEAD", "DELETE", "OPTIONS"] {
            _ = try gateway.request(method, "/projects/demo/api/x")
            #expect(bodies.values.last?.values(of: "Content-Length") == [], "\(method)")
            #expect(bodies.values.last?.values(of: "Transfer-Encoding") == [], "\(method)")
        }
    }

    @Test func `a body of a request with any method reaches the instance`() throws {
        let bodies = Recorded<ReceivedRequest>("a request")
        let instance = try Self.recording(bodies)
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)

        for method in ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"] {
            for size in [5, 100_000] {
                let body = Bytes.pattern(size)
                let answer = try gateway.request(method, "/projects/demo/api/x", body: body)
                #expect(answer.text == "answered", "\(method) \(size)")
                #expect(bodies.values.last?.body == body, "\(method) \(size)")
                #expect(bodies.values.last?.method == method)
            }
        }
    }

    @Test func `a small body is buffered until it is complete`() throws {
        let bodies = Recorded<ReceivedRequest>("a request")
        let instance = try Self.recording(bodies)
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        let connection = try gateway.connect()
        let body = Bytes.pattern(64 << 10)
        try connection.send("POST", "/projects/demo/api/x", headers: [Self.key, ("Content-Length", "\(body.count)")])
        try connection.write(body.dropLast())
        // Another request overtakes the first one, which the gateway has not forwarded yet.
        _ = try gateway.request("GET", "/projects/demo/api/overtakes")

        #expect(instance.requests.values.map(\.target) == ["/overtakes"])

        try connection.write(body.suffix(1))

        #expect(try ResponseReader(connection).readAll().text == "answered")
        #expect(bodies.values.last?.body == body)
    }

    @Test(arguments: [true, false]) func `a large body reaches the instance while the client is still sending it`(
        isChunked: Bool
    ) throws {
        let received = Recorded<Int>("bytes of the body")
        let instance = try FakeOpenCode().start { connection, _ in
            var count = 0
            while count < 210_000 {
                let part = try connection.read(upTo: 65_536)
                if part.isEmpty { return }
                count += part.count
                received.append(count)
            }
            try connection.respond(200, headers: [("Connection", "close")], text: "answered")
            connection.close()
        }
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        let connection = try gateway.connect()
        let framing = isChunked ? ("Transfer-Encoding", "chunked") : ("Content-Length", "210000")
        try connection.send("POST", "/projects/demo/api/x", headers: [Self.key, framing])
        func send(_ bytes: [UInt8]) throws {
            if isChunked { try connection.writeChunk(bytes) } else { try connection.write(bytes) }
        }
        try send(Bytes.pattern(70_000))
        try received.wait { ($0.last ?? 0) >= 70_000 }
        // Each part arrives before the rest is sent, however small it is.
        try send([0x61])
        try received.wait { ($0.last ?? 0) >= 70_001 }
        // The last part also arrives before the client pauses in the middle of a chunk's line.
        let remainder = Bytes.pattern(69_999)
        try send(Bytes.pattern(70_000))
        if isChunked { try connection.write("111") }
        try received.wait { ($0.last ?? 0) >= 140_001 }
        try connection.write(isChunked ? Array("6F\r\n".utf8) + remainder + Array("\r\n".utf8) : remainder)
        if isChunked { try connection.writeLastChunk() }

        #expect(try ResponseReader(connection).readAll().text == "answered")
    }

    @Test func `a large body that arrives during a gateway query is forwarded after the query`() throws {
        let mayAnswer = Latch("the instance to answer the gateway's query")
        let total = 1 << 20
        let fixture = try ProxyFixture { connection, head in
            guard head.method == "DELETE" else {
                // This is the gateway's query for the session's directory, which precedes the forwarded request.
                try mayAnswer.wait(within: .seconds(30))
                return try connection.respond(404, text: "nobody's")
            }
            try connection.respond(200, text: "\(connection.readExactly(total).count)")
        }
        let client = try fixture.send("DELETE", "/session/ses_1", headers: [("Content-Length", "\(total)")])
        try client.write(Bytes.pattern(total))
        try fixture.carried.wait { $0.count == 1 }
        // The gateway reads as much as it buffers, and then forwards the body on the connection of its query.
        _ = Latch().isOpened(within: .milliseconds(500))
        mayAnswer.open()

        #expect(try ResponseReader(client).readAll().text == "\(total)")
        #expect(fixture.carried.values.map(\.target) == ["/session/ses_1", "/session/ses_1"])
    }

    @Test func `an instance that does not read pauses the client's upload`() throws {
        let mayRead = Latch("the instance to read")
        let total = 64 << 20
        let instance = try FakeOpenCode().start { connection, _ in
            try mayRead.wait(within: .seconds(30))
            _ = try connection.readExactly(total, within: .seconds(30))
            try connection.respond(200, text: "answered")
        }
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        let before = try gateway.process.residentMemory()
        let connection = try gateway.connect()
        try connection.send("POST", "/projects/demo/api/x", headers: [Self.key, ("Content-Length", "\(total)")])
        let fragment = [UInt8](repeating: 0x61, count: 1 << 20)
        let sent = try connection.writeUntilFull(fragment, atMost: total, stalledAfter: .milliseconds(300))

        // The kernel buffers of two connections hold some megabytes; the gateway itself holds less than one.
        #expect(sent < 32 << 20)

        // A sanitizer retains freed memory.
        if !Sanitizer.isActive { #expect(try gateway.process.residentMemory() - before < 4 << 20) }
        mayRead.open()
        try connection.write([UInt8](repeating: 0x61, count: total - sent), within: .seconds(30))

        #expect(try ResponseReader(connection).readAll(within: .seconds(30)).text == "answered")
    }

    @Test func `trailers of a request are read and dropped`() throws {
        let bodies = Recorded<ReceivedRequest>("a request")
        let instance = try Self.recording(bodies)
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)

        for size in [5, 100_000] {
            let connection = try gateway.connect()
            try connection.send("POST", "/projects/demo/api/x", headers: [Self.key, ("Transfer-Encoding", "chunked")])
            try connection.writeChunk(Bytes.pattern(size))
            try connection.writeLastChunk(trailers: [("X-Checksum", "1"), ("Authorization", "Bearer x")])
            #expect(try ResponseReader(connection).readAll().text == "answered")
            #expect(bodies.values.last?.body == Bytes.pattern(size))
            #expect(bodies.values.last?.trailers == [])
        }
    }
}

/// Test data for request bodies.
enum Bytes {
    /// A prime number of bytes, which reveals a part that is duplicated or shifted by a buffer's size.
    private static let block = (0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 / 256 &* 7) }

    /// Returns that many bytes of the pattern.
    static func pattern(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        while bytes.count < count { bytes += block.prefix(count - bytes.count) }
        return bytes
    }
}
