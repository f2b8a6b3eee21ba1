// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

/// Tests the ends of event streams: the client sees a clean end only if the instance ended the stream cleanly, and
/// neither connection remains open after the other has ended.
@Suite(.onTestThreads) struct StreamEndTests {
    private static let head = [("Content-Type", "text/event-stream"), ("Transfer-Encoding", "chunked")]
    private static let lengthless = [("Content-Type", "text/event-stream")]

    enum End: Sendable, CaseIterable { case close, reset, badChunk, surplus }

    @Test(arguments: End.allCases, ProxyFixture.carriers)
    func `a stream whose instance fails never ends cleanly`(end: End, method: String) throws {
        let resume = Latch("the client to have the first event")
        let fixture = try ProxyFixture { connection, head in
            guard head.path == "/event" else { return try connection.respond(200, text: "fine") }
            try connection.writeHead(200, headers: Self.head)
            try connection.writeChunk("data: 1\n\n")
            try resume.wait()
            try connection.writeChunk("data: 2\n\n")
            switch end {
            case .close: connection.close()
            case .reset:
                // The pause lets the gateway read the earlier bytes before the reset arrives.
                try connection.pause(.milliseconds(50))
                connection.reset()
            case .badChunk:
                try connection.write("zz\r\n")
                try connection.waitForEnd()
            case .surplus:
                try connection.write("0\r\n\r\nmore")
                try connection.waitForEnd()
            }
        }
        let stream = try fixture.events(method: method)

        #expect(try stream.next() == "1")

        resume.open()

        #expect(try stream.next() == "2")
        #expect(try stream.next() == nil)
        #expect(stream.response.ending == .truncated || stream.response.ending == .reset)
        #expect(try fixture.request("GET", "/x").text == "fine")
    }

    @Test func `a stream whose instance closes right after the head never ends cleanly`() throws {
        let fixture = try ProxyFixture { connection, _ in
            try connection.writeHead(200, headers: Self.head)
            connection.close()
        }

        for method in ["GET", "POST", "GET", "POST", "GET"] {
            let answer = try fixture.request(method, "/event")
            #expect(answer.status == 502 || answer.ending == .truncated || answer.ending == .reset)
        }
    }

    @Test func `a stream that arrives in a single write is complete`() throws {
        let fixture = try ProxyFixture { connection, _ in
            try connection.write(
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "9\r\ndata: 1\n\n\r\n0\r\n\r\n")
        }

        for method in ["GET", "POST", "GET", "POST", "GET"] {
            let answer = try fixture.request(method, "/event")
            #expect(answer.text == "data: 1\n\n")
            #expect(answer.ending == .complete)
        }
    }

    @Test(arguments: [false, true], ProxyFixture.carriers)
    func `a stream without a length ends cleanly on a close and abnormally on a reset`(byReset: Bool, method: String)
        throws
    {
        let resume = Latch("the client to have the first event")
        let fixture = try ProxyFixture { connection, _ in
            try connection.writeHead(200, headers: Self.lengthless)
            try connection.write("data: 1\n\n")
            try resume.wait()
            if byReset { connection.reset() } else { connection.close() }
        }
        let stream = try fixture.events(method: method)

        #expect(try stream.next() == "1")

        resume.open()

        #expect(try stream.next() == nil)
        #expect((stream.response.ending == .complete) == !byReset)
    }

    @Test func `the connection of an HTTP/1.0 client is reset when the instance dies`() throws {
        let resume = Latch("the client to have the first event")
        let fixture = try ProxyFixture { connection, _ in
            try connection.writeHead(200, headers: Self.head)
            try connection.writeChunk("data: 1\n\n")
            try resume.wait()
            connection.close()
        }
        let client = try fixture.gateway.connect()
        try client.write(
            "GET \(ProxyFixture.target("/event")) HTTP/1.0\r\nAuthorization: Bearer \(GatewayUnderTest.key)\r\n\r\n")
        let stream = EventStreamReader(client)

        #expect(try stream.next() == "1")

        resume.open()

        #expect(try stream.next() == nil)
        #expect(stream.response.ending == .reset)
    }

    @Test(arguments: [false, true])
    func `the instance's connection closes when the client disconnects`(byReset: Bool) throws {
        let ended = Recorded<TestConnection.Ending>("the gateway to close the instance's connection")
        let fixture = try ProxyFixture { connection, _ in
            try connection.writeHead(200, headers: Self.head)
            try connection.writeChunk("data: 1\n\n")
            // The instance is silent from here on.
            ended.append(try connection.waitForEnd())
        }
        let client = try fixture.send("GET", "/event")
        let stream = EventStreamReader(client)

        #expect(try stream.next() == "1")

        if byReset { client.reset() } else { client.close() }
        try ended.wait(forCount: 1)
    }

    @Test func `a stalled client is disconnected, and other streams continue`() throws {
        let ended = Latch("the gateway to close the stalled stream's instance connection")
        let resume = Latch("the reader to be disconnected")
        let event = "data: \(String(repeating: "x", count: 10_000))\n\n"
        let fixture = try ProxyFixture(flags: ["--stream-backlog", "64KiB"]) { connection, head in
            try connection.writeHead(200, headers: Self.head)
            if head.path == "/other" {
                try connection.writeChunk("data: 1\n\n")
                try resume.wait()
                try connection.writeChunk("data: 2\n\n")
                return try connection.writeLastChunk()
            }
            defer { ended.open() }
            // The events exceed the capacity of all buffers up to the reader, so the gateway ends the stream.
            for _ in 0..<20_000 { try connection.writeChunk(event) }
        }
        let other = try fixture.events("/other")

        #expect(try other.next() == "1")

        let stalled = try fixture.send("GET", "/event", receiveBuffer: 4096)
        try fixture.gateway.process.waitForLine(on: .error) { $0.contains("slow_stream") }
        try ended.wait()
        resume.open()

        #expect(try other.next() == "2")
        #expect(try other.next() == nil)
        #expect(other.response.ending == .complete)

        // The client sees an abnormal end.
        let answer = try ResponseReader(stalled).readAll()

        #expect(answer.ending == .truncated || answer.ending == .reset)
    }

    @Test func `a slow client within --stream-backlog receives all events`() throws {
        let events = (0..<50).map { "data: \($0) \(String(repeating: "x", count: 10_000))\n\n" }
        let sent = Latch("all events to be sent")
        let fixture = try ProxyFixture(flags: ["--stream-backlog", "4MiB"]) { connection, _ in
            try connection.writeHead(200, headers: Self.head)
            for event in events { try connection.writeChunk(event) }
            sent.open()
            try connection.writeLastChunk()
        }
        let stalled = try fixture.send("GET", "/event", receiveBuffer: 4096)
        // A slow reader never slows the instance down.
        try sent.wait()
        let answer = try ResponseReader(stalled).readAll()

        #expect(answer.text == events.joined())
        #expect(answer.ending == .complete)
    }

    @Test func `a silent stream is aborted after --stream-timeout`() throws {
        let ended = Latch("the gateway to close the instance's connection")
        let fixture = try ProxyFixture(flags: ["--stream-timeout", "300ms"]) { connection, _ in
            try connection.writeHead(200, headers: Self.head)
            try connection.writeChunk("data: 1\n\n")
            try connection.waitForEnd()
            ended.open()
        }
        let stream = try fixture.events()

        #expect(try stream.next() == "1")
        #expect(try stream.next() == nil)
        #expect(stream.response.ending == .truncated || stream.response.ending == .reset)

        try ended.wait()
    }

    @Test func `an event stream outlives --answer-timeout`() throws {
        let resume = Latch("the time for an ordinary answer to be over")
        let fixture = try ProxyFixture(flags: ["--answer-timeout", "200ms"]) { connection, head in
            if head.path == "/silent" {
                try connection.waitForEnd()
                return
            }
            try connection.writeHead(200, headers: Self.head)
            try connection.writeChunk("data: 1\n\n")
            try resume.wait()
            try connection.writeChunk("data: 2\n\n")
            try connection.writeLastChunk()
        }
        let stream = try fixture.events()

        #expect(try stream.next() == "1")
        // This request began later and has timed out.
        #expect(try fixture.request("GET", "/silent").status == 504)

        resume.open()

        #expect(try stream.next() == "2")
        #expect(try stream.next() == nil)
        #expect(stream.response.ending == .complete)
    }
}
