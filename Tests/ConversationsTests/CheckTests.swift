import Conversations
import Dialects
import JSONText
import Testing

/// What OpenCode says when it is asked whether a session still works, while messages are on their way to it.
@Suite struct CheckTests {
    private let id = ConversationID(session: "ses_1").text

    private func loaded() -> World {
        var world = World([PretendOpenCode.talk("ses_1", pairs: 1)])
        // Messages need not ask for them any more.
        _ = world.request("GET", "/models")
        world.open()
        world.say(#"{"type":"load_conversation","conversationId":"\#(id)"}"#)
        _ = world.got()
        return world
    }

    private func say(_ text: String, _ world: inout World) {
        world.say(#"{"type":"user_message","conversationId":"\#(id)","content":"\#(text)"}"#)
    }

    private func checked(_ world: inout World) throws {
        let check = try world.settle(world.book.check("ses_1")).get()
        world.tell(world.book.checked(check, at: world.now))
    }

    @Test func aPromptThatWasNotSentYetIsNotEndedByACheck() throws {
        var world = loaded()
        world.isHeld = true
        say("hi", &world)
        try checked(&world)
        #expect(world.got().isEmpty)
        world.release()
        let prompt = try #require(world.server.prompts.last?["messageID"]?.text)
        world.begin("ses_1", prompt, "hi", answer: "msg_3")
        world.text("ses_1", "msg_3", "prt_1", ["Hello"])
        world.idle("ses_1")
        #expect(world.got().map(\.outline) == ["assistant_chunk Hello", "assistant_done"])
    }

    @Test(arguments: [true, false])
    func aCheckEndsWhatOpenCodeHadWhenItBegan(isChat: Bool) throws {
        var world = loaded()
        let early = world.book.check("ses_1")
        if isChat {
            say("hi", &world)
        } else {
            _ = world.request("POST", "/conversations/\(id)/messages", body: ["text": "hi"])
        }
        let check = try world.settle(early).get()
        world.tell(world.book.checked(check, at: world.now))
        #expect(world.got().isEmpty && !world.streams.contains { $0.isOver })
        try checked(&world)
        #expect(world.got().map(\.outline) == ["assistant_done"])
        #expect(world.streams.allSatisfy(\.isOver) && world.streams.count == (isChat ? 0 : 1))
    }

    /// An OpenCode may tell of a message before it answers its prompt, and under an id of its own.
    @Test(arguments: [true, false])
    func whatOpenCodeHasToldOfIsEndedByACheckThoughItsPromptIsNotAnswered(isRenamed: Bool) throws {
        var world = loaded()
        world.isLate = true
        say("hi", &world)
        world.isLate = false
        let sent = try #require(world.server.prompts.last?["messageID"]?.text)
        world.heard(PretendOpenCode.user(isRenamed ? "msg_2own" : sent, "hi"), of: "ses_1")
        try checked(&world)
        #expect(world.got().map(\.outline) == ["assistant_done"])
    }
}
