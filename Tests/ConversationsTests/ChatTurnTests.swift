import Conversations
import Dialects
import JSONText
import Testing

/// What happens to an answer while it is written.
@Suite struct ChatTurnTests {
    private let id = ConversationID(session: "ses_1").text

    private func load(_ world: inout World, _ chat: Int) {
        world.open(chat)
        world.say(#"{"type":"load_conversation","conversationId":"\#(id)"}"#, chat)
    }

    /// A world in which a chat has loaded the conversation and an answer has begun.
    private func begun() -> World {
        var world = World([PretendOpenCode.talk("ses_1", pairs: 1)])
        load(&world, 1)
        world.begin("ses_1", "msg_2", "hi", answer: "msg_3")
        _ = world.got()
        return world
    }

    private func chunks(_ messages: [JSON]) -> String {
        messages.filter { $0["type"] == "assistant_chunk" }.compactMap { $0["content"]?.text }.joined()
    }

    private func kinds(_ messages: [JSON]) -> [String] { messages.compactMap { $0["type"]?.text } }

    @Test func severalSocketsSeeTheSame() {
        var world = begun()
        load(&world, 2)
        _ = world.got(2)
        world.text("ses_1", "msg_3", "prt_1", ["one", " two"])
        world.idle("ses_1")
        let (one, other) = (world.got(1), world.got(2))
        #expect(one == other && kinds(one) == ["assistant_chunk", "assistant_chunk", "assistant_done"])
    }

    @Test func aSocketSeesNothingOfConversationsThatItDidNotOpen() {
        var world = begun()
        world.open(2)
        _ = world.got(2)
        world.text("ses_1", "msg_3", "prt_1", ["one"])
        #expect(world.got(2).isEmpty)
    }

    @Test(arguments: [0, 1, 2, 3, 4, 5, 6, 7])
    func aReconnectionGetsAllSoFarAndThenGoesOnWithNothingTwice(events: Int) {
        var world = begun()
        let all: [(inout World) -> Void] = [
            { $0.spoken("reasoning", "ses_1", "msg_3", "prt_0", "", end: nil) },
            { $0.delta("ses_1", "msg_3", "prt_0", "Hm") },
            { $0.text("ses_1", "msg_3", "prt_1", ["Let me ", "look."]) },
            { $0.tool("ses_1", "msg_3", "prt_2", ["status": "running", "input": ["a": 1], "time": ["start": 1]]) },
            {
                $0.tool(
                    "ses_1", "msg_3", "prt_2",
                    ["status": "completed", "input": ["a": 1], "output": "x", "time": ["start": 1, "end": 2]])
            },
            { $0.text("ses_1", "msg_3", "prt_3", ["It is", " x"], isWhole: false) },
            { $0.delta("ses_1", "msg_3", "prt_3", ".") },
        ]
        for event in all[..<events] { event(&world) }
        load(&world, 2)
        for event in all[events...] { event(&world) }
        world.idle("ses_1")
        let got = Array(world.got(2).dropFirst())
        #expect(got.first?["metadata"]?["messages"]?.array?.count == 2)
        #expect(chunks(got) == "Let me look.\n\nIt is x.")
        #expect(chunks(got) == chunks(world.got(1)))
        let counted = kinds(got).filter { $0 != "assistant_chunk" && $0 != "thinking_chunk" }
        #expect(
            counted == [
                "conversation_loaded", "thinking_done", "tool_call_start", "tool_call_done", "assistant_done",
            ])
    }

    @Test func aListThatIsAheadOfTheEventsIsTakenOnce() {
        var world = begun()
        world.server.sessions[0].messages += [
            PretendOpenCode.user("msg_2", "hi"),
            PretendOpenCode.assistant("msg_3", to: "msg_2", "Hello", isDone: false),
        ]
        load(&world, 2)
        world.text("ses_1", "msg_3", "prt_msg_3", ["Hel", "lo", " you"])
        world.idle("ses_1")
        #expect(chunks(world.got(1)) == "Hello you" && chunks(world.got(2)) == "Hello you")
    }

    @Test func aTurnThatEndsWhileItsListIsReadIsReadAgain() {
        var world = begun()
        world.text("ses_1", "msg_3", "prt_1", ["Hello"])
        world.isHeld = true
        load(&world, 2)
        world.idle("ses_1")
        world.server.sessions[0].messages += [
            PretendOpenCode.user("msg_2", "hi"), PretendOpenCode.assistant("msg_3", to: "msg_2", "Hello"),
        ]
        world.server.asked = []
        world.release()
        let loaded = world.got(2).last
        #expect(loaded?["metadata"]?["messages"]?.array?.compactMap { $0["content"]?.text }.last == "Hello")
        #expect(world.server.asked.count == 2)
        #expect(kinds(world.got(1)).count { $0 == "assistant_done" } == 1)
    }

    @Test func anAnswerThatFailsEndsWithAnErrorAndItsEnd() {
        var world = begun()
        world.tool("ses_1", "msg_3", "prt_1", ["status": "running", "input": [:], "time": ["start": 1]])
        world.hear(
            "session.error",
            [
                "sessionID": "ses_1",
                "error": ["name": "APIError", "data": ["message": "Unauthorized", "statusCode": 401]],
            ])
        world.idle("ses_1")
        world.idle("ses_1")
        let got = world.got()
        #expect(kinds(got) == ["tool_call_start", "tool_call_done", "error", "assistant_done"])
        #expect(got[1]["metadata"]?["success"] == false)
        #expect(got[2]["content"] == "Unauthorized" && got[2]["metadata"]?["code"] == "API_ERROR")
    }

    @Test func cancelGenerationBreaksOffToolsFirstAndEndsTheAnswerOnce() {
        var world = begun()
        world.text("ses_1", "msg_3", "prt_1", ["Hel"], isWhole: false)
        world.tool("ses_1", "msg_3", "prt_2", ["status": "running", "input": [:], "time": ["start": 1]])
        world.server.working = ["ses_1"]
        world.say(#"{"type":"cancel_generation","conversationId":"\#(id)"}"#)
        #expect(world.server.asked.contains("POST /session/ses_1/abort"))
        world.hear(
            "session.error",
            ["sessionID": "ses_1", "error": ["name": "MessageAbortedError", "data": ["message": "Aborted"]]])
        world.idle("ses_1")
        world.spoken("text", "ses_1", "msg_3", "prt_1", "Hel", end: 5_000)
        world.idle("ses_1")
        #expect(kinds(world.got()) == ["assistant_chunk", "tool_call_start", "tool_call_done", "assistant_done"])
    }

    @Test func cancelOfAnIdleConversationIsSilent() {
        var world = World([PretendOpenCode.talk("ses_1", pairs: 1)])
        load(&world, 1)
        _ = world.got()
        world.say(#"{"type":"cancel_generation","conversationId":"\#(id)"}"#)
        world.say(#"{"type":"cancel_generation","conversationId":"\#(World.mine)"}"#)
        #expect(world.got().isEmpty && !world.server.asked.contains("POST /session/ses_1/abort"))
    }

    @Test func aMessageThatIsCancelledBeforeItIsSentIsNotSent() {
        var world = World()
        world.open()
        world.isHeld = true
        world.say(#"{"type":"user_message","conversationId":"\#(World.mine)","content":"one"}"#)
        world.say(#"{"type":"user_message","conversationId":"\#(World.mine)","content":"two"}"#)
        world.say(#"{"type":"cancel_generation","conversationId":"\#(World.mine)"}"#)
        world.release()
        #expect(kinds(world.got()) == ["status", "assistant_done", "assistant_done"])
        #expect(world.server.prompts.isEmpty)
    }

    @Test func aSecondMessageSteersAndEachAnswerEndsOnce() throws {
        var world = World([PretendOpenCode.talk("ses_1", pairs: 1)])
        load(&world, 1)
        for text in ["first", "second"] {
            world.say(#"{"type":"user_message","conversationId":"\#(id)","content":"\#(text)"}"#)
        }
        let ids = world.server.prompts.compactMap { $0["messageID"]?.text }
        try #require(ids.count == 2 && !world.server.asked.contains("POST /session/ses_1/abort"))
        _ = world.got()
        world.begin("ses_1", ids[0], "first", answer: "msg_3")
        world.text("ses_1", "msg_3", "prt_1", ["One"])
        world.heard(PretendOpenCode.user(ids[1], "second"), of: "ses_1")
        world.hear("message.updated", ["info": PretendOpenCode.assistantInfo("msg_4", to: ids[1])])
        world.text("ses_1", "msg_4", "prt_2", ["Two"])
        world.idle("ses_1")
        let got = world.got()
        #expect(kinds(got) == ["assistant_chunk", "assistant_done", "assistant_chunk", "assistant_done"])
        #expect(got[1]["id"] != got[3]["id"])
    }

    @Test func whatOpenCodeDoesNotAnswerEndsAllTheSame() throws {
        var world = World([PretendOpenCode.talk("ses_1", pairs: 1)])
        load(&world, 1)
        world.say(#"{"type":"user_message","conversationId":"\#(id)","content":"hi"}"#)
        let prompt = try #require(world.server.prompts.first?["messageID"]?.text)
        _ = world.got()
        world.heard(PretendOpenCode.user(prompt, "hi"), of: "ses_1")
        world.busy("ses_1")
        world.hear(
            "session.error",
            ["sessionID": "ses_1", "error": ["name": "UnknownError", "data": ["message": "Model not found: a/b."]]])
        world.idle("ses_1")
        let got = world.got()
        #expect(kinds(got) == ["error", "assistant_done"] && got[0]["content"] == "Model not found: a/b.")
    }

    @Test func aPromptThatOpenCodeRefusesIsAnErrorAndAnEnd() {
        var world = World([PretendOpenCode.talk("ses_1", pairs: 1)])
        load(&world, 1)
        _ = world.got()
        world.server.instead["POST /session/ses_1/prompt_async"] = OpenCodeAnswer(500, [])
        world.say(#"{"type":"user_message","conversationId":"\#(id)","content":"hi"}"#)
        #expect(kinds(world.got()) == ["error", "assistant_done"])
        world.idle("ses_1")
        #expect(world.got().isEmpty)
    }

    @Test func anInstanceThatEndsEndsItsAnswers() {
        var world = begun()
        world.tell(world.book.instanceEnded("OpenCode of demo has ended.", at: world.now))
        let got = world.got()
        #expect(kinds(got) == ["error", "assistant_done"] && got[0]["content"] == "OpenCode of demo has ended.")
    }

    @Test func textsThatAreMissingAreToldWhenTheyAreWhole() {
        var world = begun()
        world.text("ses_1", "msg_3", "prt_1", ["one "], isWhole: false)
        #expect(world.book.missed() == ["ses_1"])
        world.delta("ses_1", "msg_3", "prt_1", "three")
        world.spoken("text", "ses_1", "msg_3", "prt_1", "one two three", end: 5)
        #expect(chunks(world.got()) == "one two three")
    }

    @Test func anEndThatWasMissedIsFoundByAsking() throws {
        var world = begun()
        world.text("ses_1", "msg_3", "prt_1", ["Hel"], isWhole: false)
        #expect(world.book.quiet(for: 30_000, at: world.now + 29_999).isEmpty)
        #expect(world.book.quiet(for: 30_000, at: world.now + 30_000) == ["ses_1"])
        world.server.sessions[0].messages += [
            PretendOpenCode.user("msg_2", "hi"),
            [
                "info": PretendOpenCode.assistantInfo("msg_3", to: "msg_2", isDone: true),
                "parts": [
                    [
                        "id": "prt_1", "sessionID": "ses_1", "messageID": "msg_3", "type": "text", "text": "Hello",
                        "time": ["start": 1, "end": 2],
                    ]
                ],
            ],
        ]
        let check = try world.settle(world.book.check("ses_1")).get()
        world.tell(world.book.checked(check, at: world.now))
        #expect(world.got().map(\.outline) == ["assistant_chunk Hel", "assistant_chunk lo", "assistant_done"])
    }

    @Test func aSessionThatIsGoneWithoutAWordIsFoundByAsking() throws {
        var world = World([PretendOpenCode.talk("ses_1", pairs: 1)])
        load(&world, 1)
        _ = world.got()
        world.server.sessions = []
        // OpenCode 1.1 takes prompts for sessions that it does not have.
        world.server.instead["POST /session/ses_1/prompt_async"] = OpenCodeAnswer(204, [])
        world.say(#"{"type":"user_message","conversationId":"\#(id)","content":"hi"}"#)
        #expect(world.book.quiet(for: 1, at: world.now + 1) == ["ses_1"])
        let check = try world.settle(world.book.check("ses_1")).get()
        world.tell(world.book.checked(check, at: world.now))
        #expect(kinds(world.got()) == ["assistant_done", "conversation_deleted"])
        #expect(world.book.quiet(for: 1, at: world.now + 2).isEmpty)
    }

    @Test func halfASurrogatePairWaitsForItsOtherHalf() {
        var world = begun()
        world.spoken("text", "ses_1", "msg_3", "prt_1", "", end: nil)
        world.delta("ses_1", "msg_3", "prt_1", .brokenString(Array(#"a\ud83d"#.utf8)))
        world.delta("ses_1", "msg_3", "prt_1", .brokenString(Array(#"\ude80b"#.utf8)))
        world.delta("ses_1", "msg_3", "prt_1", .brokenString(Array(#"\\ud83d\ude80"#.utf8)))
        #expect(chunks(world.got()) == #"a🚀b\ud83d"# + "\u{FFFD}")
    }

    @Test func longTextsAreSplitBetweenCharactersAt64KiB() {
        var world = begun()
        let text = "x" + String(repeating: "👨‍👩‍👧‍👦", count: 6_000)
        world.spoken("text", "ses_1", "msg_3", "prt_1", text, end: 5)
        let parts = world.got().compactMap { $0["content"]?.text }
        #expect(parts.joined() == text && parts.count == 3)
        #expect(parts.allSatisfy { $0.utf8.count <= 65_536 && $0.utf8.count > 18_000 })
        #expect(parts.reduce(0) { $0 + $1.count } == 6_001)
    }

    @Test func conversationLoadedHoldsTheNewestMessagesOfThreeQuartersOfAMebibyte() {
        var session = PretendOpenCode.Kept(id: "ses_1", title: "Long", updated: 1)
        for number in 100..<400 {
            session.messages.append(
                PretendOpenCode.user("msg_\(number)a", String(repeating: "\(number) ", count: 2_500)))
        }
        var world = World([session])
        world.open()
        world.say(#"{"type":"load_conversation","conversationId":"\#(id)"}"#)
        let loaded = world.got().last
        let size = loaded?.bytes.count ?? 0
        #expect(size <= 768 * 1024 + 300 && size > 740 * 1024)
        #expect(loaded?["metadata"]?["truncated"] == true)
        #expect(loaded?["metadata"]?["messages"]?.array?.last?["content"]?.text?.hasPrefix("399 ") == true)
        #expect(world.server.asked.count { $0.hasSuffix("message") } == 1)
    }
}
