// SPDX-License-Identifier: Apache-2.0

import Conversations
import Dialects
import JSONText
import Testing

/// Tests reverted messages. OpenCode lists them until the next prompt, but conversations do not.
@Suite struct RevertedMessageTests {
    private let id = ConversationID(session: "ses_1").text

    /// Returns a harness with three prompts and answers.
    ///
    /// - Parameter revert: Hides the last two pairs.
    private func harness(_ revert: JSON? = nil) -> ConversationHarness {
        var harness = ConversationHarness([FakeOpenCode1.talk("ses_1", pairs: 3)])
        harness.server.sessions[0].revert = revert
        return harness
    }

    private let second: JSON = ["messageID": "msg_100001a"]
    private let remaining = ["Question 0", "Answer 0"]

    private func texts(_ harness: inout ConversationHarness) throws -> [String] {
        let page = try harness.fetch("GET", "/conversations/\(id)/messages").json
        return page["items"]?.array?.compactMap { $0["text"]?.text } ?? []
    }

    private func counted(_ harness: inout ConversationHarness) throws -> JSON? {
        let item = try harness.fetch("GET", "/conversations").json["items"]?.array?.first
        return [item?["messageCount"] ?? .null, item?["lastMessage"]?["text"] ?? .null]
    }

    /// Sends an event with the current state of the session.
    private func sendSessionUpdate(_ harness: inout ConversationHarness) {
        harness.server.sessions[0].updated += 1
        let info = harness.server.shown(harness.server.sessions[0])
        harness.receiveEvent("session.updated", ["sessionID": "ses_1", "info": info])
    }

    @Test func `reverted messages appear in no list`() throws {
        var harness = harness(second)

        #expect(try texts(&harness) == remaining)
        #expect(try counted(&harness) == [2, "Answer 0"])

        let whole = try harness.fetch("GET", "/conversations/\(id)").json

        #expect(whole["messages"]?.array?.compactMap { $0["text"]?.text } == remaining)

        harness.open()
        harness.send(#"{"type":"load_conversation","conversationId":"\#(id)"}"#)
        let loaded = harness.got().last?["metadata"]?["messages"]?.array

        #expect(loaded?.compactMap { $0["content"]?.text } == remaining)
    }

    @Test func `reverted messages reappear when the revert is undone`() throws {
        var harness = harness()

        #expect(try counted(&harness) == [6, "Answer 2"])

        harness.server.sessions[0].revert = second
        sendSessionUpdate(&harness)

        #expect(try counted(&harness) == [2, "Answer 0"])
        #expect(try texts(&harness) == remaining)

        harness.server.sessions[0].revert = nil
        sendSessionUpdate(&harness)

        #expect(try counted(&harness) == [6, "Answer 2"])
        #expect(try texts(&harness).count == 6)
    }

    @Test func `a reverted part leaves its message and the messages before it`() throws {
        var harness = harness(["messageID": "msg_100001b", "partID": "prt_msg_100001b"])

        #expect(try texts(&harness) == remaining + ["Question 1", ""])
    }

    @Test func `older messages are read until a page without reverted ones is full`() throws {
        var harness = ConversationHarness([FakeOpenCode1.talk("ses_1", pairs: 500)])
        harness.server.sessions[0].revert = ["messageID": "msg_100200a"]
        let texts = try texts(&harness)

        #expect(texts.count == 30)
        #expect(texts.last == "Answer 199")
    }

    @Test func `removed messages are no longer counted`() throws {
        var harness = harness()

        #expect(try counted(&harness) == [6, "Answer 2"])

        let gone = harness.server.sessions[0].messages.suffix(4).compactMap { $0["info"]?["id"]?.text }
        harness.server.sessions[0].messages.removeLast(4)
        for id in gone { harness.receiveEvent("message.removed", ["sessionID": "ses_1", "messageID": .string(id)]) }

        #expect(try counted(&harness) == [2, "Answer 0"])
    }

    @Test func `an answer that becomes the last answer again is not sent twice`() {
        var harness = harness()
        let load = #"{"type":"load_conversation","conversationId":"\#(id)"}"#
        harness.open(1)
        harness.send(load, 1)
        harness.server.sessions[0].messages.removeLast(2)
        harness.receiveEvent("message.removed", ["sessionID": "ses_1", "messageID": "msg_100002b"])
        harness.receiveEvent("message.removed", ["sessionID": "ses_1", "messageID": "msg_100002a"])
        _ = harness.got(1)
        harness.open(2)
        harness.send(load, 2)
        let got = harness.got(2).compactMap { $0["type"]?.text }

        #expect(got == ["status", "conversation_loaded"])
        #expect(harness.got(1).isEmpty)
    }
}
