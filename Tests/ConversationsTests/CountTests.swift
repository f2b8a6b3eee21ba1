// SPDX-License-Identifier: Apache-2.0

import Conversations
import Dialects
import JSONText
import Storage
import Testing

/// Tests the message count of a list when messages arrive during the count.
@Suite struct CountTests {
    private func count(_ harness: inout ConversationHarness) -> JSON? {
        harness.send(#"{"type":"list_conversations"}"#)
        return shown(&harness)
    }

    private func shown(_ harness: inout ConversationHarness) -> JSON? {
        harness.got().last?["metadata"]?["conversations"]?.array?.first?["messageCount"]
    }

    private func sendSessionUpdate(_ harness: inout ConversationHarness) {
        harness.server.sessions[0].updated += 1
        harness.receiveEvent("session.updated", ["info": harness.server.shown(harness.server.sessions[0])])
    }

    /// The argument `firstCount` is the number of an exchange's messages before the messages are counted. The others
    /// arrive before the count is known.
    @Test(arguments: [0, 1])
    func `a message count that new messages overtake is queried again by the next list`(firstCount: Int) {
        var harness = ConversationHarness([FakeOpenCode1.talk("ses_1", pairs: 2)])
        let exchange: [(received: JSON, event: (inout ConversationHarness) -> Void)] = [
            (FakeOpenCode1.user("msg_2", "hi"), { $0.receiveMessage(FakeOpenCode1.user("msg_2", "hi"), of: "ses_1") }),
            (
                FakeOpenCode1.assistant("msg_3", to: "msg_2", "Hello", isDone: false),
                { $0.receiveEvent("message.updated", ["info": FakeOpenCode1.assistantInfo("msg_3", to: "msg_2")]) }
            ),
        ]
        harness.open()
        for (received, event) in exchange[..<firstCount] {
            harness.server.sessions[0].messages.append(received)
            event(&harness)
        }
        harness.heldResponses = ["GET /session/ses_1/message"]
        harness.send(#"{"type":"list_conversations"}"#)
        for (received, event) in exchange[firstCount...] {
            harness.server.sessions[0].messages.append(received)
            event(&harness)
        }
        harness.release()
        let about = shown(&harness)

        #expect(about == .number(Number(4 + firstCount)))

        sendSessionUpdate(&harness)
        let kept = harness.state.takeChanges().entries

        #expect(kept.map(\.counted) == [nil])
        #expect(count(&harness) == 6)
    }

    @Test func `a conversation that cannot be counted has its last known count`() {
        var harness = ConversationHarness([FakeOpenCode1.talk("ses_1", pairs: 2)])
        harness.open()

        #expect(count(&harness) == 4)

        harness.receiveEvent("message.removed", ["sessionID": "ses_1", "messageID": "msg_100001b"])
        harness.server.sessions[0].messages.removeLast()
        harness.server.instead["GET /session/ses_1/message"] = OpenCodeAnswer(500, [])

        #expect(count(&harness) == 4)

        harness.server.instead = [:]

        #expect(count(&harness) == 3)
    }
}
