// SPDX-License-Identifier: Apache-2.0

import Conversations
import Dialects
import JSONText
import Testing

/// Tests checks of busy sessions while prompts are being sent to OpenCode.
@Suite struct CheckTests {
    private let id = ConversationID(session: "ses_1").text

    private func loaded() -> ConversationHarness {
        var harness = ConversationHarness([FakeOpenCode1.talk("ses_1", pairs: 1)])
        // After this step, messages do not have to request the models.
        _ = harness.request("GET", "/models")
        harness.open()
        harness.send(#"{"type":"load_conversation","conversationId":"\#(id)"}"#)
        _ = harness.got()
        return harness
    }

    private func send(_ text: String, _ harness: inout ConversationHarness) {
        harness.send(#"{"type":"user_message","conversationId":"\#(id)","content":"\#(text)"}"#)
    }

    private func checked(_ harness: inout ConversationHarness) {
        harness.finish(harness.state.check("ses_1"))
    }

    @Test func `a check does not end a prompt that was not sent yet`() throws {
        var harness = loaded()
        harness.holdsRequests = true
        send("hi", &harness)
        checked(&harness)

        #expect(harness.got().isEmpty)

        harness.release()
        let prompt = try #require(harness.server.prompts.last?["messageID"]?.text)
        harness.startTurn("ses_1", prompt, "hi", answer: "msg_3")
        harness.text("ses_1", "msg_3", "prt_1", ["Hello"])
        harness.idle("ses_1")

        #expect(harness.got().map(\.outline) == ["assistant_chunk Hello", "assistant_done"])
    }

    @Test(arguments: [true, false])
    func `a check ends only prompts that were sent before it began`(isChat: Bool) {
        var harness = loaded()
        let early = harness.state.check("ses_1")
        if isChat {
            send("hi", &harness)
        } else {
            _ = harness.request("POST", "/conversations/\(id)/messages", body: ["text": "hi"])
        }
        harness.finish(early)

        #expect(harness.got().isEmpty)
        #expect(!harness.streams.contains { $0.isOver })

        checked(&harness)

        #expect(harness.got().map(\.outline) == ["assistant_done"])
        #expect(harness.streams.allSatisfy { $0.isOver })
        #expect(harness.streams.count == (isChat ? 0 : 1))
    }

    /// OpenCode may send a message's events before its response to the prompt, and under its own id.
    @Test(arguments: [true, false])
    func `a check ends a prompt whose events have arrived but whose response has not`(isRenamed: Bool) throws {
        var harness = loaded()
        harness.heldResponses = ["POST /session/ses_1/prompt_async"]
        send("hi", &harness)
        let sent = try #require(harness.server.prompts.last?["messageID"]?.text)
        harness.receiveMessage(FakeOpenCode1.user(isRenamed ? "msg_2own" : sent, "hi"), of: "ses_1")
        checked(&harness)

        #expect(harness.got().map(\.outline) == ["assistant_done"])
    }
}
