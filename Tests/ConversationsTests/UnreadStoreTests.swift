// SPDX-License-Identifier: Apache-2.0

import Conversations
import Dialects
import JSONText
import Storage
import Testing

/// Tests a store that cannot be read at first. Changes that clients make in the meantime are newer, and nothing else is
/// lost.
@Suite struct UnreadStoreTests {
    private let id = ConversationID(session: "ses_1").text

    /// The stored entry, which is pinned and has a model and an id that a client has chosen.
    private var written: ConversationTable.Entry {
        var entry = ConversationTable.Entry(session: "ses_1")
        entry.chosen = ConversationHarness.mine
        entry.isPinned = true
        entry.model = "mock/think"
        entry.count = 7
        entry.newest = 1_000
        entry.counted = 4_000
        return entry
    }

    private func harness() -> ConversationHarness {
        var harness = ConversationHarness([FakeOpenCode1.talk("ses_1", pairs: 1)])
        harness.state = ConversationState(directory: "/home/vibe/demo")
        _ = harness.request("GET", "/conversations")
        return harness
    }

    @Test func `a count that is queried before the store is read does not replace the stored entry`() throws {
        var harness = harness()

        #expect(harness.state.takeChanges().isEmpty)

        harness.state.recall([written])
        var merged = written
        merged.count = 2
        merged.newest = 2_005
        merged.counted = 5_000

        #expect(harness.state.takeChanges() == [.set(merged)])

        let shown = try harness.fetch("GET", "/conversations/\(ConversationHarness.mine)")

        #expect(shown.json["isPinned"] == true)
        #expect(shown.json["modelId"] == "mock/think")

        // A client that uses the temporary id also finds the conversation.
        let other = try harness.fetch("GET", "/conversations/\(id)")

        #expect(other.json["id"]?.text == ConversationHarness.mine)
    }

    @Test(
        arguments: [
            (["isPinned": false], false, "mock/think"), (["modelId": "mock/talk"], true, "mock/talk"),
        ] as [(JSON, Bool, String)])
    func `a client's change before the store is read is kept, and the other values are restored`(
        change: JSON, isPinned: Bool, model: String
    ) throws {
        var harness = harness()
        _ = harness.request("PATCH", "/conversations/\(id)", body: change)
        harness.state.recall([written])
        let shown = try harness.fetch("GET", "/conversations/\(ConversationHarness.mine)")

        #expect(shown.json["isPinned"] == .bool(isPinned))
        #expect(shown.json["modelId"]?.text == model)

        guard case .set(let entry)? = harness.state.takeChanges().first else { return #expect(Bool(false)) }

        #expect(entry.isPinned == isPinned)
        #expect(entry.model == model)
        #expect(entry.chosen == ConversationHarness.mine)
    }

    @Test func `an id that has since been assigned to another conversation stays with that conversation`() throws {
        var harness = harness()
        harness.open()
        harness.send(#"{"type":"user_message","conversationId":"\#(ConversationHarness.mine)","content":"hi"}"#)
        harness.state.recall([written])

        #expect(harness.state.session(try #require(ConversationID(ConversationHarness.mine))) == "ses_made1")

        let shown = try harness.fetch("GET", "/conversations/\(id)")

        #expect(shown.json["id"]?.text == id)
        #expect(shown.json["isPinned"] == true)

        let chosen = harness.state.takeChanges().entries.sorted { $0.session < $1.session }

        #expect(chosen.map(\.session) == ["ses_1", "ses_made1"])
        #expect(chosen.map(\.chosen) == [nil, ConversationHarness.mine])
    }

    @Test func `a conversation that is deleted before the store is read stays deleted`() throws {
        var harness = ConversationHarness()
        harness.state = ConversationState(directory: "/home/vibe/demo")
        let session = harness.server.shown(.init(id: "ses_1", title: "t", updated: 1))
        harness.receiveEvent("session.deleted", ["sessionID": "ses_1", "info": session])
        harness.state.recall([written])

        #expect(harness.state.takeChanges() == [.remove(session: "ses_1")])
        #expect(harness.state.session(try #require(ConversationID(ConversationHarness.mine))) == nil)
    }

    @Test func `a stored count that became wrong before the store is read is queried again`() {
        var harness = ConversationHarness([FakeOpenCode1.talk("ses_1", pairs: 1)])
        harness.state = ConversationState(directory: "/home/vibe/demo")
        harness.receiveEvent("message.removed", ["sessionID": "ses_1", "messageID": "msg_100000c"])
        var entry = written
        entry.counted = 5_000
        harness.state.recall([entry])
        let page = harness.request("GET", "/conversations")?.json["items"]?.array

        #expect(page?.first?["messageCount"] == 2)
    }
}
