// SPDX-License-Identifier: Apache-2.0

import Conversations
import Dialects
import JSONText
import Storage
import Testing

/// Tests each message of the chat protocol, as documented.
@Suite struct ChatMessageTests {
    private let id = ConversationID(session: "ses_1").text

    private func harness(_ pairs: Int = 1) -> ConversationHarness {
        var harness = ConversationHarness([FakeOpenCode1.talk("ses_1", pairs: pairs)])
        harness.open()
        _ = harness.got()
        return harness
    }

    /// Returns a harness whose client has loaded the conversation.
    private func loaded() -> ConversationHarness {
        var harness = harness()
        harness.send(#"{"type":"load_conversation","conversationId":"\#(id)"}"#)
        _ = harness.got()
        return harness
    }

    @Test func `status is the first message of a chat and requires no request to OpenCode`() {
        var harness = ConversationHarness()
        harness.open()

        #expect(
            harness.got().map(\.shown) == [
                #"{"type":"status","metadata":{"connected":true,"hasApiKey":true,"toolCount":0,"#
                    + #""workflowCount":0,"daemonVersion":"1.2.3"}}"#
            ])
        #expect(harness.server.requests.isEmpty)

        // The next client receives the known catalogue of OpenCode.
        harness.send(#"{"type":"user_message","conversationId":"\#(ConversationHarness.mine)","content":"hi"}"#)
        harness.open(2)

        #expect(harness.got(2).first?["metadata"]?["toolCount"] == 3)
    }

    @Test func `ping is answered with pong`() {
        var harness = harness()
        harness.send(#"{"type":"ping"}"#)

        #expect(harness.got().map(\.shown) == [#"{"type":"pong"}"#])
    }

    @Test func `new_conversation creates a conversation under the gateway's own id`() {
        var harness = harness()
        harness.send(#"{"type":"new_conversation"}"#)
        let created = ConversationID(session: "ses_made1").text

        #expect(
            harness.got().map(\.shown) == [
                #"{"type":"conversation_created","conversationId":"\#(created)","metadata":{"title":"New session"}}"#
            ])
    }

    @Test func `list_conversations sorts by the newest message and counts messages only once`() {
        var harness = ConversationHarness([
            FakeOpenCode1.talk("ses_1", title: "Old", updated: 9_999, pairs: 1),
            FakeOpenCode1.talk("ses_2", title: "New", updated: 5_000, pairs: 3),
            FakeOpenCode1.StoredSession(id: "ses_3", title: "A task", updated: 6_000, parentID: "ses_1"),
            FakeOpenCode1.StoredSession(id: "ses_4", title: "Put away", updated: 6_000, archived: 7),
        ])
        harness.open()
        _ = harness.got()
        harness.send(#"{"type":"list_conversations"}"#)
        let second = ConversationID(session: "ses_2").text

        #expect(
            harness.got().map(\.shown) == [
                #"{"type":"conversation_list","metadata":{"conversations":[{"id":"\#(second)","title":"New","#
                    + #""lastMessageAt":"1970-01-01T00:00:02Z","messageCount":6},{"id":"\#(id)","title":"Old","#
                    + #""lastMessageAt":"1970-01-01T00:00:02Z","messageCount":2}]}}"#
            ])

        // The messages are counted only once.
        harness.server.requests = []
        harness.send(#"{"type":"list_conversations"}"#)

        #expect(harness.server.requests == ["GET /session"])
    }

    @Test func `load_conversation returns the conversation's messages`() {
        var harness = harness()
        harness.send(#"{"type":"load_conversation","conversationId":"\#(id.uppercased())"}"#)

        #expect(
            harness.got().map(\.shown) == [
                #"{"type":"conversation_loaded","conversationId":"\#(id)","metadata":{"title":"A talk","messages":["#
                    + #"{"role":"user","content":"Question 0","timestamp":"1970-01-01T00:00:02Z"},"#
                    + #"{"role":"assistant","content":"Answer 0","timestamp":"1970-01-01T00:00:02Z"}]}}"#
            ])
    }

    @Test func `an unknown conversation can be neither loaded nor deleted`() {
        var harness = harness()

        for type in ["load_conversation", "delete_conversation"] {
            harness.send(#"{"type":"\#(type)","conversationId":"\#(ConversationHarness.mine)"}"#)
            let got = harness.got()
            #expect(got.map { $0["type"]?.text } == ["error"])
            #expect(got.first?["metadata"]?["code"] == "STORAGE_ERROR")
        }
    }

    @Test func `delete_conversation is confirmed once to every chat that has loaded the conversation`() {
        var harness = loaded()
        harness.open(2)
        harness.send(#"{"type":"load_conversation","conversationId":"\#(id)"}"#, 2)
        _ = harness.got(2)
        harness.send(#"{"type":"delete_conversation","conversationId":"\#(id)"}"#)
        let confirmed = #"{"type":"conversation_deleted","conversationId":"\#(id)"}"#

        #expect(harness.got(1).map(\.shown) == [confirmed])
        #expect(harness.got(2).map(\.shown) == [confirmed])

        // OpenCode's own event arrives later.
        harness.receiveEvent(
            "session.deleted",
            ["sessionID": "ses_1", "info": harness.server.shown(.init(id: "ses_1", title: "t", updated: 1))])
        let later = harness.got(1) + harness.got(2)

        #expect(later.isEmpty)
        #expect(harness.server.sessions.isEmpty)
    }

    /// OpenCode sends the event of a deletion before the response; a second deletion receives the response 404.
    @Test(arguments: [[1, 3], [3, 1]])
    func `a deletion is confirmed once under the client's id, even after OpenCode's own event`(deleters: [Int]) {
        var harness = harness()
        for chat in [1, 2] {
            harness.open(chat)
            harness.send(
                #"{"type":"user_message","conversationId":"\#(ConversationHarness.mine)","content":"hi"}"#, chat)
        }
        // The third client does not watch the conversation.
        harness.open(3)
        for chat in [1, 2, 3] { _ = harness.got(chat) }

        harness.holdsRequests = true
        for chat in deleters {
            harness.send(#"{"type":"delete_conversation","conversationId":"\#(ConversationHarness.mine)"}"#, chat)
        }
        let session = harness.server.shown(.init(id: "ses_made1", title: "t", updated: 1))
        harness.receiveEvent("session.deleted", ["sessionID": "ses_made1", "info": session])
        harness.release()

        let confirmed = #"{"type":"conversation_deleted","conversationId":"\#(ConversationHarness.mine)"}"#
        for chat in [1, 2] {
            let got = harness.got(chat).filter { $0["type"] != "assistant_done" }
            #expect(got.map(\.shown) == [confirmed])
        }

        let third = harness.got(3)
        if deleters.first == 3 {
            #expect(third.map(\.shown) == [confirmed])
        } else {
            #expect(third.map { $0["metadata"]?["code"] } == ["STORAGE_ERROR"])
        }
    }

    @Test func `a message to an unknown conversation creates it under the client's own id`() {
        var harness = harness()
        let text = String(repeating: "👨‍👩‍👧‍👦é", count: 40)
        harness.send(#"{"type":"user_message","conversationId":"\#(ConversationHarness.mine)","content":"\#(text)"}"#)

        #expect(harness.server.sessions.last?.title == String(text.prefix(50)))
        #expect(harness.server.prompts.first?["parts"]?.array?.first?["text"]?.text == text)
        #expect(harness.got().isEmpty)

        harness.startTurn("ses_made1", "msg_2", "hi", answer: "msg_3")
        harness.text("ses_made1", "msg_3", "prt_1", ["Hello"])

        #expect(harness.got().map { $0["conversationId"]?.text } == [ConversationHarness.mine])

        // The id is found in any letter case, and returned in its first spelling.
        harness.send(
            #"{"type":"user_message","conversationId":"\#(ConversationHarness.mine.lowercased())","content":"more"}"#)

        #expect(harness.server.prompts.count == 2)
        #expect(harness.server.sessions.count == 2)
        #expect(
            harness.state.takeChanges().contains {
                if case .set(let entry) = $0 { entry.chosen == ConversationHarness.mine } else { false }
            })
    }

    @Test func `text is sent in chunks and ends with one assistant_done`() {
        var harness = loaded()
        harness.startTurn("ses_1", "msg_2", "hi", answer: "msg_3")
        harness.text("ses_1", "msg_3", "prt_1", ["Hel", "lo"])
        harness.idle("ses_1")
        let got = harness.got()

        #expect(
            got.dropLast().map(\.shown)
                == ["Hel", "lo"].map {
                    #"{"type":"assistant_chunk","conversationId":"\#(id)","content":"\#($0)"}"#
                })
        #expect(got.last?["type"] == "assistant_done")
        #expect(got.last?["conversationId"]?.text == id)
        #expect(got.last?["id"]?.text.flatMap(ConversationID.init) != nil)
    }

    @Test func `reasoning is sent in chunks and completed before the text or tool call after it`() {
        var harness = loaded()
        harness.startTurn("ses_1", "msg_2", "hi", answer: "msg_3")
        harness.receiveText("reasoning", "ses_1", "msg_3", "prt_1", "", end: nil)
        harness.delta("ses_1", "msg_3", "prt_1", "Hm")
        harness.receiveText("reasoning", "ses_1", "msg_3", "prt_1", "Hm", end: 5_000)
        harness.text("ses_1", "msg_3", "prt_2", ["So."])
        harness.receiveText("reasoning", "ses_1", "msg_3", "prt_3", "Again", start: 6_000, end: 6_000)
        harness.tool("ses_1", "msg_3", "prt_4", ["status": "running", "input": [:], "time": ["start": 1]])

        #expect(
            harness.got().map(\.outline) == [
                "thinking_chunk Hm", "thinking_done 2.001", "assistant_chunk So.", "thinking_chunk Again",
                "thinking_done 0.001", "tool_call_start bash",
            ])
    }

    @Test func `a tool call is reported when it starts and when it is done`() {
        var harness = loaded()
        harness.startTurn("ses_1", "msg_2", "hi", answer: "msg_3")
        harness.tool("ses_1", "msg_3", "prt_1", ["status": "pending", "input": [:], "raw": ""])

        #expect(harness.got().isEmpty)

        let input: JSON = ["command": "ls", "deep": ["a": [1, true, .null]]]
        harness.tool("ses_1", "msg_3", "prt_1", ["status": "running", "input": input, "time": ["start": 1_000]])
        harness.tool(
            "ses_1", "msg_3", "prt_1",
            ["status": "completed", "input": input, "output": "a\nb", "time": ["start": 1_000, "end": 2_149]])
        let got = harness.got()
        let tool = got.first?["id"]?.text ?? ""

        #expect(
            got.map(\.shown) == [
                #"{"type":"tool_call_start","id":"\#(tool)","conversationId":"\#(id)","metadata":{"toolName":"bash","#
                    + #""serverName":"opencode","input":{"command":"ls","deep":{"a":[1,true,null]}}}}"#,
                #"{"type":"tool_call_done","id":"\#(tool)","conversationId":"\#(id)","metadata":{"toolName":"bash","#
                    + #""success":true,"result":"a\nb","duration":1.149}}"#,
            ])
    }

    @Test func `a failed tool call reports its error`() {
        var harness = loaded()
        harness.startTurn("ses_1", "msg_2", "hi", answer: "msg_3")
        harness.tool(
            "ses_1", "msg_3", "prt_1",
            ["status": "error", "input": [:], "error": "no such file", "time": ["start": 1_000, "end": 1_000]])
        let done = harness.got().last?["metadata"]

        #expect(done?.shown == #"{"toolName":"bash","success":false,"error":"no such file","duration":0.001}"#)
    }

    @Test func `a tool call of an MCP server names the server`() {
        var harness = harness()
        harness.send(#"{"type":"user_message","conversationId":"\#(id)","content":"hi"}"#)
        harness.startTurn("ses_1", "msg_2", "hi", answer: "msg_3")
        harness.tool(
            "ses_1", "msg_3", "prt_1", ["status": "running", "input": [:], "time": ["start": 1]],
            name: "files_on_disk_read")

        #expect(harness.got().last?["metadata"]?["serverName"] == "files on disk")
    }

    @Test func `a tool result is truncated after 4000 characters`() {
        var harness = loaded()
        harness.startTurn("ses_1", "msg_2", "hi", answer: "msg_3")
        for (part, count) in [("prt_1", 4_000), ("prt_2", 4_001)] {
            let output = String(repeating: "🇩🇪", count: count)
            harness.tool(
                "ses_1", "msg_3", part,
                ["status": "completed", "input": [:], "output": .string(output), "time": ["start": 1, "end": 2]])
        }
        let results = harness.got().compactMap { $0["metadata"]?["result"]?.text }
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
    func `each malformed message is answered with an error and its code`(message: String, code: String) {
        var harness = harness()
        harness.send(message)
        let got = harness.got()

        #expect(got.map { $0["type"]?.text } == ["error"])
        #expect(got.first?["metadata"]?.shown == #"{"code":"\#(code)"}"#)
        #expect(got.first?["content"]?.text?.isEmpty == false)
        #expect(harness.server.requests.isEmpty)
    }

    @Test func `a message without an available model is answered with NO_API_KEY`() {
        var harness = harness()
        harness.server.models = []
        harness.send(#"{"type":"user_message","conversationId":"\#(id)","content":"hi"}"#)
        let got = harness.got()

        #expect(got.first?["metadata"]?["code"] == "NO_API_KEY")
        #expect(got.map { $0["type"]?.text } == ["error", "assistant_done"])
    }

    /// Returns `hasApiKey` in the status for a new chat.
    private func hasKey(_ harness: inout ConversationHarness) -> JSON? {
        harness.open(2)
        return harness.got(2).first?["metadata"]?["hasApiKey"]
    }

    @Test func `hasApiKey is false after NO_API_KEY and true again after a list that finds a model`() {
        var harness = harness()
        harness.server.models = []
        let atFirst = hasKey(&harness)

        harness.send(#"{"type":"user_message","conversationId":"\#(id)","content":"hi"}"#)
        let afterRefusal = hasKey(&harness)
        harness.send(#"{"type":"list_conversations"}"#)
        let withoutModel = hasKey(&harness)
        harness.server.models = ["talk"]
        harness.send(#"{"type":"list_conversations"}"#)
        let withModel = hasKey(&harness)

        #expect(atFirst == true)
        #expect(afterRefusal == false)
        #expect(withoutModel == false)
        #expect(withModel == true)
    }

    @Test func `a project that fails to start is reported as API_ERROR`() {
        var harness = harness()
        let sentence = Array(#"{"error":{"message":"demo does not start"}}"#.utf8)
        harness.server.instead["GET /session"] = OpenCodeAnswer(503, sentence)
        harness.send(#"{"type":"list_conversations"}"#)
        let got = harness.got()

        #expect(got.first?["metadata"]?["code"] == "API_ERROR")
        #expect(got.first?["content"] == "demo does not start")
    }

    @Test(arguments: [
        (400, "API_ERROR"), (404, "STORAGE_ERROR"), (500, "API_ERROR"), (502, "API_ERROR"), (503, "API_ERROR"),
        (504, "API_ERROR"),
    ])
    func `an error of the gateway is reported with its sentence`(_ status: Int, _ code: JSON) {
        var harness = harness()
        harness.server.instead["GET /session"] = OpenCodeAnswer(status, message: "a \"b\" \\c\n\u{7f} \u{fc}")
        harness.send(#"{"type":"list_conversations"}"#)
        let got = harness.got()

        #expect(got.first?["metadata"]?["code"] == code)
        #expect(got.first?["content"] == "a \"b\" \\c\n\u{7f} \u{fc}")
    }

    @Test func `a chat without a project receives status and then an error that asks for a project`() {
        let refusal = ConversationError(.noProject, "Name a project: ?project=NAME")
        let list = Array(#"{"type":"list_conversations"}"#.utf8)
        let ping = Array(#"{"type":"ping"}"#.utf8)

        let got = [
            ChatReply.status(nil, version: "1.2.3"), ChatReply.error(refusal),
            ChatReply.answer(to: list, refusal: refusal), ChatReply.answer(to: ping, refusal: refusal),
        ].map { JSONParser.parse($0) ?? .null }

        #expect(got.map { $0["type"]?.text } == ["status", "error", "error", "pong"])
        #expect(got[1]["content"] == "Name a project: ?project=NAME")
    }
}
