// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

@Suite(
    "Recorded requests of real clients, repeated unchanged",
    .onTestThreads,
    .enabled(if: GitProgram.isInstalled, Comment(rawValue: GitProgram.missing)))
struct RecordedClientTests {
    /// Returns the last text of an assistant in a list of OpenCode 2's messages.
    private static func events(_ messages: JSON) -> String? {
        messages["data"]?.elements?.first { $0["type"] == "assistant" }?["content"]?.elements?
            .first { $0["type"] == "text" }?["text"]?.text
    }

    private static func expect(_ replay: Replay, except: [String: Int] = [:], sourceLocation: SourceLocation) {
        for exchange in replay.exchanges {
            let expected = except[exchange.request.path] ?? (exchange.answer.status == 204 ? 204 : 200)
            #expect(
                exchange.answer.status == expected,
                "\(exchange.request.method) \(exchange.request.target): \(exchange.answer.text.prefix(200))",
                sourceLocation: sourceLocation)
            #expect(exchange.answer.ending == .complete, sourceLocation: sourceLocation)
        }
    }

    @Test(arguments: Replay.Place.allCases)
    func `the recorded requests of OpenCode 2's run succeed from a directory of another machine`(
        at place: Replay.Place
    ) throws {
        let replay = try Replay("2.0.15", at: place)
        let client = try RecordedClient.named("opencode run --server (2.0.15)")
        try replay.run(client)
        Self.expect(replay, sourceLocation: #_sourceLocation)

        #expect(replay.exchanges.count + replay.streams.count == client.requests.count)
        #expect(replay.answers(to: "/api/info").first?.json["version"] == "2.0.15")
        #expect(replay.answers(to: "/api/location").first?.json["directory"]?.text == replay.folder)

        let created = try #require(replay.answers(to: "/api/session").first?.json["data"])

        #expect(created["location"]?["directory"]?.text == replay.folder)

        // The client prints the last answer, and the stream reports that the turn succeeded.
        let messages = try #require(replay.exchanges.last?.answer.json)

        #expect(Self.events(messages)?.contains("naïve café, 日本語, 🚀") == true)

        let stream = try #require(replay.streams.first)
        try stream.next("server.connected")
        let session = try #require(created["id"]?.text)
        try stream.next("session.text.ended") { $0["sessionID"]?.text == session }
        try stream.next("session.execution.succeeded") { $0["sessionID"]?.text == session }

        // `run -c` continues that session.
        let again = try RecordedClient.named("opencode run -c --server (2.0.15)")
        try replay.run(again)
        Self.expect(replay, sourceLocation: #_sourceLocation)
        let listed = try #require(replay.answers(to: "/api/session").last?.json["data"]?.elements)

        #expect(listed.map { $0["id"]?.text } == [session])
        #expect(replay.exchanges.last?.answer.json["data"]?.elements?.count { $0["type"] == "user" } == 2)
        try #require(replay.streams.last).next("session.execution.succeeded") { $0["sessionID"]?.text == session }

        // `session list` finds it by the project's id.
        try replay.run(try RecordedClient.named("opencode session list --server (2.0.15)"))
        Self.expect(replay, sourceLocation: #_sourceLocation)

        #expect(replay.exchanges.last?.answer.json["data"]?.elements?.map { $0["id"]?.text } == [session])
    }

    @Test(arguments: Replay.Place.allCases)
    func `the recorded requests of OpenCode 2's full-screen program succeed from another machine`(
        at place: Replay.Place
    ) throws {
        let replay = try Replay("2.0.15", at: place)
        // The program has these two sessions open in its tabs.
        for recorded in ["ses_dfd07730cffed0XA4ZjEh6geal", "ses_dfd7f34fdffe2gosmis2cnp4ql"] {
            let made = try replay.api("POST", "/api/session", "{}")
            replay.call(recorded, try #require(made.json["data"]?["id"]?.text))
        }
        let client = try RecordedClient.named("opencode --server, full-screen (2.0.15)")
        try replay.run(client)
        Self.expect(replay, sourceLocation: #_sourceLocation)

        #expect(replay.exchanges.count + replay.streams.count == client.requests.count)
        #expect(replay.answers(to: "/api/fs/list").first?.json["location"]?["directory"]?.text == replay.folder)

        let stream = try #require(replay.streams.first)
        try stream.next("server.connected")
        let own = "ses_dfd06c5adffe4iDfw0rn25hSyG"
        try stream.next("session.created") { $0["sessionID"]?.text == own }
        try stream.next("session.execution.succeeded") { $0["sessionID"]?.text == own }
    }

    @Test(arguments: Replay.Place.allCases)
    func `the recorded requests of OpenCode 1's run --attach succeed`(at place: Replay.Place) throws {
        let replay = try Replay("1.18.33", at: place)
        let client = try RecordedClient.named("opencode run --attach (1.18.34)")
        try replay.run(client)
        Self.expect(replay, sourceLocation: #_sourceLocation)
        let message = try #require(replay.exchanges.last?.answer.json)

        #expect(message["info"]?["role"] == "assistant")
        #expect(message["info"]?["time"]?["completed"] != nil)
        try #require(replay.streams.first).next("server.connected")
    }

    @Test(arguments: Replay.Place.allCases)
    func `the recorded requests of OpenCode 1's full-screen attach succeed`(at place: Replay.Place) throws {
        let replay = try Replay("1.18.33", at: place)
        let client = try RecordedClient.named("opencode attach, full-screen (1.18.34)")
        try replay.run(client)
        // A key for one project cannot read a response that concerns all projects.
        Self.expect(
            replay, except: place == .root ? ["/experimental/workspace/status": 403] : [:],
            sourceLocation: #_sourceLocation)

        #expect(replay.exchanges.count + replay.streams.count == client.requests.count)
        #expect(replay.answers(to: "/path").first?.json["directory"]?.text == replay.folder)

        let stream = try #require(replay.streams.first)
        try stream.readEvent()

        #expect(stream.events.first?["payload"]?["type"] == "server.connected")
    }

    @Test(arguments: ["1.0.223", "1.18.33"], ["1.1.11", "1.2.27", "1.18.33"])
    func `the recorded requests of the official SDK succeed and complete a turn`(version: String, simulator: String)
        throws
    {
        let replay = try Replay(simulator)
        try replay.run(try RecordedClient.named("@opencode-ai/sdk \(version)"))
        Self.expect(replay, sourceLocation: #_sourceLocation)
        let stream = try #require(replay.streams.first)
        try stream.next("server.connected")
        let session = try #require(replay.answers(to: "/session").first?.json["id"]?.text)
        try stream.next("session.idle") { $0["sessionID"]?.text == session }
        let messages = try replay.api("GET", "/session/\(session)/message").json.elements

        #expect(messages?.map { $0["info"]?["role"]?.text } == ["user", "assistant"])
    }

    @Test(arguments: Replay.Place.allCases)
    func `the Python SDK's recorded requests succeed, and a wrong key is rejected`(
        at place: Replay.Place
    ) throws {
        let replay = try Replay("2.0.15", at: place)
        let client = try RecordedClient.named("opencode-python-sdk 0.2.3")
        // The client's last request had a wrong password.
        let (known, wrong) = (client.requests.dropLast(), client.requests.suffix(1))
        try replay.run(RecordedClient(name: client.name, requests: Array(known)))
        Self.expect(replay, except: ["/api/session/ses_doesnotexist": 404], sourceLocation: #_sourceLocation)

        #expect(replay.answers(to: "/api/session/ses_doesnotexist").first?.json["_tag"] == "SessionNotFoundError")

        try replay.run(RecordedClient(name: client.name, requests: Array(wrong)), key: "another-key-0123456789")

        // At the root, the gateway does not know to which project a request without a valid key belongs.
        #expect(replay.exchanges.last?.answer.status == (place == .root ? 404 : 401))
        try #require(replay.streams.first).next("session.execution.succeeded")
    }

    @Test func `the official SDK's recorded requests succeed at the root`() throws {
        let replay = try Replay("1.18.33", at: .root)
        try replay.run(try RecordedClient.named("@opencode-ai/sdk 1.18.33"))
        Self.expect(replay, sourceLocation: #_sourceLocation)
        let stream = try #require(replay.streams.first)
        try stream.next("server.connected")
        let session = try #require(replay.answers(to: "/session").first?.json["id"]?.text)
        try stream.next("session.idle") { $0["sessionID"]?.text == session }
    }

    @Test func `this suite covers each recorded client`() throws {
        let names = try RecordedClient.all().map(\.name)

        #expect(
            names == [
                "opencode run --attach (1.18.34)", "opencode attach, full-screen (1.18.34)",
                "@opencode-ai/sdk 1.0.223", "@opencode-ai/sdk 1.18.33", "opencode run --server (2.0.15)",
                "opencode run -c --server (2.0.15)", "opencode session list --server (2.0.15)",
                "opencode --server, full-screen (2.0.15)", "opencode-python-sdk 0.2.3",
            ])
    }
}
