// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests that the end of a named key ends everything that the key has opened, abnormally and within a second.
@Suite(.onTestThreads) struct KeyRevocationTests {
    private static let limit = Duration.seconds(1)
    /// The tests poll with one key until it expires.
    private static let environment = ["VIBE_KEY_RATE": "none", "VIBE_FAILED_TRIES": "0"]

    /// The ways in which a key loses its rights.
    enum Ending: CaseIterable {
        case revoked, rotated, expired, narrowed

        /// The members of the key, which has the scope `run`.
        var members: [String] {
            [#""allow":"run""#] + (self == .expired ? [#""expires":"4s""#] : [])
        }

        /// Ends the key, and returns after the gateway has ended its operations.
        func end(_ key: NamedKey, of gateway: GatewayUnderTest) throws {
            let target = "/-/keys/\(key.id)"
            switch self {
            case .revoked: #expect(try gateway.request("DELETE", target).status == 204)
            case .rotated: #expect(try gateway.request("POST", "\(target)/rotate").status == 200)
            case .narrowed: #expect(try gateway.json("PATCH", target, #"{"allow":"read"}"#).status == 200)
            case .expired:
                let deadline = Deadline(after: .seconds(20))
                // A request that is in progress when the key expires is aborted.
                while (try? gateway.request("GET", "/projects", key: key).status) != 401 {
                    guard deadline.remaining > .zero else { throw TestFailure("the key does not expire") }
                }
            }
        }
    }

    private static let upgrade = """
        Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n
        """

    private func send(
        _ gateway: GatewayUnderTest, _ target: String, key: NamedKey, method: String = "GET", fields: String = ""
    ) throws -> TestConnection {
        let connection = try gateway.connect()
        try connection.write(
            "\(method) \(target) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(key.token)\r\n\(fields)\r\n")
        return connection
    }

    /// Starts an instance with a stream, a terminal, an upload and a prompt that never end by themselves.
    private func endless() throws -> FakeOpenCode.Server {
        try FakeOpenCode().start { connection, head in
            switch head.path {
            case "/event":
                try connection.writeHead(
                    200, headers: [("Content-Type", "text/event-stream"), ("Transfer-Encoding", "chunked")])
                try connection.writeChunk("data: before\n\n")
            case "/pty/1/connect": try connection.acceptWebSocket(early: "prompt>")
            default: break
            }
            _ = try connection.readUntilEnd(within: .seconds(60))
        }
    }

    @Test(arguments: Ending.allCases)
    func `terminals, uploads and prompts of a key end`(ending: Ending) throws {
        let instance = try endless()
        let gateway = try GatewayUnderTest(environment: Self.environment)
        try gateway.start(instance)
        let api = "/projects/demo/api"
        let other = try gateway.createKey("other")
        let kept = EventStreamReader(try send(gateway, "\(api)/event", key: other))

        #expect(try kept.next() == "before")

        let key = try gateway.createKey("phone", ending.members.joined(separator: ","))
        let terminal = try send(gateway, "\(api)/pty/1/connect", key: key, fields: Self.upgrade)
        _ = try terminal.readThrough("prompt>", waitingFor: "the beginning")
        let upload = try send(
            gateway, "\(api)/upload", key: key, method: "POST", fields: "Content-Length: 10000000\r\n")
        try upload.write([UInt8](repeating: 0x61, count: 200_000))
        let prompt = try send(
            gateway, "\(api)/session/ses_1/message", key: key, method: "POST", fields: "Content-Length: 2\r\n")
        try prompt.write("{}")
        try instance.requests.wait(forCount: 4)

        try ending.end(key, of: gateway)

        _ = try terminal.waitForEnd(within: Self.limit)

        #expect(try prompt.readUntilEnd(within: Self.limit).0.isEmpty)
        #expect(try upload.readUntilEnd(within: Self.limit).0.isEmpty)

        // The stream of the other key continues. All others have ended at the instance.
        try instance.server.wait(forActiveConnections: 1)
    }

    @Test(arguments: [Ending.revoked, .rotated, .expired])
    func `streams of a key end`(ending: Ending) throws {
        let fixture = try HubFixture(environment: Self.environment)
        let gateway = fixture.gateway
        let key = try gateway.createKey("phone", ending.members.joined(separator: ","))
        let targets = [
            "/projects/demo/api/global/event", "/projects/demo/api/event", "/projects/demo/events", "/events",
        ]
        let streams = try targets.map { EventStreamReader(try send(gateway, $0, key: key)) }
        for stream in streams { #expect(try stream.nextBlock() != nil) }
        let page = try send(gateway, "/projects/demo/events?wait=30", key: key)

        // The gateway has accepted the request before the key ends.
        #expect(try page.staysSilent(for: .milliseconds(300)))

        try ending.end(key, of: gateway)

        for stream in streams {
            while try stream.nextBlock(within: Self.limit) != nil {}
            #expect(stream.response.ending == .truncated)
        }
        #expect(try page.readUntilEnd(within: Self.limit).0.isEmpty)
    }

    /// A key that expires while the expiry of another one is published must not be overlooked.
    @Test func `the streams of all keys that expire at nearly the same time end`() throws {
        let fixture = try HubFixture(environment: Self.environment)
        let streams = try (1...8).map { number in
            let key = try fixture.gateway.createKey("key \(number)", #""expires":"3s""#)
            return EventStreamReader(try send(fixture.gateway, "/projects/demo/events", key: key))
        }
        for stream in streams { #expect(try stream.nextBlock() != nil) }
        for stream in streams {
            while try stream.nextBlock(within: .seconds(10)) != nil {}
            #expect(stream.response.ending == .truncated)
        }
    }

    /// The stream of all events ends with each restriction of its key, because it was begun with the rights of that
    /// time.
    @Test func `the stream of all events of a narrowed key ends, and that of a project continues`() throws {
        let fixture = try HubFixture(environment: Self.environment)
        let gateway = fixture.gateway
        let key = try gateway.createKey("phone", #""allow":"run""#)
        let all = EventStreamReader(try send(gateway, "/events", key: key))
        let one = EventStreamReader(try send(gateway, "/projects/demo/events", key: key))
        for stream in [all, one] { #expect(try stream.nextBlock() != nil) }

        try Ending.narrowed.end(key, of: gateway)
        fixture.sendEvents(1...1)

        while try all.nextBlock(within: Self.limit) != nil {}

        #expect(all.response.ending == .truncated)

        while try one.nextBlock()?.contains("evt_1") == false {}
    }

    @Test(arguments: Ending.allCases)
    func `a chat of a key ends`(ending: Ending) throws {
        let fixture = try SimulatorFixture(
            environment: Self.environment.merging(["SIMULATOR_PROFILE": "1.18.33"]) { $1 })
        let key = try fixture.gateway.createKey("phone", ending.members.joined(separator: ","))
        let connection = try TestClient.connect(port: fixture.gateway.port)
        try connection.send("GET", "/chat", headers: [key.authorization] + TestConnection.webSocketUpgrade)

        #expect(try ResponseReader(connection).readHead().status == 101)

        try ending.end(key, of: fixture.gateway)

        // The close frame has the code 1008 (RFC 6455 §7.4.1).
        let deadline = Deadline(after: Self.limit)
        while true {
            let start = try connection.readExactly(2, within: deadline.remaining)
            var length = Int(start[1] & 0x7F)
            if length == 126 {
                length = try connection.readExactly(2, within: deadline.remaining).reduce(0) { $0 << 8 | Int($1) }
            }
            let payload = try connection.readExactly(length, within: deadline.remaining)
            guard start[0] == 0x88 else { continue }
            #expect(payload.prefix(2) == [0x03, 0xF0])
            break
        }
    }

    @Test(arguments: Ending.allCases)
    func `a queued start of a key is refused, and the instance starts`(ending: Ending) throws {
        let instance = try FakeOpenCode().start { connection, _ in try connection.respond(200, text: "{}") }
        let tools = try TemporaryDirectory()
        let slow = try tools.write(
            """
            #!/bin/sh
            while ! test -e go; do sleep 0.1; done
            echo "opencode server listening on http://127.0.0.1:$(cat upstream-port)"
            exec tail -f --pid=$PPID /dev/null
            """, to: "opencode", mode: 0o755)
        let gateway = try GatewayUnderTest(
            environment: Self.environment.merging(["VIBE_EVENT_HUB": "off"]) { $1 }, opencode: slow)
        try gateway.prepare(instance)
        let key = try gateway.createKey("phone", ending.members.joined(separator: ","))
        let start = try send(gateway, "/projects/demo/start", key: key, method: "POST", fields: "Content-Length: 0\r\n")
        let deadline = Deadline(after: .seconds(20))
        while try gateway.request("GET", "/projects/demo/status").json["state"]?.text == "stopped" {
            guard deadline.remaining > .zero else { throw TestFailure("the start does not begin") }
        }

        try ending.end(key, of: gateway)
        let response = try ResponseReader(start).readHead(within: Self.limit)

        #expect(response.status == 401)

        _ = try gateway.home.write("", to: "demo/go")

        #expect(try gateway.request("POST", "/projects/demo/start", within: .seconds(30)).status == 200)
        #expect(
            try gateway.request("GET", "/projects/demo/history").text.components(of: #""event":"started""#) == 1)
    }
}

extension String {
    /// Returns how often the text contains another text.
    fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
