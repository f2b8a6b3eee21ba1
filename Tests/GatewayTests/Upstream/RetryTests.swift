// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

/// Tests requests during which an instance closes a kept-alive connection. The gateway repeats the request once if this
/// is safe (RFC 9110 §9.2.2), and otherwise never.
@Suite(.onTestThreads) struct RetryTests {
    private typealias Steps = [FakeOpenCode.Step]

    private static let answer: Steps = [.respond("answered")]
    private static let answerThenClose = answer + [.close]
    private static let answerThenReset = answer + [.reset]

    /// Starts an instance that reacts to its next requests according to `script`, and responds to all later requests
    /// normally.
    private static func fixture(_ script: Steps...) throws -> ProxyFixture {
        try ProxyFixture(FakeOpenCode().script(script, later: answer))
    }

    @Test func `kept-alive connections are reused`() throws {
        let fixture = try Self.fixture()
        for method in ["GET", "HEAD", "GET", "OPTIONS", "GET"] {
            #expect(try fixture.request(method, "/x").status == 200)
        }

        #expect(Set(fixture.carried.values.map(\.port)).count == 1)
    }

    @Test(arguments: [false, true])
    func `a connection that the instance closed while it was idle is replaced`(byReset: Bool) throws {
        let fixture = try Self.fixture(byReset ? Self.answerThenReset : Self.answerThenClose)

        #expect(try fixture.request("GET", "/1").text == "answered")

        try fixture.instance.ended.wait(forCount: 1)

        #expect(try fixture.request("GET", "/2").text == "answered")
        #expect(fixture.deliveries(of: "/2") == 1)
        #expect(fixture.port(of: "/1") != fixture.port(of: "/2"))
    }

    @Test(arguments: ["GET", "HEAD", "OPTIONS", "PUT", "DELETE"], [false, true])
    func `an idempotent request is repeated if its kept-alive connection closes`(method: String, byReset: Bool) throws {
        let fixture = try Self.fixture(Self.answer, byReset ? [.reset] : [.close])

        #expect(try fixture.request("GET", "/1").status == 200)

        let body = method == "PUT" ? Array("hello".utf8) : nil
        let answer = try fixture.request(method, "/2", body: body)

        #expect(answer.status == 200)
        #expect(fixture.deliveries(of: "/2") == 2)

        let ports = fixture.carried.values.filter { $0.target == "/2" }.map(\.port)

        #expect(ports.first == fixture.port(of: "/1"))
        #expect(ports.last != fixture.port(of: "/1"))

        if method == "PUT" { #expect(fixture.instance.bodies.values.map(\.text).suffix(2) == ["hello", "hello"]) }
    }

    @Test func `an idempotent request is repeated only once`() throws {
        let fixture = try Self.fixture(Self.answer, [.close], [.close], [.close])

        #expect(try fixture.request("GET", "/1").status == 200)
        #expect(try fixture.request("GET", "/2").status == 502)
        #expect(fixture.deliveries(of: "/2") == 2)
    }

    @Test func `several stale connections do not cause several repeats`() throws {
        let waiting = Recorded<Int>("a request at the instance")
        let letGo = Latch("the answers to be sent")
        let fixture = try ProxyFixture { connection, head in
            if head.path == "/2" { return connection.close() }
            waiting.append(0)
            try letGo.wait()
            try connection.respond(200, text: "answered")
        }
        // Send four requests at the same time, so that the gateway keeps four connections.
        let clients = try (0..<4).map { _ in try fixture.send("GET", "/1") }
        try waiting.wait(forCount: 4)
        letGo.open()
        for client in clients { #expect(try ResponseReader(client).readAll().status == 200) }

        #expect(try fixture.request("GET", "/2").status == 502)
        #expect(fixture.deliveries(of: "/2") == 2)
    }

    @Test(arguments: ProxyFixture.carriers)
    func `a request that fails on a new connection is not repeated`(method: String) throws {
        let waiting = Latch("the request that keeps the only kept connection busy")
        let letGo = Latch("the answer to be sent")
        let fixture = try ProxyFixture { connection, head in
            guard head.path == "/busy" else { return connection.close() }
            waiting.open()
            try letGo.wait()
            try connection.respond(200, text: "answered")
        }
        // The request uses the connection of the health check.
        let busy = try fixture.send("GET", "/busy")
        try waiting.wait()

        #expect(try fixture.request(method, "/1").status == 502)
        #expect(fixture.deliveries(of: "/1") == 1)

        letGo.open()

        #expect(try ResponseReader(busy).readAll().text == "answered")
    }

    @Test(arguments: ["POST", "PATCH"], [false, true])
    func `a request that is not idempotent is delivered only once`(method: String, byReset: Bool) throws {
        let (fixture, answers) = try Self.withinASecond {
            try Self.fixture(Self.answer, byReset ? [.reset] : [.close])
        } _: { fixture in
            try Self.inSequence(fixture, [("GET", "/1"), (method, "/2")])
        }

        #expect(answers.map(\.status) == [200, 502])
        #expect(fixture.deliveries(of: "/2") == 1)
        #expect(fixture.port(of: "/1") == fixture.port(of: "/2"))
        #expect(
            answers[1].text.hasPrefix(#"{"detail":"Proxy error: OpenCode ended the connection without a response ("#))
        #expect(
            answers[1].text.contains("OpenCode of project demo may have received the request, for example a prompt."))
        #expect(answers[1].text.contains("Check the session before you send the request again."))
    }

    /// Runs a test step that must complete within a second. The step is repeated with a new fixture if any thread had
    /// to wait for the processor.
    private static func withinASecond<Result>(
        _ make: () throws -> ProxyFixture, _ use: (ProxyFixture) throws -> Result
    ) throws -> (ProxyFixture, Result) {
        for _ in 0..<20 {
            let fixture = try make()
            let start = ContinuousClock.now
            let result = try use(fixture)
            if .now - start < .seconds(1) { return (fixture, result) }
        }
        throw TestFailure("it took more than a second twenty times")
    }

    /// Sends requests on one connection to the gateway, each directly after the response to the previous request.
    private static func inSequence(
        _ fixture: ProxyFixture, _ requests: [(method: String, path: String)]
    ) throws -> [TestResponse] {
        let client = try fixture.gateway.connect()
        return try requests.map { method, path in
            try client.exchange(
                method, ProxyFixture.target(path), headers: [GatewayUnderTest.authorization],
                body: method == "GET" ? nil : Array("{}".utf8))
        }
    }

    @Test(arguments: ["POST", "PATCH", "PUT"])
    func `a connection used within the last second carries a request that must not be repeated`(method: String) throws {
        // The gateway must not repeat a PUT with a streamed body, either.
        let body = [UInt8](repeating: 120, count: method == "PUT" ? 300_000 : 1024)
        let (fixture, texts) = try Self.withinASecond {
            try Self.fixture()
        } _: { fixture in
            _ = try fixture.request("GET", "/1")
            return try ["/2", "/3", "/4"].map { try fixture.request(method, $0, body: body).text }
        }

        #expect(texts == ["answered", "answered", "answered"])
        #expect(fixture.carried.values.count == 4)
        #expect(Set(fixture.carried.values.map(\.port)).count == 1)
    }

    @Test(arguments: ["POST", "PATCH", "PUT"])
    func `a connection that was idle for a second carries only requests that may be repeated`(method: String) throws {
        let fixture = try Self.fixture()
        let body = [UInt8](repeating: 120, count: method == "PUT" ? 300_000 : 1024)
        let client = try fixture.gateway.connect()
        _ = try fixture.request("GET", "/1")
        try client.pause(.milliseconds(1050))

        #expect(try fixture.request(method, "/2", body: body).text == "answered")
        #expect(fixture.port(of: "/1") != fixture.port(of: "/2"))
        // Both connections are kept for other requests.
        #expect(try fixture.request("GET", "/3").text == "answered")
        #expect(Set(fixture.carried.values.map(\.port)).count == 2)
    }

    @Test(arguments: ["POST", "PATCH"])
    func `a request that is not idempotent is never sent on a stale connection`(method: String) throws {
        let fixture = try Self.fixture(Self.answerThenClose)

        #expect(try fixture.request("GET", "/1").status == 200)

        try fixture.instance.ended.wait(forCount: 1)

        #expect(try fixture.request(method, "/2", body: Array("{}".utf8)).text == "answered")
        #expect(fixture.deliveries(of: "/2") == 1)
    }

    @Test func `a request is not repeated after its response has begun`() throws {
        let fixture = try ProxyFixture { connection, head in
            guard head.path == "/2" else { return try connection.respond(200, text: "answered") }
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
            connection.close()
        }

        #expect(try fixture.request("GET", "/1").status == 200)

        let answer = try fixture.request("GET", "/2")

        #expect(answer.text == "hello")
        #expect(answer.ending != .complete)
        #expect(fixture.deliveries(of: "/2") == 1)
    }

    @Test func `unsolicited bytes between two responses end the instance's connection`() throws {
        let answered = Latch("the client to have its answer")
        let sent = Latch("the surplus to be sent")
        let fixture = try ProxyFixture { connection, head in
            try connection.respond(200, text: "answered")
            guard head.path == "/1" else { return }
            try answered.wait()
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison")
            sent.open()
        }

        #expect(try fixture.request("GET", "/1").text == "answered")

        answered.open()
        try sent.wait()

        // The unsolicited bytes belong to no request.
        #expect(try fixture.request("GET", "/2").text == "answered")
        #expect(fixture.port(of: "/1") != fixture.port(of: "/2"))
    }

    @Test(arguments: [false, true], ProxyFixture.carriers)
    func `surplus bytes after a body never become the next response`(isChunked: Bool, method: String) throws {
        let fixture = try ProxyFixture { connection, head in
            guard head.path == "/1" else { return try connection.respond(200, text: "answered") }
            let body =
                isChunked
                ? "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n" : "Content-Length: 5\r\n\r\nhello"
            try connection.write("HTTP/1.1 200 OK\r\n\(body)HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison")
        }
        let answer = try fixture.request(method, "/1")

        #expect(answer.status == 502 || answer.ending != .complete)
        #expect(try fixture.request("GET", "/2").text == "answered")
        #expect(fixture.port(of: "/1") != fixture.port(of: "/2"))
    }

    @Test(
        arguments: ["204 No Content\r\n\r\n", "200 OK\r\nContent-Length: 0\r\n\r\n", "304 Not Modified\r\n\r\n"],
        ProxyFixture.carriers)
    func `surplus bytes after a response without a body never become the next response`(head: String, method: String)
        throws
    {
        let fixture = try ProxyFixture { connection, request in
            guard request.path == "/1" else { return try connection.respond(200, text: "answered") }
            try connection.write("HTTP/1.1 \(head)HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison")
        }

        for _ in 0..<3 {
            let answer = try fixture.request(method, "/1")
            #expect(answer.status == 502)
            #expect(try fixture.request("GET", "/2").text == "answered")
            #expect(fixture.port(of: "/1") != fixture.port(of: "/2"))
        }
    }
}
