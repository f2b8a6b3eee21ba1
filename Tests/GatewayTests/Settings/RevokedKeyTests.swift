// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests that a reload that removes a key aborts only the exchanges that the key opened.
@Suite(.onTestThreads) struct RevokedKeyTests {
    /// A key that remains valid. The other key, ``GatewayUnderTest/key``, is revoked.
    private static let remaining = "the-key-that-is-kept-0123456789"
    private static let limit = Duration.seconds(1)

    private let files: TemporaryDirectory

    init() throws { files = try TemporaryDirectory() }

    /// Returns the environment of a gateway whose keys are in a file.
    private func environment(_ more: [String: String] = [:]) throws -> [String: String] {
        let keys = try files.write("\(GatewayUnderTest.key)\n\(Self.remaining)\n", to: "keys", mode: 0o600)
        return ["VIBE_AUTH_SECRET": "", "VIBE_KEY_FILE": keys, "VIBE_THREADS": "2"].merging(more) { $1 }
    }

    /// Removes the first key, and waits until the gateway has logged the number of aborted exchanges.
    private func revoke(_ gateway: GatewayUnderTest, aborts requests: Int, tunnels: Int = 0) throws {
        _ = try files.write("\(Self.remaining)\n", to: "keys", mode: 0o600)
        gateway.process.terminate(SIGHUP)
        try gateway.process.waitForLine(on: .error, within: .seconds(20)) {
            $0.contains("requests with a revoked key aborted")
                && $0.contains(#""requests":\#(requests),"tunnels":\#(tunnels),"chats":0"#)
        }
    }

    private func send(
        _ gateway: GatewayUnderTest, _ target: String, method: String = "GET", key: String = GatewayUnderTest.key,
        fields: String = "", version: String = "1.1"
    ) throws -> TestConnection {
        let connection = try gateway.connect()
        try connection.write(
            "\(method) \(target) HTTP/\(version)\r\nHost: x\r\nAuthorization: Bearer \(key)\r\n\(fields)\r\n")
        return connection
    }

    private static let upgrade = """
        Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n
        """

    /// Starts an instance with a stream, a terminal, an upload and a prompt that never end by themselves.
    private func endless() throws -> FakeOpenCode.Server {
        try FakeOpenCode().start { connection, head in
            switch head.path {
            case "/event":
                try connection.writeHead(
                    200, headers: [("Content-Type", "text/event-stream"), ("Transfer-Encoding", "chunked")])
                try connection.writeChunk("data: before\n\n")
            case "/pty/1/connect":
                try connection.acceptWebSocket(early: "prompt>")
            default: break
            }
            _ = try connection.readUntilEnd(within: .seconds(60))
        }
    }

    @Test func `streams, terminals, uploads and prompts of a revoked key are aborted within a second`() throws {
        let instance = try endless()
        let gateway = try GatewayUnderTest(environment: try environment())
        try gateway.start(instance)
        let api = "/projects/demo/api"
        let stream = EventStreamReader(try send(gateway, "\(api)/event"))

        #expect(try stream.next() == "before")

        // Only a reset shows a client of HTTP/1.0 that a stream is incomplete.
        let old = try send(gateway, "\(api)/event", version: "1.0")
        _ = try old.readThrough("data: before\n\n", waitingFor: "the beginning")
        let terminal = try send(gateway, "\(api)/pty/1/connect", fields: Self.upgrade)
        _ = try terminal.readThrough("prompt>", waitingFor: "the beginning")
        let upload = try send(gateway, "\(api)/upload", method: "POST", fields: "Content-Length: 10000000\r\n")
        try upload.write([UInt8](repeating: 0x61, count: 200_000))
        let prompt = try send(gateway, "\(api)/session/ses_1/message", method: "POST", fields: "Content-Length: 2\r\n")
        try prompt.write("{}")
        let keptStream = EventStreamReader(try send(gateway, "\(api)/event", key: Self.remaining))

        #expect(try keptStream.next() == "before")

        let keptTerminal = try send(gateway, "\(api)/pty/1/connect", key: Self.remaining, fields: Self.upgrade)
        _ = try keptTerminal.readThrough("prompt>", waitingFor: "the beginning")
        // Two streams, a terminal, an upload and a prompt, and the two requests of the other key.
        try instance.requests.wait(forCount: 7)

        try revoke(gateway, aborts: 4, tunnels: 1)

        #expect(try stream.next(within: Self.limit) == nil)
        #expect(stream.response.ending == .truncated)
        #expect(try old.waitForEnd(within: Self.limit) == .reset)

        _ = try terminal.waitForEnd(within: Self.limit)

        #expect(try prompt.readUntilEnd(within: Self.limit).0.isEmpty)
        #expect(try upload.readUntilEnd(within: Self.limit).0.isEmpty)

        // The exchanges of the other key continue. All others have ended at the instance.
        try instance.server.wait(forActiveConnections: 2)

        #expect(try keptTerminal.staysSilent(for: .milliseconds(100)))
    }

    @Test func `the hub's streams and pages of a revoked key are aborted`() throws {
        let fixture = try HubFixture(environment: try environment())
        let opened = try [
            fixture.open(), fixture.open("/event"), fixture.openGatewayStream(),
            fixture.openGatewayStream(path: "/events"),
        ]
        for stream in opened.prefix(2) { try stream.connected() }
        for stream in opened.suffix(2) { _ = try stream.next() }
        let page = try send(fixture.gateway, "/projects/demo/events?wait=30")
        let check = EventStreamReader(try send(fixture.gateway, "/check/stream?duration=30"))
        _ = try check.nextBlock()

        #expect(try page.staysSilent(for: .milliseconds(300)))

        try revoke(fixture.gateway, aborts: 6)

        #expect(try page.readUntilEnd(within: Self.limit).0.isEmpty)

        for stream in opened { #expect(try stream.endsAbnormally()) }
        while try check.nextBlock(within: Self.limit) != nil {}

        #expect(check.response.ending == .truncated)
    }

    @Test func `a bridged request of a revoked key is aborted`() throws {
        let gateway = try GatewayUnderTest(
            environment: try environment([
                "SIMULATOR_PROFILE": "2.0.15", "SIMULATOR_PACE": "0", "SIMULATOR_ENDS_WITH_PARENT": "1",
            ]), opencode: try BuiltProducts.path("opencode-simulator"))
        try gateway.makeProject("demo")

        #expect(try gateway.request("POST", "/projects/demo/start", within: .seconds(60)).status == 200)

        let session = try gateway.request("POST", "/projects/demo/api/session", body: Array("{}".utf8))
        let id = try #require(session.json["id"]?.text)
        let body = BridgeFixture.prompt("Hello", model: "question")
        let prompt = try send(
            gateway, "/projects/demo/api/session/\(id)/message", method: "POST",
            fields: "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n")
        try prompt.write(body)
        // The turn waits for an answer to its question, and no answer arrives.
        let deadline = Deadline(after: .seconds(20))
        while try gateway.request("GET", "/projects/demo/api/question").json.elements?.isEmpty != false {
            guard deadline.remaining > .zero else { throw TestFailure("nothing was asked") }
        }

        try revoke(gateway, aborts: 1)

        #expect(try prompt.readUntilEnd(within: Self.limit).0.isEmpty)
    }

    @Test func `a key that moves to another line of its file stays the same key`() throws {
        let instance = try endless()
        let gateway = try GatewayUnderTest(environment: try environment())
        try gateway.start(instance)
        let third = "a-third-key-0123456789abcdef"
        let stream = EventStreamReader(try send(gateway, "/projects/demo/api/event"))

        #expect(try stream.next() == "before")

        // The key moves one line down, then it is removed.
        _ = try files.write("\(third)\n\(GatewayUnderTest.key)\n", to: "keys", mode: 0o600)
        gateway.process.terminate(SIGHUP)
        try gateway.waitForLog("settings reloaded")

        #expect(try gateway.request("GET", "/projects").status == 200)

        try revoke(gateway, aborts: 1)

        #expect(try stream.next(within: Self.limit) == nil)
        #expect(stream.response.ending == .truncated)
    }
}
