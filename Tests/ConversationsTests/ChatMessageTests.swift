import Conversations
import Dialects
import JSONText
import Storage
import Testing

/// Each message of the chat protocol, as the document has it.
@Suite struct ChatMessageTests {
    private let id = ConversationID(session: "ses_1").text

    private func world(_ pairs: Int = 1) -> World {
        var world = World([PretendOpenCode.talk("ses_1", pairs: pairs)])
        world.open()
        _ = world.got()
        return world
    }

    /// A world whose client has loaded the conversation.
    private func loaded() -> World {
        var world = world()
        world.say(#"{"type":"load_conversation","conversationId":"\#(id)"}"#)
        _ = world.got()
        return world
    }

    @Test func statusComesFirst() {
        var world = World()
        world.open()
        #expect(
            world.got().map(\.shown) == [
                #"{"type":"status","metadata":{"connected":true,"hasApiKey":true,"toolCount":0,"#
                    + #""workflowCount":0,"daemonVersion":"1.2.3"}}"#
            ])
        #expect(world.server.asked.isEmpty)
        // What is known of OpenCode by then is told to the next client.
        world.say(#"{"type":"user_message","conversationId":"\#(World.mine)","content":"hi"}"#)
        world.open(2)
        #expect(world.got(2).first?["metadata"]?["toolCount"] == 3)
    }

    @Test func pingIsAnsweredWithPong() {
        var world = world()
        world.say(#"{"type":"ping"}"#)
        #expect(world.got().map(\.shown) == [#"{"type":"pong"}"#])
    }

    @Test func newConversationIsCreatedUnderTheGatewaysOwnID() {
        var world = world()
        world.say(#"{"type":"new_conversation"}"#)
        let created = ConversationID(session: "ses_made1").text
        #expect(
            world.got().map(\.shown) == [
                #"{"type":"conversation_created","conversationId":"\#(created)","metadata":{"title":"New session"}}"#
            ])
    }

    @Test func listConversationsGivesTheNewestMessageFirst() {
        var world = World([
            PretendOpenCode.talk("ses_1", title: "Old", updated: 9_999, pairs: 1),
            PretendOpenCode.talk("ses_2", title: "New", updated: 5_000, pairs: 3),
            PretendOpenCode.Kept(id: "ses_3", title: "A task", updated: 6_000, parentID: "ses_1"),
            PretendOpenCode.Kept(id: "ses_4", title: "Put away", updated: 6_000, archived: 7),
        ])
        world.open()
        _ = world.got()
        world.say(#"{"type":"list_conversations"}"#)
        let second = ConversationID(session: "ses_2").text
        #expect(
            world.got().map(\.shown) == [
                #"{"type":"conversation_list","metadata":{"conversations":[{"id":"\#(second)","title":"New","#
                    + #""lastMessageAt":"1970-01-01T00:00:02Z","messageCount":6},{"id":"\#(id)","title":"Old","#
                    + #""lastMessageAt":"1970-01-01T00:00:02Z","messageCount":2}]}}"#
            ])
        // Counted once.
        world.server.asked = []
        world.say(#"{"type":"list_conversations"}"#)
        #expect(world.server.asked == ["GET /session"])
    }

    @Test func loadConversationGivesItsMessages() {
        var world = world()
        world.say(#"{"type":"load_conversation","conversationId":"\#(id.uppercased())"}"#)
        #expect(
            world.got().map(\.shown) == [
                #"{"type":"conversation_loaded","conversationId":"\#(id)","metadata":{"title":"A talk","messages":["#
                    + #"{"role":"user","content":"Question 0","timestamp":"1970-01-01T00:00:02Z"},"#
                    + #"{"role":"assistant","content":"Answer 0","timestamp":"1970-01-01T00:00:02Z"}]}}"#
            ])
    }

    @Test func anUnknownConversationCanBeNeitherLoadedNorDeleted() {
        var world = world()
        for type in ["load_conversation", "delete_conversation"] {
            world.say(#"{"type":"\#(type)","conversationId":"\#(World.mine)"}"#)
            let got = world.got()
            #expect(got.map { $0["type"]?.text } == ["error"])
            #expect(got.first?["metadata"]?["code"] == "STORAGE_ERROR")
        }
    }

    @Test func deleteConversationIsConfirmedToWhoeverSeesIt() {
        var world = loaded()
        world.open(2)
        world.say(#"{"type":"load_conversation","conversationId":"\#(id)"}"#, 2)
        _ = world.got(2)
        world.say(#"{"type":"delete_conversation","conversationId":"\#(id)"}"#)
        let confirmed = #"{"type":"conversation_deleted","conversationId":"\#(id)"}"#
        #expect(world.got(1).map(\.shown) == [confirmed])
        #expect(world.got(2).map(\.shown) == [confirmed])
        // OpenCode's own word for it comes behind.
        world.hear(
            "session.deleted",
            ["sessionID": "ses_1", "info": world.server.shown(.init(id: "ses_1", title: "t", updated: 1))])
        let later = world.got(1) + world.got(2)
        #expect(later.isEmpty)
        #expect(world.server.sessions.isEmpty)
    }

    /// OpenCode says that a session is gone before it answers who asked for that; who asks second is answered 404.
    @Test(arguments: [[1, 3], [3, 1]])
    func whatIsDeletedIsToldOnceUnderTheClientsOwnIDThoughTheEventComesFirst(deleters: [Int]) {
        var world = world()
        for chat in [1, 2] {
            world.open(chat)
            world.say(#"{"type":"user_message","conversationId":"\#(World.mine)","content":"hi"}"#, chat)
        }
        // The third has not looked at it.
        world.open(3)
        for chat in [1, 2, 3] { _ = world.got(chat) }
        world.isHeld = true
        for chat in deleters { world.say(#"{"type":"delete_conversation","conversationId":"\#(World.mine)"}"#, chat) }
        let session = world.server.shown(.init(id: "ses_made1", title: "t", updated: 1))
        world.hear("session.deleted", ["sessionID": "ses_made1", "info": session])
        world.release()
        let confirmed = #"{"type":"conversation_deleted","conversationId":"\#(World.mine)"}"#
        for chat in [1, 2] {
            let got = world.got(chat).filter { $0["type"] != "assistant_done" }
            #expect(got.map(\.shown) == [confirmed])
        }
        let third = world.got(3)
        if deleters.first == 3 {
            #expect(third.map(\.shown) == [confirmed])
        } else {
            #expect(third.map { $0["metadata"]?["code"] } == ["STORAGE_ERROR"])
        }
    }

    @Test func aMessageToAnUnknownConversationMakesItUnderTheClientsOwnID() {
        var world = world()
        let text = String(repeating: "👨‍👩‍👧‍👦é", count: 40)
        world.say(#"{"type":"user_message","conversationId":"\#(World.mine)","content":"\#(text)"}"#)
        #expect(world.server.sessions.last?.title == String(text.prefix(50)))
        #expect(world.server.prompts.first?["parts"]?.array?.first?["text"]?.text == text)
        #expect(world.got().isEmpty)
        world.begin("ses_made1", "msg_2", "hi", answer: "msg_3")
        world.text("ses_made1", "msg_3", "prt_1", ["Hello"])
        #expect(world.got().map { $0["conversationId"]?.text } == [World.mine])
        // It is found again in any letter case, and given back as it was written.
        world.say(#"{"type":"user_message","conversationId":"\#(World.mine.lowercased())","content":"more"}"#)
        #expect(world.server.prompts.count == 2 && world.server.sessions.count == 2)
        #expect(
            world.book.takeChanges().contains {
                if case .set(let entry) = $0 { entry.chosen == World.mine } else { false }
            })
    }

    @Test func textComesInChunksAndEndsOnce() {
        var world = loaded()
        world.begin("ses_1", "msg_2", "hi", answer: "msg_3")
        world.text("ses_1", "msg_3", "prt_1", ["Hel", "lo"])
        world.idle("ses_1")
        let got = world.got()
        #expect(
            got.dropLast().map(\.shown)
                == ["Hel", "lo"].map {
                    #"{"type":"assistant_chunk","conversationId":"\#(id)","content":"\#($0)"}"#
                })
        #expect(got.last?["type"] == "assistant_done" && got.last?["conversationId"]?.text == id)
        #expect(got.last?["id"]?.text.flatMap(ConversationID.init) != nil)
    }

    @Test func thoughtsComeInChunksAndTheFirstTextEndsThem() {
        var world = loaded()
        world.begin("ses_1", "msg_2", "hi", answer: "msg_3")
        world.spoken("reasoning", "ses_1", "msg_3", "prt_1", "", end: nil)
        world.delta("ses_1", "msg_3", "prt_1", "Hm")
        world.spoken("reasoning", "ses_1", "msg_3", "prt_1", "Hm", end: 5_000)
        world.text("ses_1", "msg_3", "prt_2", ["So."])
        world.spoken("reasoning", "ses_1", "msg_3", "prt_3", "Again", start: 6_000, end: 6_000)
        world.tool("ses_1", "msg_3", "prt_4", ["status": "running", "input": [:], "time": ["start": 1]])
        #expect(
            world.got().map(\.outline) == [
                "thinking_chunk Hm", "thinking_done 2.001", "assistant_chunk So.", "thinking_chunk Again",
                "thinking_done 0.001", "tool_call_start bash",
            ])
    }

    @Test func aToolIsToldWhenItBeginsAndWhenItIsDone() {
        var world = loaded()
        world.begin("ses_1", "msg_2", "hi", answer: "msg_3")
        world.tool("ses_1", "msg_3", "prt_1", ["status": "pending", "input": [:], "raw": ""])
        #expect(world.got().isEmpty)
        let input: JSON = ["command": "ls", "deep": ["a": [1, true, .null]]]
        world.tool("ses_1", "msg_3", "prt_1", ["status": "running", "input": input, "time": ["start": 1_000]])
        world.tool(
            "ses_1", "msg_3", "prt_1",
            ["status": "completed", "input": input, "output": "a\nb", "time": ["start": 1_000, "end": 2_149]])
        let got = world.got()
        let tool = got.first?["id"]?.text ?? ""
        #expect(
            got.map(\.shown) == [
                #"{"type":"tool_call_start","id":"\#(tool)","conversationId":"\#(id)","metadata":{"toolName":"bash","#
                    + #""serverName":"opencode","input":{"command":"ls","deep":{"a":[1,true,null]}}}}"#,
                #"{"type":"tool_call_done","id":"\#(tool)","conversationId":"\#(id)","metadata":{"toolName":"bash","#
                    + #""success":true,"result":"a\nb","duration":1.149}}"#,
            ])
    }

    @Test func aToolThatFailsSaysWhy() {
        var world = loaded()
        world.begin("ses_1", "msg_2", "hi", answer: "msg_3")
        world.tool(
            "ses_1", "msg_3", "prt_1",
            ["status": "error", "input": [:], "error": "no such file", "time": ["start": 1_000, "end": 1_000]])
        let done = world.got().last?["metadata"]
        #expect(done?.shown == #"{"toolName":"bash","success":false,"error":"no such file","duration":0.001}"#)
    }

    @Test func aToolOfAnMCPServerNamesTheServer() {
        var world = world()
        world.say(#"{"type":"user_message","conversationId":"\#(id)","content":"hi"}"#)
        world.begin("ses_1", "msg_2", "hi", answer: "msg_3")
        world.tool(
            "ses_1", "msg_3", "prt_1", ["status": "running", "input": [:], "time": ["start": 1]],
            name: "files_on_disk_read")
        #expect(world.got().last?["metadata"]?["serverName"] == "files on disk")
    }

    @Test func longResultsAreCutAfter4000Characters() {
        var world = loaded()
        world.begin("ses_1", "msg_2", "hi", answer: "msg_3")
        for (part, count) in [("prt_1", 4_000), ("prt_2", 4_001)] {
            let output = String(repeating: "🇩🇪", count: count)
            world.tool(
                "ses_1", "msg_3", part,
                ["status": "completed", "input": [:], "output": .string(output), "time": ["start": 1, "end": 2]])
        }
        let results = world.got().compactMap { $0["metadata"]?["result"]?.text }
        let whole = String(repeating: "🇩🇪", count: 4_000)
        #expect(results == [whole, whole + "\n[...truncated]"])
    }

    @Test(arguments: [
        ("no JSON", "INVALID_MESSAGE"), ("[]", "INVALID_MESSAGE"), ("{}", "INVALID_MESSAGE"),
        (#"{"type":7}"#, "INVALID_MESSAGE"), (#"{"type":"dance"}"#, "UNKNOWN_TYPE"),
        (#"{"type":"user_message","content":"hi"}"#, "MISSING_FIELD"),
        (#"{"type":"user_message","conversationId":"A0B1C2D3-0000-4000-8000-00000000000A"}"#, "MISSING_FIELD"),
        (#"{"type":"user_message","conversationId":"x","content":"hi"}"#, "INVALID_MESSAGE"),
        (#"{"type":"load_conversation"}"#, "MISSING_FIELD"), (#"{"type":"delete_conversation"}"#, "MISSING_FIELD"),
        (#"{"type":"load_conversation","conversationId":7}"#, "INVALID_MESSAGE"),
    ])
    func whatCannotBeUnderstoodIsAnError(message: String, code: String) {
        var world = world()
        world.say(message)
        let got = world.got()
        #expect(got.map { $0["type"]?.text } == ["error"])
        #expect(got.first?["metadata"]?.shown == #"{"code":"\#(code)"}"#)
        #expect(got.first?["content"]?.text?.isEmpty == false)
        #expect(world.server.asked.isEmpty)
    }

    @Test func withoutAModelThereIsNoAPIKey() {
        var world = world()
        world.server.models = []
        world.say(#"{"type":"user_message","conversationId":"\#(id)","content":"hi"}"#)
        let got = world.got()
        #expect(got.first?["metadata"]?["code"] == "NO_API_KEY")
        #expect(got.map { $0["type"]?.text } == ["error", "assistant_done"])
    }

    /// What the status says that a new chat gets.
    private func hasKey(_ world: inout World) -> JSON? {
        world.open(2)
        return world.got(2).first?["metadata"]?["hasApiKey"]
    }

    @Test func `hasApiKey is false after NO_API_KEY and true again after a list that finds a model`() {
        var world = world()
        world.server.models = []
        let atFirst = hasKey(&world)

        world.say(#"{"type":"user_message","conversationId":"\#(id)","content":"hi"}"#)
        let afterRefusal = hasKey(&world)
        world.say(#"{"type":"list_conversations"}"#)
        let withoutModel = hasKey(&world)
        world.server.models = ["talk"]
        world.say(#"{"type":"list_conversations"}"#)
        let withModel = hasKey(&world)

        #expect(atFirst == true)
        #expect(afterRefusal == false)
        #expect(withoutModel == false)
        #expect(withModel == true)
    }

    @Test func aProjectThatDoesNotStartIsAnErrorOfTheAPI() {
        var world = world()
        let sentence = Array(#"{"error":{"message":"demo does not start"}}"#.utf8)
        world.server.instead["GET /session"] = OpenCodeAnswer(503, sentence)
        world.say(#"{"type":"list_conversations"}"#)
        let got = world.got()
        #expect(got.first?["metadata"]?["code"] == "API_ERROR")
        #expect(got.first?["content"] == "demo does not start")
    }

    @Test func withoutAProjectStatusComesAndThenAnErrorThatSaysSo() {
        var world = World()
        world.open(1, refusal: Refusal(.noProject, "Name a project: ?project=NAME"))
        world.say(#"{"type":"list_conversations"}"#)
        world.say(#"{"type":"ping"}"#)
        let got = world.got()
        #expect(got.map { $0["type"]?.text } == ["status", "error", "error", "pong"])
        #expect(got[1]["content"] == "Name a project: ?project=NAME")
    }
}
