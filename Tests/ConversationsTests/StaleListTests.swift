// SPDX-License-Identifier: Apache-2.0

import Conversations
import Dialects
import JSONText
import Storage
import Testing

/// Tests lists that the gateway processes later than OpenCode created them. Events that arrived in between are newer.
@Suite struct StaleListTests {
    private static let list = #"{"type":"list_conversations"}"#
    private let id = ConversationID(session: "ses_1").text

    /// Returns a harness whose first client has requested a list that has arrived but was not processed yet.
    private func harness() -> ConversationHarness {
        var harness = ConversationHarness([FakeOpenCode1.talk("ses_1", title: "Old", pairs: 1)])
        harness.open(1)
        harness.open(2)
        harness.send(Self.list, 2)
        harness.heldResponses = ["GET /session"]
        harness.send(Self.list, 1)
        harness.heldResponses = []
        for chat in [1, 2] { _ = harness.got(chat) }
        return harness
    }

    private func send(_ text: String, _ harness: inout ConversationHarness, _ chat: Int) {
        harness.send(
            #"{"type":"user_message","conversationId":"\#(ConversationHarness.mine)","content":"\#(text)"}"#, chat)
    }

    private func titles(_ message: JSON?) -> [String] {
        message?["metadata"]?["conversations"]?.array?.compactMap { $0["title"]?.text } ?? []
    }

    @Test func `a conversation created while a list is read keeps its id, its pin and its answer`() throws {
        var harness = harness()
        send("hi", &harness, 2)
        let pinned = harness.request("PATCH", "/conversations/\(ConversationHarness.mine)", body: ["isPinned": true])

        #expect(pinned?.status == 200)

        let prompt = try #require(harness.server.prompts.first?["messageID"]?.text)
        harness.startTurn("ses_made1", prompt, "hi", answer: "msg_3")
        harness.text("ses_made1", "msg_3", "prt_1", ["Hel"])
        harness.release()
        harness.text("ses_made1", "msg_3", "prt_2", ["lo"])
        harness.idle("ses_made1")
        let got = harness.got(2)

        #expect(got.map { $0["type"] } == ["assistant_chunk", "assistant_chunk", "assistant_done"])
        #expect(got.allSatisfy { $0["conversationId"]?.text == ConversationHarness.mine })

        let shown = try harness.fetch("GET", "/conversations/\(ConversationHarness.mine)")

        #expect(shown.status == 200)
        #expect(shown.json["isPinned"] == true)
        #expect(!harness.state.takeChanges().contains(.remove(session: "ses_made1")))
    }

    @Test func `a conversation deleted while a list is read is not restored by it`() throws {
        var harness = harness()
        _ = harness.request("DELETE", "/conversations/\(id)")
        harness.release()

        #expect(titles(harness.got().last).isEmpty)

        let gone = try harness.fetch("GET", "/conversations/\(id)")

        #expect(gone.status == 404)
    }

    @Test func `a deletion while the first list is read applies to a session that was never listed`() {
        var harness = ConversationHarness([FakeOpenCode1.talk("ses_1", title: "Old", pairs: 1)])
        harness.open()
        harness.heldResponses = ["GET /session/ses_1/message"]
        harness.send(Self.list)
        harness.heldResponses = []
        harness.receiveEvent("session.deleted", ["info": harness.server.shown(harness.server.sessions[0])])
        harness.release()

        #expect(titles(harness.got().last).isEmpty)
        #expect(!harness.state.takeChanges().contains { if case .set = $0 { true } else { false } })
    }

    @Test func `a title received while a list is read is kept`() throws {
        var harness = harness()
        (harness.server.sessions[0].title, harness.server.sessions[0].updated) = ("New", 5_001)
        harness.receiveEvent("session.updated", ["info": harness.server.shown(harness.server.sessions[0])])
        harness.release()

        #expect(titles(harness.got().last) == ["New"])

        let shown = try harness.fetch("GET", "/conversations/\(id)")

        #expect(shown.json["title"] == "New")
    }

    @Test func `a known conversation that a later list lacks is removed`() {
        var harness = harness()
        _ = harness.request("PATCH", "/conversations/\(id)", body: ["isPinned": true])
        harness.release()
        _ = harness.state.takeChanges()
        harness.server.sessions = []
        harness.send(Self.list)

        #expect(harness.state.takeChanges() == [.remove(session: "ses_1")])
    }

    @Test func `two first messages under one id create one conversation that receives both`() {
        var harness = ConversationHarness()
        for chat in [1, 2] { harness.open(chat) }
        // The second client requests its list before the first client's session is created.
        harness.heldResponses = ["POST /session"]
        harness.server.instead["GET /session"] = OpenCodeAnswer(200, Array("[]".utf8))
        send("one", &harness, 1)
        send("two", &harness, 2)
        harness.release()

        #expect(harness.server.sessions.map(\.id) == ["ses_made1"])

        let prompted = harness.server.requests.filter { $0.hasSuffix("prompt_async") }

        #expect(prompted == [String](repeating: "POST /session/ses_made1/prompt_async", count: 2))

        for chat in [1, 2] { _ = harness.got(chat) }
        harness.startTurn("ses_made1", "msg_2", "one", answer: "msg_3")
        harness.text("ses_made1", "msg_3", "prt_1", ["Hello"])
        let (one, other) = (harness.got(1), harness.got(2))

        #expect(one == other)
        #expect(one.map { $0["conversationId"]?.text } == [ConversationHarness.mine])
    }

    @Test func `a conversation whose session is gone is created again under its id`() {
        var entry = ConversationTable.Entry(session: "ses_gone")
        entry.chosen = ConversationHarness.mine
        var harness = ConversationHarness()
        harness.state = ConversationState(directory: "/home/vibe/demo", kept: [entry])
        harness.open()
        send("hi", &harness, 1)

        #expect(harness.server.requests.last == "POST /session/ses_made1/prompt_async")

        let chosen = harness.state.takeChanges().entries.sorted { $0.session < $1.session }

        #expect(chosen.map(\.session) == ["ses_gone", "ses_made1"])
        #expect(chosen.map(\.chosen) == [nil, ConversationHarness.mine])
    }
}
