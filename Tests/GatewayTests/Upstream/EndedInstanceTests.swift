// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import TestThreads
import Testing

/// Tests requests that wait for the end of a turn when their instance or the gateway ends.
@Suite(.onTestThreads) struct EndedInstanceTests {
    private static let message = "/session/ses_1/message"
    private static let body = Array("{}".utf8)
    private static let stopped =
        #"{"detail":"OpenCode instance for demo was stopped through the gateway before it responded. "#
        + #"Check the session before you send the request again."}"#
    private static let ending = #"{"detail":"The gateway is shutting down. Try again in a moment."}"#
    /// The error message for a request that the instance may have received.
    private static let endingBefore =
        #"{"detail":"The gateway is shutting down, and OpenCode instance for demo has not responded yet. "#
        + #"Check the session before you send the request again."}"#

    /// Starts an instance that never responds, and that records when the gateway has released a request.
    private static func silent(_ released: Recorded<Void>, flags: [String] = []) throws -> ProxyFixture {
        try ProxyFixture(flags: flags) { connection, head in
            try connection.waitForEnd(within: .seconds(60))
            released.append(())
            connection.close()
        }
    }

    @Test func `a stop ends pending requests at once with a 503 that reports the stop`() throws {
        let released = Recorded<Void>("a request that the gateway has released")
        let fixture = try Self.silent(released)
        let clients = [
            try fixture.send("POST", Self.message, body: Self.body), try fixture.send("GET", "/x"),
            // Begin a request without completing its body.
            try fixture.send("POST", Self.message, headers: [("Content-Length", "1000000")]),
        ]
        try clients[2].write([UInt8](repeating: 0x20, count: 200_000))
        try fixture.instance.requests.wait(forCount: 3)
        let start = ContinuousClock.now

        #expect(try fixture.gateway.request("DELETE", "/projects/demo/stop").status == 200)

        for client in clients {
            let answer = try ResponseReader(client, method: "POST").readAll()
            #expect(answer.status == 503)
            #expect(answer.text == Self.stopped)
        }
        try released.wait(forCount: 3)

        #expect(.now - start < .seconds(5))
        // The log blames neither the client nor the instance.
        #expect(!fixture.gateway.log.contains { $0.contains("without a response") })
    }

    /// The stop takes as long as the instance needs, but the clients do not wait for the instance.
    @Test func `pending requests receive 503 while an instance that ignores SIGTERM is stopped`() throws {
        let tools = try TemporaryDirectory()
        let stubborn = try tools.write(
            """
            #!/bin/sh
            trap '' TERM
            echo "opencode server listening on http://127.0.0.1:$(cat upstream-port)"
            while kill -0 $PPID; do sleep 0.1; done
            """, to: "opencode", mode: 0o755)
        let instance = try FakeOpenCode().start { connection, _ in try connection.waitForEnd(within: .seconds(60)) }
        // Without the hub's own stream, the client's request is the only one at the instance.
        let gateway = try GatewayUnderTest(
            flags: ["--stop-timeout", "30s"], environment: ["VIBE_EVENT_HUB": "off"], opencode: stubborn)
        try gateway.start(instance)
        let client = try gateway.connect()
        try client.send(
            "POST", ProxyFixture.target(Self.message), headers: [GatewayUnderTest.authorization], body: Self.body)
        try instance.requests.wait(forCount: 1)
        let stop = try gateway.connect()
        try stop.send("DELETE", "/projects/demo/stop", headers: [GatewayUnderTest.authorization])
        let answer = try ResponseReader(client, method: "POST").readAll()

        #expect(answer.status == 503)
        #expect(answer.text == Self.stopped)
        #expect(try stop.staysSilent(for: .milliseconds(100)))

        // The gateway's instance ends together with the gateway.
        gateway.process.terminate(SIGKILL)
    }

    @Test func `a stop ends the project's event streams abnormally`() throws {
        let fixture = try ProxyFixture { connection, _ in
            try connection.writeHead(
                200, headers: [("Content-Type", "text/event-stream"), ("Transfer-Encoding", "chunked")])
            try connection.writeChunk("data: 1\n\n")
            _ = try? connection.readUntilEnd(within: .seconds(30))
        }
        let stream = try fixture.events()

        #expect(try stream.next() == "1")
        #expect(try fixture.gateway.request("DELETE", "/projects/demo/stop").status == 200)

        // A real instance's connections end with its process. Here, the instance belongs to another process.
        for connection in fixture.instance.server.connections.values { connection.close() }

        #expect(try stream.next() == nil)
        #expect(stream.response.endingInNode20 == .truncated || stream.response.endingInNode20 == .reset)
    }

    @Test func `pending requests receive 503 when the shutdown's --drain-timeout is over`() throws {
        let released = Recorded<Void>("a request that the gateway has released")
        let fixture = try Self.silent(released, flags: ["--drain-timeout", "700ms"])
        let prompt = try fixture.send("POST", Self.message, body: Self.body)
        let request = try fixture.send("GET", "/x")
        try fixture.instance.requests.wait(forCount: 2)
        let start = ContinuousClock.now
        fixture.gateway.process.terminate()
        let answer = try ResponseReader(prompt, method: "POST").readAll()

        #expect(.now - start >= .milliseconds(700))
        // A client that repeats the request without checking the session would run it twice.
        #expect(answer.status == 503)
        #expect(answer.text == Self.endingBefore)
        #expect(answer.value(of: "Retry-After") == nil)

        let other = try ResponseReader(request).readAll()

        #expect(other.status == 503)
        #expect(other.text == Self.ending)
        #expect(try fixture.gateway.process.waitForExit() == .exited(0))
    }

    @Test func `an instance that ends during the shutdown is not reported as failed`() throws {
        let mayEnd = Latch("the gateway to be ending")
        let fixture = try ProxyFixture(flags: ["--drain-timeout", "20s"]) { connection, _ in
            try mayEnd.wait()
            connection.close()
        }
        let client = try fixture.send("POST", Self.message, body: Self.body)
        try fixture.instance.requests.wait(forCount: 1)
        try fixture.gateway.stopListening()
        mayEnd.open()
        let answer = try ResponseReader(client, method: "POST").readAll()

        #expect(answer.status == 503)
        #expect(answer.text == Self.endingBefore)
        #expect(!fixture.gateway.log.contains { $0.contains("without a response") })
    }

    @Test func `a prompt that does not reach its instance during the shutdown may be repeated`() throws {
        let fixture = try ProxyFixture(environment: ["VIBE_EVENT_HUB": "off"]) { _, _ in }
        let client = try fixture.gateway.startRequest(
            "POST", ProxyFixture.target(Self.message), fields: "Content-Length: 2\r\n")
        try fixture.gateway.stopListening()
        fixture.instance.server.refuse()
        try client.write("\r\n{}")
        let answer = try ResponseReader(client, method: "POST").readAll()

        #expect(answer.status == 503)
        #expect(answer.text == Self.ending)
    }

    @Test func `a stream that would begin during the shutdown is rejected with 503`() throws {
        let mayBegin = Latch("the gateway to be ending")
        let fixture = try ProxyFixture { connection, _ in
            try mayBegin.wait()
            try connection.writeHead(
                200, headers: [("Content-Type", "text/event-stream"), ("Transfer-Encoding", "chunked")])
            _ = try? connection.readUntilEnd(within: .seconds(30))
        }
        let client = try fixture.send("GET", "/event")
        try fixture.instance.requests.wait(forCount: 1)
        try fixture.gateway.stopListening()
        mayBegin.open()
        let answer = try ResponseReader(client).readAll()

        #expect(answer.status == 503)
        #expect(answer.text == Self.ending)
    }

    @Test func `an instance that crashes during a request causes a 502`() throws {
        let fixture = try SimulatorFixture("crash-at=/session")
        try fixture.start()
        let answer = try fixture.gateway.request(
            "POST", ProxyFixture.target("/session"), body: Self.body, within: SimulatorFixture.patience)

        #expect(answer.status == 502)
        #expect(answer.text.hasPrefix(#"{"detail":"Proxy error: OpenCode ended the connection without a response ("#))
    }
}
