// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

/// Tests that a client's connection continues after a response that the gateway wrote without libmicrohttpd: a 304
/// without a length, or a stream that its instance has ended.
@Suite(.onTestThreads) struct HandedBackConnectionTests {
    private static let key = GatewayUnderTest.authorization
    private static let page = ProxyFixture.target("/page")

    /// Starts an instance with three kinds of responses. `/page` is a 304 without a length. `/stream` has two events
    /// and a regular end, and its second event waits for `mayContinue`. The response for any other path is the path
    /// itself.
    private static func fixture(
        flags: [String] = [], mayContinue: Latch? = nil, mayAnswer: Latch? = nil
    ) throws -> ProxyFixture {
        try ProxyFixture(flags: flags) { connection, head in
            let request = try connection.readBody(of: head)
            switch head.path {
            case "/page":
                try mayAnswer?.wait()
                try connection.write("HTTP/1.1 304 Not Modified\r\nETag: \"e\"\r\n\r\n")
            case "/stream":
                try connection.writeHead(
                    200, headers: [("Content-Type", "text/event-stream"), ("Transfer-Encoding", "chunked")])
                try connection.writeChunk("data: 1\n\n")
                try mayContinue?.wait()
                try connection.writeChunk("data: 2\n\n")
                try connection.writeLastChunk()
            default: try connection.respond(200, text: "\(head.path) \(request.body.count)")
            }
        }
    }

    private static func expectNotModified(
        _ answer: TestResponse, isLast: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(answer.status == 304, sourceLocation: sourceLocation)
        #expect(answer.values(of: "Content-Length") == [], sourceLocation: sourceLocation)
        #expect(answer.values(of: "ETag") == ["\"e\""], sourceLocation: sourceLocation)
        #expect(
            answer.values(of: "Connection").map { $0.lowercased() } == (isLast ? ["close"] : []),
            sourceLocation: sourceLocation)
    }

    @Test func `revalidated pages and other requests share one connection`() throws {
        let fixture = try Self.fixture()
        let connection = try fixture.gateway.connect()
        for number in 0..<30 {
            Self.expectNotModified(try connection.exchange("GET", Self.page, headers: [Self.key]))
            let body = number % 3 == 0 ? Bytes.pattern(number * 5_000) : nil
            let answer = try connection.exchange(
                body == nil ? "GET" : "POST", ProxyFixture.target("/\(number)"), headers: [Self.key], body: body)
            #expect(answer.text == "/\(number) \(body?.count ?? 0)")
        }
        // This request follows an upload that was forwarded while it arrived.
        let large = try connection.exchange(
            "POST", ProxyFixture.target("/large"), headers: [Self.key], body: Bytes.pattern(400_000))

        #expect(large.text == "/large 400000")

        Self.expectNotModified(try connection.exchange("GET", Self.page, headers: [Self.key]))

        #expect(try connection.exchange("GET", "/health").status == 200)
    }

    @Test func `a request that was read with the previous one is not served, and the connection closes`() throws {
        let fixture = try Self.fixture()
        let first = RequestText.head("GET \(Self.page) HTTP/1.1")
        for second in [
            RequestText.head("GET \(ProxyFixture.target("/second")) HTTP/1.1"),
            RequestText.head("GET \(Self.page) HTTP/1.1"), "G", "\r\n",
        ] {
            let connection = try fixture.gateway.connect()
            try connection.write(first + second)
            // The response shows the client that the gateway ignored all bytes after this request.
            Self.expectNotModified(try ResponseReader(connection).readAll(), isLast: true)
            #expect(try connection.waitForEnd() == .closed)
        }

        #expect(fixture.carried.values.allSatisfy { $0.target != "/second" })
        #expect(fixture.deliveries(of: "/page") == 4)
    }

    @Test func `a request that arrives before the previous response is answered on the same connection`() throws {
        let mayAnswer = Latch("the next request to be sent")
        let fixture = try Self.fixture(mayAnswer: mayAnswer)
        let connection = try fixture.gateway.connect()
        try connection.send("GET", Self.page, headers: [Self.key])
        try fixture.carried.wait(forCount: 1)
        for number in 0..<3 { try connection.send("GET", ProxyFixture.target("/\(number)"), headers: [Self.key]) }

        mayAnswer.open()

        Self.expectNotModified(try ResponseReader(connection).readAll())
        for number in 0..<3 { #expect(try ResponseReader(connection).readAll().text == "/\(number) 0") }
    }

    @Test func `a connection serves a pending request after its stream's clean end`() throws {
        let mayContinue = Latch("the next request to be sent")
        let fixture = try Self.fixture(mayContinue: mayContinue)
        let connection = try fixture.gateway.connect()
        try connection.send("GET", ProxyFixture.target("/stream"), headers: [Self.key])
        let stream = EventStreamReader(connection)

        #expect(try stream.next() == "1")

        try connection.send("GET", ProxyFixture.target("/early"), headers: [Self.key])
        mayContinue.open()

        #expect(try stream.next() == "2")
        #expect(try stream.next() == nil)
        #expect(stream.response.ending == .complete)
        #expect(try ResponseReader(connection).readAll().text == "/early 0")

        // No request follows this request.
        try connection.send("GET", ProxyFixture.target("/stream"), headers: [Self.key])

        #expect(try ResponseReader(connection).readAll().text == "data: 1\n\ndata: 2\n\n")
        #expect(try connection.waitForEnd(within: .seconds(5)) == .closed)
    }

    @Test(arguments: [FakeOpenCode.Family.one(), .two()], ["GET", "POST"])
    func `the connection of a stream closes after the stream's clean end`(
        family: FakeOpenCode.Family, method: String
    ) throws {
        let fixture = try ProxyFixture(FakeOpenCode(family)) { connection, _ in
            try connection.writeHead(
                200, headers: [("Content-Type", "text/event-stream"), ("Transfer-Encoding", "chunked")])
            try connection.writeChunk("data: 1\n\n")
            try connection.writeLastChunk()
        }
        let connection = try fixture.send(method, family.words.hasPrefix("opencode") ? "/event" : "/api/event")

        let answer = try ResponseReader(connection, method: method).readAll()

        #expect(answer.text == "data: 1\n\n")
        #expect(answer.ending == .complete)
        #expect(answer.values(of: "Connection") == [])
        #expect(try connection.waitForEnd(within: .seconds(5)) == .closed)
    }

    @Test(arguments: ["HTTP/1.0", "HTTP/1.1"])
    func `the connection of a client that sends Connection: close closes after a 304`(version: String) throws {
        let fixture = try Self.fixture()
        let connection = try fixture.gateway.connect()
        try connection.write(RequestText.head("GET \(Self.page) \(version)", ["Connection: close"]))
        Self.expectNotModified(try ResponseReader(connection).readAll(), isLast: true)

        #expect(try connection.waitForEnd() == .closed)
    }

    @Test func `a connection that continues after a 304 counts once toward --max-connections`() throws {
        let fixture = try Self.fixture(flags: ["--max-connections", "4"])
        let connections = try (0..<3).map { _ in try fixture.gateway.connect() }
        for _ in 0..<20 {
            for connection in connections {
                Self.expectNotModified(try connection.exchange("GET", Self.page, headers: [Self.key]))
            }
        }
        // There is room for a fourth connection, but not for a fifth one until another one closes.
        let fourth = try fixture.gateway.connect()
        Self.expectNotModified(try fourth.exchange("GET", Self.page, headers: [Self.key]))
        let fifth = try fixture.gateway.connect()
        try fifth.send("GET", Self.page, headers: [Self.key])
        try fixture.gateway.waitForLog("too_many_connections")
        Self.expectNotModified(try connections[0].exchange("GET", Self.page, headers: [Self.key]))

        #expect(try fifth.staysSilent(for: .milliseconds(100)))

        connections[0].close()
        Self.expectNotModified(try ResponseReader(fifth).readAll())
    }

    @Test func `a connection that continues after a 304 has the normal idle and head timeouts`() throws {
        let fixture = try Self.fixture(flags: ["--head-timeout", "2s", "--idle-timeout", "4s"])
        let connection = try fixture.gateway.connect()
        let idle = try ContinuousClock().measure {
            Self.expectNotModified(try connection.exchange("GET", Self.page, headers: [Self.key]))
            #expect(try connection.readUntilClose(within: .seconds(10)) == [])
        }

        #expect(idle > .milliseconds(3_900))

        // A head that stops has the same deadline as any head.
        let other = try fixture.gateway.connect()
        Self.expectNotModified(try other.exchange("GET", Self.page, headers: [Self.key]))
        try other.write("GET /health HTTP/1.1\r\nHost")

        #expect(try ResponseReader(other).readAll().status == 408)
    }

    @Test func `a connection whose response arrives during the shutdown closes after the response`() throws {
        let mayAnswer = Latch("the gateway to end")
        let fixture = try Self.fixture(mayAnswer: mayAnswer)
        let waiting = try fixture.gateway.connect()
        try waiting.send("GET", Self.page, headers: [Self.key])
        try fixture.carried.wait(forCount: 1)
        try fixture.gateway.stopListening()
        mayAnswer.open()
        Self.expectNotModified(try ResponseReader(waiting).readAll(), isLast: true)

        #expect(try waiting.waitForEnd() == .closed)
        #expect(try fixture.gateway.process.waitForExit() == .exited(0))
    }

    @Test func `a connection that is idle after a 304 closes when the gateway shuts down`() throws {
        let fixture = try Self.fixture()
        let idle = try fixture.gateway.connect()
        Self.expectNotModified(try idle.exchange("GET", Self.page, headers: [Self.key]))
        fixture.gateway.process.terminate()

        #expect(try idle.waitForEnd() == .closed)
        #expect(try fixture.gateway.process.waitForExit() == .exited(0))
    }

    @Test func `each request on a connection with 304 responses has its own log line`() throws {
        let fixture = try Self.fixture(flags: ["--access-log", "on"])
        let connection = try fixture.gateway.connect()
        for _ in 0..<3 { Self.expectNotModified(try connection.exchange("GET", Self.page, headers: [Self.key])) }

        #expect(try connection.exchange("GET", "/health").status == 200)

        try fixture.gateway.process.output.wait("four lines", within: .seconds(10)) { lines in
            lines.count { $0.text.contains(Self.page) && $0.text.contains("304") } == 3
        }
        // The log line of the next request does not contain values of an earlier one.
        let health = try fixture.gateway.process.waitForLine(on: .error) { $0.contains("/health") }

        #expect(!health.contains("demo"))
    }
}
