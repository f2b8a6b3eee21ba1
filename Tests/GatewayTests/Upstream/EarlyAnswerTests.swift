// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

/// Tests responses that arrive before the end of the request's body (RFC 9112 §9.3).
@Suite(.onTestThreads) struct EarlyAnswerTests {
    private static let pieceSize = 256 * 1024

    /// Begins an upload that is far larger than all buffers between client and instance, and sends bytes as long as the
    /// gateway reads them.
    private static func upload(_ fixture: ProxyFixture, isChunked: Bool) throws -> (
        client: TestConnection, sender: TestThread
    ) {
        let total = 64 * 1024 * 1024
        let client = try fixture.send(
            "POST", "/x", headers: [isChunked ? ("Transfer-Encoding", "chunked") : ("Content-Length", "\(total)")])
        let sender = try TestThread {
            let fragment = [UInt8](repeating: 120, count: Self.pieceSize)
            var left = total
            // The loop ends when the gateway has stopped reading.
            while left > 0 {
                let sent: Void? = try? isChunked ? client.writeChunk(fragment) : client.write(fragment)
                if sent == nil { return }
                left -= fragment.count
            }
        }
        return (client, sender)
    }

    @Test(arguments: [true, false], [true, false])
    func `a 413 from the instance reaches the client during its upload`(isChunked: Bool, closes: Bool) throws {
        let fixture = try ProxyFixture { connection, head in
            guard head.path == "/x" else { return try connection.respond(200, text: "fine") }
            _ = try connection.readExactly(100_000)
            try connection.respond(413, "Content Too Large", headers: [("Connection", "close")], text: "too large")
            // End the connection cleanly, because a reset would destroy a response that is still being transferred.
            if closes { try connection.shutdownWrite() }
            try connection.waitForEnd()
        }
        let (client, sender) = try Self.upload(fixture, isChunked: isChunked)
        defer { sender.join() }
        let answer = try ResponseReader(client, method: "POST").readAll()

        #expect(answer.status == 413)
        #expect(answer.text == "too large")
        #expect(answer.ending == .complete)
        #expect(answer.values(of: "Connection") == ["close"])
        #expect(try client.waitForEnd() == .closed)

        client.close()

        #expect(try fixture.request("GET", "/y").text == "fine")
    }

    @Test(arguments: ["Content-Length: 9\r\n\r\ntoo large", "Content-Length: 0\r\n\r\n"])
    func `a 413 from the instance ends an upload that has paused`(framing: String) throws {
        let ended = Latch("the gateway to close the instance's connection")
        let fixture = try ProxyFixture { connection, head in
            guard head.path == "/x" else { return try connection.respond(200, text: "fine") }
            // These are all bytes that the client has sent so far, so the gateway has nothing left to forward.
            _ = try connection.readExactly(300_000)
            try connection.write("HTTP/1.1 413 Content Too Large\r\n\(framing)")
            try connection.waitForEnd()
            ended.open()
        }
        let client = try fixture.send("POST", "/x", headers: [("Content-Length", "1000000")])
        try client.write([UInt8](repeating: 120, count: 300_000))

        #expect(try ResponseReader(client, method: "POST").readAll().status == 413)
        #expect(try client.waitForEnd() == .closed)

        try ended.wait()

        #expect(try fixture.request("GET", "/y").text == "fine")
    }

    @Test(arguments: ["close", "stay"])
    func `a 200 from the instance reaches the client before the end of the upload`(instance: String) throws {
        let fixture = try ProxyFixture { connection, head in
            guard head.path == "/x" else { return try connection.respond(200, text: "fine") }
            _ = try connection.readExactly(100_000)
            try connection.respond(200, headers: [("Connection", "close")], text: "enough")
            if instance == "close" { try connection.shutdownWrite() }
            try connection.waitForEnd()
        }
        let (client, sender) = try Self.upload(fixture, isChunked: false)
        defer { sender.join() }
        let answer = try ResponseReader(client, method: "POST").readAll(within: .seconds(20))

        #expect(answer.status == 200)
        #expect(answer.text == "enough")
        #expect(answer.ending == .complete)

        client.close()

        #expect(try fixture.request("GET", "/y").text == "fine")
    }

    @Test(arguments: [
        (200, "Content-Length: 6\r\n\r\nenough", "enough"), (200, "Content-Length: 0\r\n\r\n", ""),
        (204, "\r\n", ""),
    ])
    func `a success reaches the client even if the instance no longer reads the upload`(
        status: Int, answer: String, text: String
    ) throws {
        let answered = Latch("the client to have its answer")
        let fixture = try ProxyFixture { connection, head in
            guard head.path == "/x" else { return try connection.respond(200, text: "fine") }
            _ = try connection.readExactly(100_000)
            try connection.write("HTTP/1.1 \(status) Granted\r\n\(answer)")
            try answered.wait(within: .seconds(30))
            connection.close()
        }
        let (client, sender) = try Self.upload(fixture, isChunked: false)
        defer { sender.join() }
        let answer = try? ResponseReader(client, method: "POST").readAll(within: .seconds(9))

        #expect(answer?.status == status)
        #expect(answer?.text == text)

        answered.open()
        client.close()

        #expect(try fixture.request("GET", "/y").text == "fine")
    }

    @Test func `an instance that resets the connection during an upload causes a 502`() throws {
        let fixture = try ProxyFixture { connection, head in
            guard head.path == "/x" else { return try connection.respond(200, text: "fine") }
            _ = try connection.readExactly(100_000)
            connection.reset()
        }
        let (client, sender) = try Self.upload(fixture, isChunked: false)
        defer { sender.join() }
        let answer = try ResponseReader(client, method: "POST").readAll()

        #expect(answer.status == 502)
        #expect(fixture.deliveries(of: "/x") == 1)
        #expect(try client.waitForEnd() == .closed)

        client.close()

        #expect(try fixture.request("GET", "/y").text == "fine")
    }

    @Test func `a streamed upload is never sent twice`() throws {
        // The body is larger than the gateway's buffer, so it cannot be sent again.
        let body = [UInt8](repeating: 120, count: 300_000)
        let fixture = try ProxyFixture { connection, head in
            let request = try connection.readBody(of: head)
            if head.path == "/3" { return connection.close() }
            try connection.respond(200, text: "\(request.body.count)")
        }

        #expect(try fixture.request("GET", "/1").status == 200)
        #expect(try fixture.request("PUT", "/2", body: body).text == "300000")

        let answer = try fixture.request("PUT", "/3", body: body)

        #expect(answer.status == 502)
        #expect(answer.text.contains("may have received the request"))
        #expect(fixture.deliveries(of: "/2") == 1)
        #expect(fixture.deliveries(of: "/3") == 1)
    }
}
