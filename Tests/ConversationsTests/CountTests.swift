import Conversations
import Dialects
import JSONText
import Storage
import Testing

/// How many messages a list says that there are, where something is said while they are counted.
@Suite struct CountTests {
    private func count(_ world: inout World) -> JSON? {
        world.say(#"{"type":"list_conversations"}"#)
        return shown(&world)
    }

    private func shown(_ world: inout World) -> JSON? {
        world.got().last?["metadata"]?["conversations"]?.array?.first?["messageCount"]
    }

    private func tellsSession(_ world: inout World) {
        world.server.sessions[0].updated += 1
        world.hear("session.updated", ["info": world.server.shown(world.server.sessions[0])])
    }

    /// `heard`: how much of an exchange comes before the messages are counted; the rest comes before the count is
    /// learned.
    @Test(arguments: [0, 1])
    func aCountThatWasOvertakenIsTakenAgainByTheNextList(heard: Int) {
        var world = World([PretendOpenCode.talk("ses_1", pairs: 2)])
        let exchange: [(said: JSON, event: (inout World) -> Void)] = [
            (PretendOpenCode.user("msg_2", "hi"), { $0.heard(PretendOpenCode.user("msg_2", "hi"), of: "ses_1") }),
            (
                PretendOpenCode.assistant("msg_3", to: "msg_2", "Hello", isDone: false),
                { $0.hear("message.updated", ["info": PretendOpenCode.assistantInfo("msg_3", to: "msg_2")]) }
            ),
        ]
        world.open()
        for (said, event) in exchange[..<heard] {
            world.server.sessions[0].messages.append(said)
            event(&world)
        }
        world.isLate = true
        world.say(#"{"type":"list_conversations"}"#)
        for (said, event) in exchange[heard...] {
            world.server.sessions[0].messages.append(said)
            event(&world)
        }
        world.release()
        let about = shown(&world)
        #expect(about == .number(Number(4 + heard)))
        tellsSession(&world)
        let kept = world.book.takeChanges().entries
        #expect(kept.map(\.counted) == [nil])
        #expect(count(&world) == 6)
    }

    @Test func whatCannotBeCountedNowHasItsLastCount() {
        var world = World([PretendOpenCode.talk("ses_1", pairs: 2)])
        world.open()
        #expect(count(&world) == 4)
        world.hear("message.removed", ["sessionID": "ses_1", "messageID": "msg_100001b"])
        world.server.sessions[0].messages.removeLast()
        world.server.instead["GET /session/ses_1/message"] = OpenCodeAnswer(500, [])
        #expect(count(&world) == 4)
        world.server.instead = [:]
        #expect(count(&world) == 3)
    }
}
