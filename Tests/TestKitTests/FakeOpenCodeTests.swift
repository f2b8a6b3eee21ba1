// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

/// Tests the fake OpenCode server.
@Suite(.onTestThreads) struct FakeOpenCodeTests {
    private static let forwarded = [("Via", "1.1 gateway")]

    private static func request(
        _ instance: FakeOpenCode.Server, _ method: String = "GET", _ target: String, headers: [(String, String)] = []
    ) throws -> TestResponse {
        try TestClient.request(port: instance.port, method, target, headers: headers)
    }

    @Test func `a request without a matching route is answered with its target`() throws {
        let instance = try FakeOpenCode().start()

        let answer = try Self.request(instance, "GET", "/a?b=c")

        #expect(answer.status == 200)
        #expect(answer.text == "/a?b=c")
        #expect(instance.requests.values.map(\.target) == ["/a?b=c"])
    }

    @Test func `the health check needs the password if the instance requires one`() throws {
        let instance = try FakeOpenCode(version: "1.2").requiringPassword().start()

        let refused = try Self.request(instance, "GET", "/global/health")
        let answer = try Self.request(instance, "GET", "/global/health", headers: [("Authorization", "Basic eDp5")])

        #expect(refused.status == 401)
        #expect(answer.text == #"{"healthy":true,"version":"1.2"}"#)
        #expect(instance.requests.count == 0)
    }

    @Test func `only a query of the gateway itself is answered as a query`() throws {
        let instance = try FakeOpenCode().query("/config", #"{"a":1}"#).query("/path", nil).start()

        #expect(try Self.request(instance, "GET", "/config").text == #"{"a":1}"#)
        #expect(try Self.request(instance, "GET", "/config", headers: Self.forwarded).text == "/config")
        #expect(try Self.request(instance, "GET", "/path").text == "/path")
        #expect(instance.queries.values == ["/path"])
        #expect(instance.forwarded.values.map(\.target) == ["/config"])
    }

    @Test func `the most recent route that matches serves a request`() throws {
        let instance = try FakeOpenCode().route("/session/*", "[1]").route("GET /session/ses_1", "[2]")
            .route("POST /raw", bytes: "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n").start()
        instance.route("GET /session/ses_2", "[3]")

        #expect(try Self.request(instance, "GET", "/session/ses_1?x=y").text == "[2]")
        #expect(try Self.request(instance, "PUT", "/session/ses_1").text == "[1]")
        #expect(try Self.request(instance, "GET", "/session/ses_2").text == "[3]")
        #expect(try Self.request(instance, "GET", "/session/ses_2/message").text == "/session/ses_2/message")
        #expect(try Self.request(instance, "POST", "/raw").status == 202)
    }

    @Test func `a script serves one request after the other`() throws {
        let instance = try FakeOpenCode().script([[.respond("one")], [.close], [.respond("three"), .reset]])
            .start { connection, _ in try connection.respond(200, text: "later") }

        #expect(try Self.request(instance, "GET", "/").text == "one")
        #expect(throws: TestKitError.self) { try Self.request(instance, "GET", "/") }
        #expect(try Self.request(instance, "HEAD", "/").text == "")
        #expect(try Self.request(instance, "GET", "/").text == "later")

        try instance.ended.wait(forCount: 2)
    }

    @Test func `an upgrade is accepted by a WebSocket route only`() throws {
        let instance = try FakeOpenCode().webSocket("GET /pty/*/connect", early: "hi") { try $0.write(" there") }
            .start()

        let upgrade = try TestClient.connect(port: instance.port)
        try upgrade.send("GET", "/pty/1/connect", headers: [("Connection", "Upgrade"), ("Upgrade", "websocket")])

        #expect(try ResponseReader(upgrade).readHead().status == 101)
        #expect(try Self.request(instance, "GET", "/pty/1/connect").text == "/pty/1/connect")
    }

    @Test(arguments: [false, true])
    func `an event stream begins with its first event and sends the test's events`(keepsEvents: Bool) throws {
        let streams = FakeOpenCode.EventStreams(first: "first", replaysEvents: keepsEvents)
        let instance = try FakeOpenCode(.two()).events(streams, at: ["/api/event"]).start()
        instance.events.send("data: early\n\n")

        let connection = try TestClient.connect(port: instance.port)
        try connection.send("GET", "/api/event")
        let reader = EventStreamReader(connection)
        let first = try reader.next()
        instance.events.send("data: late\n\n")
        let second = try reader.next()
        instance.events.close(.clean)

        #expect(first == "first")
        #expect(second == (keepsEvents ? "early" : "late"))

        while try reader.next() != nil {}

        #expect(reader.response.ending == .complete)
    }

    @Test func `streams are rejected until the test allows them`() throws {
        let instance = try FakeOpenCode().events().start()
        instance.events.refuse(.error)

        #expect(try Self.request(instance, "GET", "/global/event").status == 500)

        instance.events.refuse(nil)
        let connection = try TestClient.connect(port: instance.port)
        try connection.send("GET", "/global/event")

        #expect(try EventStreamReader(connection).next() == FakeOpenCode.EventStreams.connected)
        #expect(instance.events.openings.count == 1)
        #expect(instance.directoryEvents.openings.count == 0)
    }
}
