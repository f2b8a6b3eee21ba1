import Conversations
import Dialects
import JSONText
import Testing

/// Clients that join an answer that nobody here has listened to. OpenCode since 1.2 lists `""` for a text that is not complete.
@Suite struct JoinedAnswerTests {
    private let id = ConversationID(session: "ses_1").text

    /// A world in which an answer is written that has one complete text, where there is one, and an open one.
    private func world(complete: String? = nil) -> World {
        var session = PretendOpenCode.talk("ses_1", pairs: 1)
        session.messages.append(PretendOpenCode.user("msg_2", "hi"))
        if let complete {
            session.messages.append(PretendOpenCode.assistant("msg_25", to: "msg_2", complete))
        }
        session.messages.append(PretendOpenCode.assistant("msg_3", to: "msg_2", "", isDone: false))
        var world = World([session])
        world.server.working = ["ses_1"]
        return world
    }

    private func open(_ world: inout World) {
        world.spoken("text", "ses_1", "msg_3", "prt_msg_3", "", end: nil)
    }

    private func say(_ text: String, _ world: inout World) {
        world.delta("ses_1", "msg_3", "prt_msg_3", .string(text))
    }

    private func complete(_ text: String, _ world: inout World) {
        world.spoken("text", "ses_1", "msg_3", "prt_msg_3", text, end: 5_000)
        world.idle("ses_1")
    }

    private func load(_ world: inout World) {
        world.open()
        world.say(#"{"type":"load_conversation","conversationId":"\#(id)"}"#)
    }

    private func replay(_ world: inout World, _ events: (inout World) -> Void) -> [String] {
        world.isReplaying = true
        events(&world)
        world.isReplaying = false
        return world.book.endReplay()
    }

    private func chunks(_ messages: [JSON]) -> [String] {
        messages.filter { $0["type"] == "assistant_chunk" }.compactMap { $0["content"]?.text }
    }

    @Test func `a client that joins gets the beginning of the answer from earlier events`() {
        var world = world()

        let open = replay(&world) {
            $0.begin("ses_1", "msg_2", "hi", answer: "msg_3")
            self.open(&$0)
            for text in ["One", " two"] { say(text, &$0) }
        }
        load(&world)
        say(" three", &world)
        complete("One two three", &world)

        let got = world.got()
        #expect(open == ["ses_1"])
        #expect(chunks(got) == ["One two", " three"])
        #expect(got.last?["type"] == "assistant_done")
        #expect(got[1]["metadata"]?["messages"]?.array?.count == 3)
    }

    @Test func `what is missing between earlier events is delivered with the whole text`() {
        var world = world()

        _ = replay(&world) {
            $0.begin("ses_1", "msg_2", "hi", answer: "msg_3")
            self.open(&$0)
            say("One", &$0)
            $0.book.replayGap(endsTurns: false)
            say(" three", &$0)
        }
        load(&world)
        say(" four", &world)
        complete("One two three four", &world)

        #expect(chunks(world.got()) == ["One", " two three four"])
    }

    @Test func `pieces after an unknown beginning wait for the whole text`() {
        var world = world()

        load(&world)
        say(" two", &world)
        let early = chunks(world.got())
        complete("One two", &world)

        #expect(early.isEmpty)
        #expect(chunks(world.got()) == ["One two"])
    }

    @Test func `a list that is ahead of the first event of a text holds none of its pieces`() {
        var world = world()

        load(&world)
        self.open(&world)
        for text in ["One", " two"] { say(text, &world) }

        #expect(chunks(world.got()) == ["One", " two"])
    }

    @Test func `an answer whose instance has ended is not replayed`() {
        var world = world()

        let open = replay(&world) {
            $0.begin("ses_1", "msg_2", "hi", answer: "msg_3")
            self.open(&$0)
            say("One", &$0)
            $0.book.replayGap(endsTurns: true)
        }

        #expect(open.isEmpty)
    }

    @Test func `an answer that has ended is not replayed`() throws {
        var world = world()

        let open = replay(&world) {
            $0.begin("ses_1", "msg_2", "hi", answer: "msg_3")
            $0.text("ses_1", "msg_3", "prt_msg_3", ["One"])
            $0.idle("ses_1")
        }

        #expect(open.isEmpty)
        #expect(world.book.takeChanges().isEmpty)
    }

    @Test func `an answer whose first events are missing has its texts in the order of the list`() {
        var world = world(complete: "One")

        let open = replay(&world) {
            $0.busy("ses_1")
            $0.hear("message.updated", ["info": PretendOpenCode.assistantInfo("msg_3", to: "msg_2")])
            self.open(&$0)
            say("Two", &$0)
        }
        load(&world)
        complete("Two", &world)

        #expect(open.isEmpty)
        #expect(chunks(world.got()).joined() == "One\n\nTwo")
    }

    @Test func `an end that was missed is found by asking`() throws {
        var world = world()

        let open = replay(&world) {
            $0.begin("ses_1", "msg_2", "hi", answer: "msg_3")
            self.open(&$0)
            say("One", &$0)
            $0.book.replayGap(endsTurns: false)
        }
        load(&world)
        world.server.working = []
        world.server.sessions[0].messages.removeLast()
        world.server.sessions[0].messages.append(PretendOpenCode.assistant("msg_3", to: "msg_2", "One two"))
        let check = try world.settle(world.book.check("ses_1")).get()
        world.tell(world.book.checked(check, at: world.now))

        let got = world.got()
        #expect(open == ["ses_1"])
        #expect(chunks(got) == ["One", " two"])
        #expect(got.last?["type"] == "assistant_done")
    }

    @Test func `a list of messages has the running answer as far as it was received`() throws {
        var world = world()

        _ = replay(&world) {
            $0.begin("ses_1", "msg_2", "hi", answer: "msg_3")
            self.open(&$0)
            say("One", &$0)
        }
        let messages = try world.ask("GET", "/conversations/\(id)/messages")
        let conversation = try world.ask("GET", "/conversations/\(id)")

        #expect(messages.json["items"]?.array?.last?["text"] == "One")
        #expect(conversation.json["messages"]?.array?.last?["text"] == "One")
        #expect(conversation.json["lastMessage"]?["text"] == "One")
    }
}
