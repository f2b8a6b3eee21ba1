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

    /// OpenCode's last word on a message that was aborted.
    private func aborted(_ message: String, of user: String, _ world: inout World) {
        world.hear(
            "message.updated",
            [
                "info": [
                    "id": .string(message), "sessionID": "ses_1", "role": "assistant", "parentID": .string(user),
                    "modelID": "talk", "providerID": "twin", "mode": "build", "agent": "build",
                    "path": ["cwd": "/home/vibe/demo", "root": "/home/vibe/demo"], "cost": 0,
                    "tokens": ["input": 0, "output": 0, "reasoning": 0, "cache": ["read": 0, "write": 0]],
                    "time": ["created": 2_000, "completed": 3_000],
                    "error": ["name": "MessageAbortedError", "data": ["message": "Aborted"]],
                ]
            ])
    }

    @Test func `an abort has ended when the session is idle and the message has its error`() throws {
        for isIdleFirst in [true, false] {
            var world = loaded()
            say("one", &world)
            let first = try #require(world.server.prompts.last?["messageID"]?.text)
            world.begin("ses_1", first, "one", answer: "msg_3")

            world.book.abort("ses_1")
            let wasEnding = world.book.isEnding("ses_1")
            if isIdleFirst { world.idle("ses_1") } else { aborted("msg_3", of: first, &world) }
            let isHalfEnded = world.book.isEnding("ses_1")
            if isIdleFirst { aborted("msg_3", of: first, &world) } else { world.idle("ses_1") }

            #expect(wasEnding)
            #expect(isHalfEnded)
            #expect(!world.book.isEnding("ses_1"))
        }
    }

    @Test func `an idle session has nothing to end`() {
        var world = loaded()

        world.book.abort("ses_1")

        #expect(!world.book.isEnding("ses_1"))
    }

    @Test func `an answer that nobody here has aborted ends with an error`() throws {
        var world = loaded()
        say("one", &world)
        let first = try #require(world.server.prompts.last?["messageID"]?.text)
        world.begin("ses_1", first, "one", answer: "msg_3")
        _ = world.got()

        aborted("msg_3", of: first, &world)
        world.idle("ses_1")

        #expect(world.got().map { $0["type"]?.text } == ["error", "assistant_done"])
    }

    @Test func `before 1_18 an answer that nobody here has aborted ends with an error after session_idle`() throws {
        var world = loaded()
        say("one", &world)
        let first = try #require(world.server.prompts.last?["messageID"]?.text)
        world.begin("ses_1", first, "one", answer: "msg_3")
        _ = world.got()

        world.idle("ses_1", isHeld: true)
        let atIdle = world.got()
        let isEnding = world.book.isEnding("ses_1")
        aborted("msg_3", of: first, &world)
        let atEnd = world.got()
        world.giveUp()
        world.idle("ses_1")

        #expect(atIdle.isEmpty)
        #expect(isEnding)
        #expect(atEnd.map { $0["type"]?.text } == ["error", "assistant_done"])
        #expect(!world.book.isEnding("ses_1"))
        #expect(world.got().isEmpty)
    }

    @Test func `before 1_18 an answer that the client has aborted ends when the session is idle`() throws {
        var world = loaded()
        say("one", &world)
        let first = try #require(world.server.prompts.last?["messageID"]?.text)
        world.begin("ses_1", first, "one", answer: "msg_3")
        _ = world.got()

        world.book.abort("ses_1")
        world.idle("ses_1", isHeld: true)
        let atIdle = world.got()
        aborted("msg_3", of: first, &world)

        #expect(atIdle.map { $0["type"]?.text } == ["assistant_done"])
        #expect(world.got().isEmpty)
    }

    @Test func `an answer whose message is never completed ends when that was awaited for long enough`() throws {
        var world = loaded()
        say("one", &world)
        let first = try #require(world.server.prompts.last?["messageID"]?.text)
        world.begin("ses_1", first, "one", answer: "msg_3")
        _ = world.got()

        world.idle("ses_1", isHeld: true)
        let atIdle = world.got()
        world.giveUp()

        #expect(atIdle.isEmpty)
        #expect(world.got().map { $0["type"]?.text } == ["assistant_done"])
        #expect(!world.book.isEnding("ses_1"))
    }

    @Test func `a message that waits behind an answer that OpenCode aborts ends with an error, too`() throws {
        var world = loaded()
        say("one", &world)
        let first = try #require(world.server.prompts.last?["messageID"]?.text)
        world.begin("ses_1", first, "one", answer: "msg_3")
        say("two", &world)
        let second = try #require(world.server.prompts.last?["messageID"]?.text)
        world.heard(PretendOpenCode.user(second, "two"), of: "ses_1")
        world.busy("ses_1")
        _ = world.got()

        world.idle("ses_1", isHeld: true)
        aborted("msg_3", of: first, &world)

        let types = world.got().map { $0["type"]?.text }
        #expect(types == ["error", "assistant_done", "error", "assistant_done"])
    }

    @Test func `an answer that the client has aborted ends without an error`() throws {
        var world = loaded()
        say("one", &world)
        let first = try #require(world.server.prompts.last?["messageID"]?.text)
        world.begin("ses_1", first, "one", answer: "msg_3")
        _ = world.got()

        world.book.abort("ses_1")
        aborted("msg_3", of: first, &world)
        world.idle("ses_1")

        #expect(world.got().map { $0["type"]?.text } == ["assistant_done"])
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
