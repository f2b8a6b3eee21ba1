// SPDX-License-Identifier: Apache-2.0

import Conversations
import Dialects
import JSONText
import Storage
import TestKit
import Testing

/// Tests the data that is preserved when the gateway ends.
@Suite struct ConversationStoreTests {
    @Test func `ids, pins, models and counts are restored from the store`() async throws {
        let directory = try TemporaryDirectory()
        let store = try Store(StateFile(folder: directory.path, migrations: [.conversations])) { Issue.record("\($0)") }
        let keeping = ConversationStore(store)
        let folder = Array("/home/vibe/demo".utf8)
        var harness = ConversationHarness([FakeOpenCode1.talk("ses_1", pairs: 3)])
        harness.open()
        harness.send(#"{"type":"user_message","conversationId":"\#(ConversationHarness.mine)","content":"hi"}"#)
        harness.send(#"{"type":"list_conversations"}"#)
        _ = harness.request(
            "PATCH", "/conversations/\(ConversationHarness.mine)", body: ["isPinned": true, "modelId": "mock/think"])
        keeping.keep(harness.state.takeChanges(), of: folder)
        let remainder = harness.state.takeChanges()

        #expect(remainder.isEmpty)

        let entries = try await keeping.entries(of: folder)
        let others = try await keeping.entries(of: Array("/home/vibe/other".utf8))

        #expect(others.isEmpty)

        var later = ConversationHarness()
        later.server = harness.server
        later.server.requests = []
        later.state = ConversationState(directory: "/home/vibe/demo", kept: entries)
        let page = try later.fetch("GET", "/conversations").json["items"]?.array ?? []
        let ids = page.compactMap { $0["id"]?.text }

        #expect(ids.contains(ConversationHarness.mine))

        let mine = page.first { $0["id"]?.text == ConversationHarness.mine }

        #expect(mine?["isPinned"] == true)
        #expect(mine?["modelId"] == "mock/think")
        #expect(page.first { $0["title"] == "A talk" }?["messageCount"] == 6)

        _ = later.request("DELETE", "/conversations/\(ConversationHarness.mine)")
        keeping.keep(later.state.takeChanges(), of: folder)
        let left = try await keeping.entries(of: folder)

        #expect(left.map(\.session) == ["ses_1"])
    }

    @Test func `a message count follows the events and is queried again after missed ones`() throws {
        var harness = ConversationHarness([FakeOpenCode1.talk("ses_1", pairs: 2)])
        func count(_ harness: inout ConversationHarness) throws -> JSON? {
            try harness.fetch("GET", "/conversations").json["items"]?.array?.first?["messageCount"]
        }
        let first = try count(&harness)

        #expect(first == 4)

        harness.startTurn("ses_1", "msg_2", "hi", answer: "msg_3")
        harness.text("ses_1", "msg_3", "prt_1", ["Hello"])
        harness.receiveEvent("message.updated", ["info": FakeOpenCode1.assistantInfo("msg_4", to: "msg_2")])
        harness.idle("ses_1")
        harness.server.requests = []
        let second = try count(&harness)

        #expect(second == 6)
        #expect(harness.server.requests == ["GET /session"])

        // After missed events, the messages are counted again.
        harness.server.sessions[0].updated += 1
        harness.server.sessions[0].messages.append(FakeOpenCode1.user("msg_5", "unheard"))
        _ = harness.state.missed()
        let third = try count(&harness)

        #expect(third == 5)
    }
}
