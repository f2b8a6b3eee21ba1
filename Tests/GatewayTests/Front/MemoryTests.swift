// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

/// Tests that the gateway's memory stays small for any amount of data and any read speed.
@Suite(.onTestThreads, .enabled(if: !Sanitizer.isActive)) struct MemoryTests {
    private static let size = 1 << 30
    private static let limit = 64 << 20
    private static let fragment = [UInt8](repeating: 0x61, count: 1 << 20)
    private static let key = GatewayUnderTest.authorization
    private static let time = Duration.seconds(60)

    @Test(arguments: [true, false]) func `an upload of 1 GiB keeps the gateway's memory below 64 MiB`(isChunked: Bool)
        throws
    {
        let received = Recorded<Int>("bytes of the upload")
        let instance = try FakeOpenCode().start { connection, head in
            received.append(try connection.countBody(of: Self.size, isChunked: isChunked, within: Self.time))
            try connection.respond(200, headers: [("Connection", "close")], text: "answered")
            connection.close()
        }
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        let connection = try gateway.connect()
        let framing = isChunked ? ("Transfer-Encoding", "chunked") : ("Content-Length", "\(Self.size)")
        try connection.send("POST", "/projects/demo/api/x", headers: [Self.key, framing])
        try connection.writeFragments(Self.fragment, total: Self.size, isChunked: isChunked)

        #expect(try ResponseReader(connection).readAll(within: Self.time).text == "answered")

        let count = try #require(received.values.first)

        #expect(isChunked ? count > Self.size : count == Self.size)
        #expect(try gateway.process.peakResidentMemory() < Self.limit)
    }

    @Test(arguments: [true, false]) func `a download of 1 GiB keeps the gateway's memory below 64 MiB`(isChunked: Bool)
        throws
    {
        let instance = try FakeOpenCode().start { connection, _ in
            let framing = isChunked ? ("Transfer-Encoding", "chunked") : ("Content-Length", "\(Self.size)")
            try connection.writeHead(200, headers: [framing])
            try connection.writeFragments(Self.fragment, total: Self.size, isChunked: isChunked)
        }
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        let connection = try gateway.connect()
        try connection.send("GET", "/projects/demo/api/x", headers: [Self.key])
        _ = try connection.readThrough("\r\n\r\n", waitingFor: "the answer's head")
        let count = try connection.countBody(of: Self.size, isChunked: isChunked, within: Self.time)

        #expect(isChunked ? count > Self.size : count == Self.size)
        #expect(try gateway.process.peakResidentMemory() < Self.limit)
        // The body ended at the right place: the connection serves the next request.
        #expect(try connection.exchange("GET", "/health").status == 200)
    }

    @Test func `a client that reads one byte per second stalls the instance's sending`() throws {
        let ended = Latch("the instance's connection to end")
        let sent = Recorded<Int>("the number of bytes that the instance could send")
        let instance = try FakeOpenCode().start { connection, _ in
            try connection.writeHead(200, headers: [("Content-Length", "\(Self.size)")])
            sent.append(
                try connection.writeUntilFull(Self.fragment, atMost: Self.size, stalledAfter: .milliseconds(1500)))
            try connection.waitForEnd(within: .seconds(20))
            ended.open()
            connection.close()
        }
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        let connection = try TestClient.connect(port: gateway.port, receiveBuffer: 8192)
        try connection.send("GET", "/projects/demo/api/x", headers: [Self.key])
        _ = try connection.readThrough("\r\n\r\n", waitingFor: "the answer's head")
        while sent.count == 0 {
            #expect(try connection.readExactly(1) == [0x61])
            try connection.pause(.seconds(1))
        }

        // These are the kernel buffers of both connections, and less than one megabyte in the gateway.
        #expect(sent.values[0] < 32 << 20)
        #expect(try gateway.process.peakResidentMemory() < Self.limit)

        connection.close()
        try ended.wait()
    }
}

extension TestConnection {
    /// Writes the block until the total is reached.
    fileprivate func writeFragments(_ fragment: [UInt8], total: Int, isChunked: Bool) throws {
        let framed =
            isChunked ? Array("\(String(fragment.count, radix: 16))\r\n".utf8) + fragment + [13, 10] : fragment
        for _ in 0..<(total / fragment.count) { try write(framed, within: .seconds(60)) }
        if isChunked { try writeLastChunk() }
    }

    /// Reads a body without keeping it, and returns its size on the wire, including chunk framing.
    fileprivate func countBody(of size: Int, isChunked: Bool, within limit: Duration) throws -> Int {
        let deadline = Deadline(after: limit)
        var count = 0
        var tail: [UInt8] = []
        while isChunked ? tail != Array("0\r\n\r\n".utf8) : count < size {
            let part = try read(upTo: isChunked ? 1 << 18 : min(1 << 18, size - count), within: deadline.remaining)
            if part.isEmpty { throw TestKitError.closed(waitingFor: "the rest of a body after \(count) bytes") }
            count += part.count
            tail = (tail + part.suffix(5)).suffix(5)
        }
        return count
    }
}
