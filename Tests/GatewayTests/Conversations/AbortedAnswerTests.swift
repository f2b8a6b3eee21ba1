// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import TestThreads
import Testing

/// Tests the message that follows an aborted answer. OpenCode before 1.18 loses this message if it arrives before the
/// aborted loop has ended, 20 to 60 ms after the response to the abort. The simulator does the same.
@Suite(.onTestThreads) struct AbortedAnswerTests {
    private static let id = "A0B1C2D3-0000-4000-8000-00000000000A"
    private static let versions = ConversationServingTests.versions
    private static let rounds = 1...10
    private static let endless = "[long silent=1ms] say much"

    private func fixture(_ version: String) throws -> SimulatorFixture {
        try SimulatorFixture(environment: ["SIMULATOR_PROFILE": version])
    }

    private static func short(_ round: Int) -> String { "[talk pieces=3 interval=1ms silent=1ms] round \(round)" }

    /// A conversation of the REST protocol.
    private struct Conversation {
        let fixture: SimulatorFixture
        let id: String

        init(_ fixture: SimulatorFixture) throws {
            self.fixture = fixture
            let body = Array(#"{"modelId":"simulator/talk","firstMessage":"hi"}"#.utf8)
            let created = try fixture.gateway.request(
                "POST", "/conversations", headers: [("Content-Type", "application/json")], body: body,
                within: SimulatorFixture.patience)
            let answer = try JSONSerialization.jsonObject(with: Data(created.body)) as? [String: Any]
            id = try #require((answer?["conversation"] as? [String: Any])?["id"] as? String, "\(created.text)")
        }

        /// Sends a message. The caller reads the answer's events as they arrive.
        func send(_ text: String) throws -> Answer {
            let connection = try fixture.gateway.connect()
            let body = Array(#"{"role":"user","text":"\#(text)"}"#.utf8)
            try connection.send(
                "POST", "/conversations/\(id)/messages",
                headers: [GatewayUnderTest.authorization, ("Content-Type", "application/json")], body: body)
            return Answer(reader: EventStreamReader(connection))
        }
    }

    private struct Answer {
        let reader: EventStreamReader

        func next() throws -> [String: Any] {
            guard let event = try reader.next(within: SimulatorFixture.patience) else {
                let received = String(decoding: reader.raw.suffix(1_000), as: UTF8.self)
                let (status, ending) = (reader.response.head?.status, reader.response.ending)
                throw TestFailure("status \(status ?? 0), \(ending.map { "\($0)" } ?? "no end"): \(received)")
            }
            return try JSONSerialization.jsonObject(with: Data(event.utf8)) as? [String: Any] ?? [:]
        }

        /// Reads to the end and returns the last event.
        func lastMessage() throws -> [String: Any] {
            while true {
                let event = try next()
                if event["done"] as? Bool == true { return event }
            }
        }
    }

    /// Returns OpenCode's id of the only session.
    private func session(_ fixture: SimulatorFixture) throws -> String {
        let list = try fixture.request("/session")
        let sessions = try JSONSerialization.jsonObject(with: Data(list.body)) as? [[String: Any]]
        return try #require(sessions?.first?["id"] as? String, "\(list.text)")
    }

    /// Aborts the running turn of the session as another client of OpenCode would.
    private func abort(_ session: String, _ fixture: SimulatorFixture) throws {
        let answer = try fixture.gateway.request(
            "POST", "/projects/demo/api/session/\(session)/abort", headers: [("Content-Type", "application/json")],
            body: Array("{}".utf8), within: SimulatorFixture.patience)
        guard answer.text == "true" else { throw TestFailure("the abort answered \(answer.status) \(answer.text)") }
    }

    @Test(arguments: versions)
    func `a chat message directly after cancel_generation is answered`(version: String) throws {
        let fixture = try fixture(version)
        let chat = try ChatDialogue(fixture.gateway.port)

        for round in Self.rounds {
            try chat.send("user_message", ["conversationId": Self.id, "content": Self.endless])
            _ = try chat.receive(upTo: "assistant_chunk")
            try chat.send("cancel_generation", ["conversationId": Self.id])
            try chat.send("user_message", ["conversationId": Self.id, "content": Self.short(round)])
            let aborted = try chat.receive(upTo: "assistant_done")
            let answered = try chat.receive(upTo: "assistant_done")

            #expect(!aborted.types.contains("error"))
            #expect(answered.types == ["assistant_chunk", "assistant_done"], "round \(round)")
        }
    }

    @Test(arguments: versions)
    func `a conversation's message while an answer is written is answered`(version: String) throws {
        let conversation = try Conversation(try fixture(version))

        for round in Self.rounds {
            let first = try conversation.send(Self.endless)
            _ = try first.next()
            let second = try conversation.send(Self.short(round))
            let answered = try second.lastMessage()
            let aborted = try first.lastMessage()

            #expect((answered["fullText"] as? String)?.isEmpty == false, "round \(round)")
            #expect(answered["error"] == nil)
            #expect(aborted["error"] == nil)
        }
    }

    @Test(arguments: versions)
    func `a chat's answer that another client aborts is an error and the next message is answered`(
        version: String
    ) throws {
        let fixture = try fixture(version)
        let chat = try ChatDialogue(fixture.gateway.port)

        for round in Self.rounds {
            try chat.send("user_message", ["conversationId": Self.id, "content": Self.endless])
            _ = try chat.receive(upTo: "assistant_chunk")
            try abort(try session(fixture), fixture)
            let aborted = try chat.receive(upTo: "assistant_done")
            try chat.send("user_message", ["conversationId": Self.id, "content": Self.short(round)])
            let answered = try chat.receive(upTo: "assistant_done")

            #expect(aborted.types.suffix(2) == ["error", "assistant_done"])
            #expect(answered.types == ["assistant_chunk", "assistant_done"], "round \(round)")
        }
    }

    @Test(arguments: versions)
    func `a chat message directly after another client's abort is answered`(version: String) throws {
        let fixture = try fixture(version)
        let chat = try ChatDialogue(fixture.gateway.port)

        for round in Self.rounds {
            try chat.send("user_message", ["conversationId": Self.id, "content": Self.endless])
            _ = try chat.receive(upTo: "assistant_chunk")
            try abort(try session(fixture), fixture)
            try chat.send("user_message", ["conversationId": Self.id, "content": Self.short(round)])
            let aborted = try chat.receive(upTo: "assistant_done")
            let answered = try chat.receive(upTo: "assistant_done")

            #expect(aborted.types.suffix(2) == ["error", "assistant_done"])
            #expect(answered.types == ["assistant_chunk", "assistant_done"], "round \(round)")
        }
    }

    @Test(arguments: versions)
    func `a conversation's answer that another client aborts is an error and the next message is answered`(
        version: String
    ) throws {
        let fixture = try fixture(version)
        let conversation = try Conversation(fixture)
        let session = try session(fixture)

        for round in Self.rounds {
            let first = try conversation.send(Self.endless)
            _ = try first.next()
            try abort(session, fixture)
            let aborted = try first.lastMessage()
            let answered = try conversation.send(Self.short(round)).lastMessage()

            #expect((aborted["error"] as? [String: Any])?["code"] as? String == "provider_error")
            #expect((answered["fullText"] as? String)?.isEmpty == false, "round \(round)")
            #expect(answered["error"] == nil)
        }
    }

    @Test(arguments: versions)
    func `a conversation's message directly after another client's abort is answered`(version: String) throws {
        let fixture = try fixture(version)
        let conversation = try Conversation(fixture)
        let session = try session(fixture)

        for round in Self.rounds {
            let first = try conversation.send(Self.endless)
            _ = try first.next()
            try abort(session, fixture)
            let answered = try conversation.send(Self.short(round)).lastMessage()
            _ = try first.lastMessage()

            #expect((answered["fullText"] as? String)?.isEmpty == false, "round \(round)")
            #expect(answered["error"] == nil)
        }
    }
}
