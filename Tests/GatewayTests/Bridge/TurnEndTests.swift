// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests the order of responses and events at the end of a turn. Clients of OpenCode 1 rely on it: `opencode run
/// --attach` stops reading when it receives the response to its prompt, and all clients treat `session.idle` as the end
/// of the last prompt.
@Suite("The end of a translated turn", .onTestThreads)
struct TurnEndTests {
    private static let prompt = Array(BridgeFixture.prompt("Hello").utf8)
    private static let json = [("Content-Type", "application/json")]
    /// How long an instance holds events back after its response. It is less than the time that the gateway waits for
    /// them.
    private static let lag = Duration.milliseconds(100)

    /// Publishes as soon as the gateway has continued without the events, or after a delay.
    private static func publishLate(
        _ instance: TurnFixture, unless entry: String, _ publish: @escaping @Sendable () -> Void
    ) throws -> TestThread {
        try TestThread {
            _ = try? instance.history.wait("\(entry)", within: lag) { $0.contains(entry) }
            instance.record("published")
            publish()
        }
    }

    @Test func `a blocking prompt is answered after its events were written to the streams`() throws {
        let instance = TurnFixture()
        let fixture = try instance.start()
        let client = try instance.openEvents(fixture)
        instance.isIdle.open()
        instance.maySendList.open()
        let post = try fixture.send("POST", "/session/ses_1/message", headers: Self.json, body: Self.prompt)
        try instance.history.wait("the wait") { $0.contains("wait") }

        let publisher = try Self.publishLate(instance, unless: "list") {
            instance.publishBeginning()
            instance.publishEnd()
        }
        let frames = try TranslatedStreamTests.receive(client)
        let answer = try ResponseReader(post, method: "POST").readAll()

        publisher.join()

        #expect(answer.status == 200, "\(answer.text)")
        #expect(frames.contains { $0.type == "message.part.delta" })

        let order = instance.history.values.filter { $0 == "published" || $0 == "list" }

        #expect(order == ["published", "list"])
    }

    @Test func `session.idle follows the answer to the blocking prompt`() throws {
        let instance = TurnFixture()
        let fixture = try instance.start()
        let client = try instance.openEvents(fixture)
        let post = try fixture.send("POST", "/session/ses_1/message", headers: Self.json, body: Self.prompt)
        try instance.history.wait("the wait") { $0.contains("wait") }

        instance.publishBeginning()
        instance.publishEnd()
        instance.isIdle.open()
        let reported = try TranslatedStreamTests.receive(client) {
            $0.content["properties"]?["info"]?["time"]?["completed"] != nil
        }
        try instance.history.wait("the list") { $0.contains("list") }

        #expect(!reported.contains { $0.type == "session.idle" })
        // The gateway has not sent the response yet, so it has not sent the end either.
        #expect(throws: TestKitError.self) {
            while let frame = try client.next(within: .milliseconds(150)) {
                if frame.content["properties"]?["status"]?["type"] == "idle" { return }
            }
        }

        instance.maySendList.open()
        let answer = try ResponseReader(post, method: "POST").readAll()

        #expect(answer.status == 200, "\(answer.text)")

        _ = try TranslatedStreamTests.receive(client)
    }

    @Test func `a missing answer holds session.idle for a bounded time`() throws {
        let instance = TurnFixture()
        let fixture = try instance.start()
        let client = try instance.openEvents(fixture)
        let post = try fixture.send("POST", "/session/ses_1/message", headers: Self.json, body: Self.prompt)
        try instance.history.wait("the wait") { $0.contains("wait") }

        instance.publishBeginning()
        instance.publishEnd()

        _ = try TranslatedStreamTests.receive(client)
        post.close()
        instance.isIdle.open()
    }

    @Test(arguments: [true, false])
    func `a blocking prompt whose end is never published is answered in a bounded time`(hasStream: Bool) throws {
        let instance = TurnFixture()
        let fixture = try instance.start()
        let client = hasStream ? try instance.openEvents(fixture) : nil
        instance.isIdle.open()
        instance.maySendList.open()

        let answer = try fixture.request("POST", "/session/ses_1/message", headers: Self.json, body: Self.prompt)

        #expect(answer.status == 200, "\(answer.text)")

        client?.close()
    }

    @Test func `a client that disconnects during its prompt releases session.idle`() throws {
        let instance = TurnFixture()
        let fixture = try instance.start()
        let client = try instance.openEvents(fixture)
        let post = try fixture.send("POST", "/session/ses_1/message", headers: Self.json, body: Self.prompt)
        try instance.history.wait("the wait") { $0.contains("wait") }

        post.close()
        instance.publishBeginning()
        instance.publishEnd()

        _ = try TranslatedStreamTests.receive(client)
        instance.isIdle.open()
    }

    @Test func `an abort is answered after the turn's end was written to the streams`() throws {
        let instance = TurnFixture()
        let fixture = try instance.start()
        let client = try instance.openEvents(fixture)
        instance.publishBeginning()
        _ = try TranslatedStreamTests.receive(client) { $0.type == "message.part.delta" }
        instance.isIdle.open()

        let publisher = try Self.publishLate(instance, unless: "prompt") { instance.publishInterruption() }
        let abort = try fixture.request("POST", "/session/ses_1/abort", headers: Self.json, body: [])
        let next = try fixture.request("POST", "/session/ses_1/prompt_async", headers: Self.json, body: Self.prompt)

        publisher.join()

        #expect(abort.text == "true")
        #expect(next.status == 204, "\(next.text)")
        #expect(instance.history.values.filter { $0 == "published" || $0 == "prompt" } == ["published", "prompt"])

        let frames = try TranslatedStreamTests.receive(client)

        #expect(frames.contains { $0.type == "session.error" })
    }

    @Test func `an abort whose turn does not end is answered in a bounded time`() throws {
        let instance = TurnFixture()
        let fixture = try instance.start()

        let abort = try fixture.request("POST", "/session/ses_1/abort", headers: Self.json, body: [])

        #expect(abort.text == "true")
        #expect(instance.history.values == ["interrupt", "wait"])

        instance.isIdle.open()
    }

    /// OpenCode 1.1.11, 1.2.27 and 1.18.33 send `command.executed` directly after `session.idle`.
    @Test func `each translated stream sends command.executed once, after session.idle`() throws {
        let fixture = try BridgeFixture(flags: ["--threads", "2"])
        let id = try fixture.session()
        let paths =
            Array(repeating: "/projects/demo/api/event", count: 6) + [
                "/projects/demo/api/global/event", "/projects/demo/events?speak=1",
                "/projects/demo/api/event?form=full", "/projects/demo/api/event?form=delta",
            ]
        let raw = ["/projects/demo/api/api/event", "/projects/demo/events", "/events"]
        let clients = try (paths + raw).map { path in
            let client = try StreamClient(fixture.gateway, path)
            if path.hasPrefix("/projects/demo/api/") { try client.connected() } else { _ = try client.next() }
            return client
        }

        let answer = try fixture.request(
            "POST", "/session/\(id)/command",
            #"{"command":"init","arguments":"a b","agent":"build","model":"simulator/talk"}"#)
        // The next turn shows that nothing follows later.
        try fixture.request("POST", "/session/\(id)/message", BridgeFixture.prompt("Hello"))

        #expect(answer.status == 200, "\(answer.text)")

        let message = try #require(answer.json["info"]?["id"])
        let properties: JSON = ["name": "init", "sessionID": .string(id), "arguments": "a b", "messageID": message]
        for (client, path) in zip(clients, paths) {
            let first = try TranslatedStreamTests.receive(client)
            let second = try TranslatedStreamTests.receive(client)
            let executed = (first + second).filter { $0.type == "command.executed" }
            #expect(executed.map { $0.content["properties"] } == [properties], "\(path)")
            #expect(executed.first?.id == nil)
            #expect(executed.first?.content["id"]?.text?.hasPrefix("evt_") == true)
            #expect(second.first?.type == "command.executed", "\(path)")
            #expect(second.dropFirst().first?.type == "session.diff", "\(path)")
        }
        for client in clients[paths.count...] {
            var isSecond = false
            let frames = try TranslatedStreamTests.receive(client) { frame in
                guard frame.type == "session.execution.succeeded" else { return false }
                defer { isSecond = true }
                return isSecond
            }
            #expect(!frames.contains { $0.data?.contains("command.executed") == true })
        }
    }

    private static func command(_ fixture: BridgeFixture, _ session: String) throws {
        let answer = try fixture.request(
            "POST", "/session/\(session)/command",
            #"{"command":"init","arguments":"","agent":"build","model":"simulator/talk"}"#)

        #expect(answer.status == 200, "\(answer.text)")
    }

    @Test func `a client that reconnects after the answer receives command.executed with session.idle only`() throws {
        let fixture = try BridgeFixture()
        let before = try StreamClient(fixture.gateway, "/projects/demo/api/event")
        try before.connected()
        let id = try fixture.session()
        let created = try TranslatedStreamTests.receive(before) { $0.type == "session.created" }
        before.close()

        try Self.command(fixture, id)

        func resume(after id: String?) throws -> StreamClient {
            let client = try StreamClient(
                fixture.gateway, "/projects/demo/api/event", headers: [("Last-Event-ID", try #require(id))])
            try client.connected()
            return client
        }
        let first = try resume(after: created.last?.id)
        let turn = try TranslatedStreamTests.receive(first) { $0.type == "command.executed" }
        let idle = try #require(turn.last { $0.id != nil })

        #expect(idle.type == "session.idle")

        let second = try resume(after: idle.id)
        let new = try StreamClient(fixture.gateway, "/projects/demo/api/event")
        try new.connected()
        // The next turn shows that nothing follows later.
        try fixture.request("POST", "/session/\(id)/message", BridgeFixture.prompt("Hello"))

        for client in [first, second, new] {
            let frames = try TranslatedStreamTests.receive(client)
            #expect(!frames.contains { $0.type == "command.executed" })
        }
    }

    @Test func `a stream with a maximum rate receives command.executed if it is the only stream`() throws {
        let fixture = try BridgeFixture()
        let client = try StreamClient(fixture.gateway, "/projects/demo/api/event?max_rate=5")
        try client.connected()
        let id = try fixture.session()

        try Self.command(fixture, id)
        try fixture.request("POST", "/session/\(id)/message", BridgeFixture.prompt("Hello"))

        let first = try TranslatedStreamTests.receive(client)
        let second = try TranslatedStreamTests.receive(client)

        #expect(!first.contains { $0.type == "command.executed" })
        #expect(second.first?.type == "command.executed")
        #expect(second.count { $0.type == "command.executed" } == 1)
    }
}
