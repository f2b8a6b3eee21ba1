import Conversations
import Dialects
import JSONText
import Testing

/// What a chat's messages wait for, and what becomes of them when their client goes.
@Suite struct ChatOrderTests {
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

    /// OpenCode's word for the end of what was broken off may be heard after its answer.
    private func hearsTheEnd(_ world: inout World) {
        world.hear(
            "session.error",
            ["sessionID": "ses_1", "error": ["name": "MessageAbortedError", "data": ["message": "Aborted"]]])
        world.idle("ses_1")
    }

    @Test func aMessageBehindACancellationWaitsUntilWhatRanIsBrokenOff() throws {
        var world = loaded()
        say("one", &world)
        let first = try #require(world.server.prompts.last?["messageID"]?.text)
        world.begin("ses_1", first, "one", answer: "msg_3")
        world.text("ses_1", "msg_3", "prt_1", ["Hel"], isWhole: false)
        world.isHeld = true
        world.say(#"{"type":"cancel_generation","conversationId":"\#(id)"}"#)
        world.isHeld = false
        say("two", &world)
        world.say(#"{"type":"ping"}"#)
        #expect(world.server.prompts.count == 1)
        hearsTheEnd(&world)
        world.release()
        let second = try #require(world.server.prompts.last?["messageID"]?.text)
        #expect(second != first)
        world.begin("ses_1", second, "two", answer: "msg_4")
        world.text("ses_1", "msg_4", "prt_2", ["Two"])
        world.idle("ses_1")
        #expect(
            world.got().map(\.outline) == [
                "assistant_chunk Hel", "pong", "assistant_done", "assistant_chunk Two", "assistant_done",
            ])
    }

    @Test func aMessageBehindOneThatIsBrokenOffWhileItIsSentWaits() {
        var world = loaded()
        world.isHeld = true
        say("one", &world)
        world.say(#"{"type":"cancel_generation","conversationId":"\#(id)"}"#)
        say("two", &world)
        world.release()
        let asked = world.server.asked.filter { $0.hasPrefix("POST") }.compactMap { $0.split(separator: "/").last }
        // What ran before is broken off with it.
        #expect(asked == ["prompt_async", "abort", "abort", "prompt_async"])
    }

    @Test func whoseClientGoesIsStillSentAndDeletedInItsOrderAndNothingElseIsDone() {
        var world = loaded()
        world.server.asked = []
        world.isHeld = true
        say("one", &world)
        for type in ["list_conversations", "new_conversation"] { world.say(#"{"type":"\#(type)"}"#) }
        say("two", &world)
        world.say(#"{"type":"delete_conversation","conversationId":"\#(id)"}"#)
        world.leave()
        world.release()
        let prompt = "POST /session/ses_1/prompt_async"
        #expect(world.server.asked == [prompt, prompt, "DELETE /session/ses_1"])
        // What was said before it went may be read later.
        world.say(#"{"type":"list_conversations"}"#)
        #expect(world.server.asked.count == 3)
    }

    @Test func whoseKeyIsRevokedGetsNothingMoreDone() {
        var world = loaded()
        world.server.asked = []
        world.isHeld = true
        world.say(
            #"{"type":"user_message","conversationId":"\#(ConversationID(session: "ses_9").text)","content":"new"}"#)
        say("two", &world)
        world.say(#"{"type":"delete_conversation","conversationId":"\#(id)"}"#)
        world.revoke()
        world.release()
        #expect(!world.server.asked.contains { $0.hasSuffix("prompt_async") || $0.hasPrefix("DELETE") })
    }
}
