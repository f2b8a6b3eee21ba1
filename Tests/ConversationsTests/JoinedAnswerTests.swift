// SPDX-License-Identifier: Apache-2.0

import Conversations
import Dialects
import JSONText
import Testing

/// Tests clients that join an answer whose events the gateway has not received. Since 1.2, OpenCode lists `""` for an
/// incomplete text.
@Suite struct JoinedAnswerTests {
    private let id = ConversationID(session: "ses_1").text

    /// Returns a harness with an unfinished answer that has an open text and optionally a complete one.
    private func harness(complete: String? = nil) -> ConversationHarness {
        var session = FakeOpenCode1.talk("ses_1", pairs: 1)
        session.messages.append(FakeOpenCode1.user("msg_2", "hi"))
        if let complete {
            session.messages.append(FakeOpenCode1.assistant("msg_25", to: "msg_2", complete))
        }
        session.messages.append(FakeOpenCode1.assistant("msg_3", to: "msg_2", "", isDone: false))
        var harness = ConversationHarness([session])
        harness.server.working = ["ses_1"]
        return harness
    }

    private func open(_ harness: inout ConversationHarness) {
        harness.receiveText("text", "ses_1", "msg_3", "prt_msg_3", "", end: nil)
    }

    private func send(_ text: String, _ harness: inout ConversationHarness) {
        harness.delta("ses_1", "msg_3", "prt_msg_3", .string(text))
    }

    private func complete(_ text: String, _ harness: inout ConversationHarness) {
        harness.receiveText("text", "ses_1", "msg_3", "prt_msg_3", text, end: 5_000)
        harness.idle("ses_1")
    }

    private func load(_ harness: inout ConversationHarness) {
        harness.open()
        harness.send(#"{"type":"load_conversation","conversationId":"\#(id)"}"#)
    }

    private func replay(_ harness: inout ConversationHarness, _ events: (inout ConversationHarness) -> Void) -> [String]
    {
        harness.isReplaying = true
        events(&harness)
        harness.isReplaying = false
        return harness.state.endReplay()
    }

    private func chunks(_ messages: [JSON]) -> [String] {
        messages.filter { $0["type"] == "assistant_chunk" }.compactMap { $0["content"]?.text }
    }

    @Test func `a client that joins receives the beginning of the answer from earlier events`() {
        var harness = harness()

        let open = replay(&harness) {
            $0.startTurn("ses_1", "msg_2", "hi", answer: "msg_3")
            self.open(&$0)
            for text in ["One", " two"] { send(text, &$0) }
        }
        load(&harness)
        send(" three", &harness)
        complete("One two three", &harness)

        let got = harness.got()

        #expect(open == ["ses_1"])
        #expect(chunks(got) == ["One two", " three"])
        #expect(got.last?["type"] == "assistant_done")
        #expect(got[1]["metadata"]?["messages"]?.array?.count == 3)
    }

    @Test func `text that is missing between earlier events is delivered with the whole text`() {
        var harness = harness()

        _ = replay(&harness) {
            $0.startTurn("ses_1", "msg_2", "hi", answer: "msg_3")
            self.open(&$0)
            send("One", &$0)
            $0.state.replayGap(endsTurns: false)
            send(" three", &$0)
        }
        load(&harness)
        send(" four", &harness)
        complete("One two three four", &harness)

        #expect(chunks(harness.got()) == ["One", " two three four"])
    }

    @Test func `deltas after an unknown beginning wait for the whole text`() {
        var harness = harness()

        load(&harness)
        send(" two", &harness)
        let early = chunks(harness.got())
        complete("One two", &harness)

        #expect(early.isEmpty)
        #expect(chunks(harness.got()) == ["One two"])
    }

    @Test func `a list that precedes the first event of a text contains none of its deltas`() {
        var harness = harness()

        load(&harness)
        self.open(&harness)
        for text in ["One", " two"] { send(text, &harness) }

        #expect(chunks(harness.got()) == ["One", " two"])
    }

    @Test func `an answer whose instance has ended is not replayed`() {
        var harness = harness()

        let open = replay(&harness) {
            $0.startTurn("ses_1", "msg_2", "hi", answer: "msg_3")
            self.open(&$0)
            send("One", &$0)
            $0.state.replayGap(endsTurns: true)
        }

        #expect(open.isEmpty)
    }

    @Test func `an answer that has ended is not replayed`() throws {
        var harness = harness()

        let open = replay(&harness) {
            $0.startTurn("ses_1", "msg_2", "hi", answer: "msg_3")
            $0.text("ses_1", "msg_3", "prt_msg_3", ["One"])
            $0.receiveMessage(FakeOpenCode1.assistant("msg_3", to: "msg_2", "One"), of: "ses_1")
            $0.idle("ses_1")
        }

        #expect(open.isEmpty)
        #expect(harness.state.takeChanges().isEmpty)
    }

    @Test func `an answer that was aborted is checked with OpenCode after the replay`() {
        var harness = harness()

        let open = replay(&harness) {
            $0.startTurn("ses_1", "msg_2", "hi", answer: "msg_3")
            $0.idle("ses_1", isHeld: true)
        }

        #expect(open == ["ses_1"])
    }

    @Test func `an answer whose first events are missing has its texts in the order of the list`() {
        var harness = harness(complete: "One")

        let open = replay(&harness) {
            $0.busy("ses_1")
            $0.receiveEvent("message.updated", ["info": FakeOpenCode1.assistantInfo("msg_3", to: "msg_2")])
            self.open(&$0)
            send("Two", &$0)
        }
        load(&harness)
        complete("Two", &harness)

        #expect(open.isEmpty)
        #expect(chunks(harness.got()).joined() == "One\n\nTwo")
    }

    @Test func `the end of an answer whose event was missed is found by a query`() throws {
        var harness = harness()

        let open = replay(&harness) {
            $0.startTurn("ses_1", "msg_2", "hi", answer: "msg_3")
            self.open(&$0)
            send("One", &$0)
            $0.state.replayGap(endsTurns: false)
        }
        load(&harness)
        harness.server.working = []
        harness.server.sessions[0].messages.removeLast()
        harness.server.sessions[0].messages.append(FakeOpenCode1.assistant("msg_3", to: "msg_2", "One two"))
        harness.finish(harness.state.check("ses_1"))

        let got = harness.got()

        #expect(open == ["ses_1"])
        #expect(chunks(got) == ["One", " two"])
        #expect(got.last?["type"] == "assistant_done")
    }

    @Test func `a list of messages contains the received part of the running answer`() throws {
        var harness = harness()

        _ = replay(&harness) {
            $0.startTurn("ses_1", "msg_2", "hi", answer: "msg_3")
            self.open(&$0)
            send("One", &$0)
        }
        let messages = try harness.fetch("GET", "/conversations/\(id)/messages")
        let conversation = try harness.fetch("GET", "/conversations/\(id)")

        #expect(messages.json["items"]?.array?.last?["text"] == "One")
        #expect(conversation.json["messages"]?.array?.last?["text"] == "One")
        #expect(conversation.json["lastMessage"]?["text"] == "One")
    }
}
