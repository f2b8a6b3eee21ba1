// SPDX-License-Identifier: Apache-2.0

import Conversations
import Dialects
import JSONText
import Testing

/// Tests conversations that another client deletes. The event and a list without the conversation arrive in any order.
@Suite struct DeletedElsewhereTests {
    private static let list = #"{"type":"list_conversations"}"#

    /// Returns a harness after a client has created a conversation under its own id.
    private func harness() -> ConversationHarness {
        var harness = ConversationHarness()
        harness.open()
        harness.send(#"{"type":"user_message","conversationId":"\#(ConversationHarness.mine)","content":"hi"}"#)
        _ = harness.got()
        return harness
    }

    private func delete(_ harness: inout ConversationHarness) -> JSON {
        defer { harness.server.sessions = [] }
        return harness.server.shown(harness.server.sessions[0])
    }

    private func deletions(_ messages: [JSON]) -> [String?] {
        messages.filter { $0["type"] == "conversation_deleted" }.map { $0["conversationId"]?.text }
    }

    @Test(arguments: [true, false])
    func `a deletion is reported once under the client's own id`(isListFirst: Bool) {
        var harness = harness()

        let session = delete(&harness)
        if isListFirst { harness.send(Self.list) }
        harness.receiveEvent("session.deleted", ["info": session])
        if !isListFirst { harness.send(Self.list) }

        #expect(deletions(harness.got()) == [ConversationHarness.mine])
    }

    @Test func `a deletion that arrives during its list is reported once`() {
        var harness = harness()

        let session = delete(&harness)
        harness.heldResponses = ["GET /session/ses_made1"]
        harness.send(Self.list)
        harness.receiveEvent("session.deleted", ["info": session])
        harness.release()

        #expect(deletions(harness.got()) == [ConversationHarness.mine])
    }

    @Test func `a deletion that a request's list shows is reported to chats`() {
        var harness = harness()

        _ = delete(&harness)
        _ = harness.request("GET", "/conversations")

        #expect(deletions(harness.got()) == [ConversationHarness.mine])
    }

    @Test func `a deletion that a response shows is reported once`() {
        var harness = harness()

        let session = delete(&harness)
        harness.send(#"{"type":"load_conversation","conversationId":"\#(ConversationHarness.mine)"}"#)
        let got = harness.got()
        harness.receiveEvent("session.deleted", ["info": session])

        #expect(got.contains { $0["type"] == "error" })
        #expect(deletions(got) == [ConversationHarness.mine])
        #expect(deletions(harness.got()).isEmpty)
    }

    @Test func `the answer of a session that a list lacks ends before the deletion is reported`() throws {
        var harness = harness()
        let prompt = try #require(harness.server.prompts.first?["messageID"]?.text)
        harness.startTurn("ses_made1", prompt, "hi", answer: "msg_3")
        harness.text("ses_made1", "msg_3", "prt_1", ["Hel"], isWhole: false)

        _ = delete(&harness)
        harness.send(Self.list)

        let types = harness.got().compactMap { $0["type"]?.text }

        #expect(types == ["assistant_chunk", "assistant_done", "conversation_deleted", "conversation_list"])
    }

    @Test func `a session that is missing from one list is not reported as deleted and keeps its id`() {
        var harness = harness()

        harness.server.instead["GET /session"] = OpenCodeAnswer(200, Array("[]".utf8))
        harness.send(Self.list)
        let deleted = deletions(harness.got())
        harness.server.instead = [:]
        harness.send(Self.list)

        let listed = harness.got().last?["metadata"]?["conversations"]?.array ?? []

        #expect(deleted.isEmpty)
        #expect(listed.map { $0["id"]?.text } == [ConversationHarness.mine])
    }
}
