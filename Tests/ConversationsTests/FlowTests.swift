// SPDX-License-Identifier: Apache-2.0

import Conversations
import Dialects
import JSONText
import Testing

/// Tests the complete flows in the documents of both protocols.
@Suite struct ConversationFlowTests {
    private static let runningTool: JSON = ["status": "running", "input": ["command": "ls"], "time": ["start": 1_000]]

    /// Sends an answer with reasoning, a tool and two texts, and stores it in the fake OpenCode.
    private func answer(_ harness: inout ConversationHarness, _ session: String) throws {
        let prompt = try #require(harness.server.prompts.last)
        let (id, text) = (prompt["messageID"]?.text ?? "", prompt["parts"]?.array?.first?["text"]?.text ?? "")
        harness.startTurn(session, id, text, answer: "msg_z1")
        harness.receiveText("reasoning", session, "msg_z1", "prt_1", "Hm", end: 3_500)
        harness.text(session, "msg_z1", "prt_2", ["Let me ", "look. "])
        harness.tool(session, "msg_z1", "prt_3", Self.runningTool)
        harness.tool(
            session, "msg_z1", "prt_3",
            ["status": "completed", "input": ["command": "ls"], "output": "a", "time": ["start": 1_000, "end": 3_000]])
        harness.receiveEvent(
            "message.updated", ["info": FakeOpenCode1.assistantInfo("msg_z2", to: id).inSession(session)])
        harness.text(session, "msg_z2", "prt_4", ["There is", " a."])
        harness.idle(session)
        guard let index = harness.server.sessions.firstIndex(where: { $0.id == session }) else { return }
        harness.server.sessions[index].messages += [
            FakeOpenCode1.user(id, text), FakeOpenCode1.assistant("msg_z1", to: id, "Let me look. "),
            FakeOpenCode1.assistant("msg_z2", to: id, "There is a."),
        ]
    }

    /// Follows the "Connection Flow" of the chat document.
    @Test func `the documented chat flow works from connection to reconnection`() throws {
        var harness = ConversationHarness()
        harness.open()
        harness.send(#"{"type":"list_conversations"}"#)
        harness.send(
            #"{"type":"user_message","conversationId":"\#(ConversationHarness.mine)","content":"What is here?"}"#)
        try answer(&harness, "ses_made1")
        harness.send(#"{"type":"ping"}"#)

        #expect(
            harness.got().map(\.outline) == [
                "status", "conversation_list", "thinking_chunk Hm", "thinking_done 0.500", "assistant_chunk Let me ",
                "assistant_chunk look. ", "tool_call_start bash", "tool_call_done bash", "assistant_chunk There is",
                "assistant_chunk  a.", "assistant_done", "pong",
            ])

        harness.open(2)
        harness.send(#"{"type":"list_conversations"}"#, 2)
        harness.send(#"{"type":"load_conversation","conversationId":"\#(ConversationHarness.mine)"}"#, 2)
        harness.send(#"{"type":"delete_conversation","conversationId":"\#(ConversationHarness.mine)"}"#, 2)
        let got = harness.got(2)

        #expect(
            got.map { $0["type"]?.text } == [
                "status", "conversation_list", "conversation_loaded", "conversation_deleted",
            ])

        let listed = got[1]["metadata"]?["conversations"]?.array?.first

        #expect(listed?["id"]?.text == ConversationHarness.mine)
        #expect(listed?["title"] == "What is here?")
        #expect(listed?["messageCount"] == 2)
        #expect(
            got[2]["metadata"]?["messages"]?.array?.compactMap { $0["content"]?.text } == [
                "What is here?", "Let me look. There is a.",
            ])
    }

    /// Follows the "Usage Examples" of the REST document, and its testing checklist.
    @Test func `the documented REST flow works from the model list to deletion`() throws {
        var harness = ConversationHarness()
        let models = try harness.fetch("GET", "/models").json.array ?? []
        let created = try harness.fetch(
            "POST", "/conversations", body: ["model_id": models.last?["id"], "first_message": "What is here?"])
        let id = try #require(created.json["conversation"]?["id"]?.text)
        _ = harness.request("POST", "/conversations/\(id.uppercased())/messages", body: ["role": "user", "text": "hi"])
        try answer(&harness, "ses_made1")

        #expect(harness.streams[0].isOver)
        #expect(harness.server.prompts[0]["model"]?["modelID"] == "think")

        let page = try harness.fetch("GET", "/conversations/\(id)/messages").json

        #expect(page["items"]?.array?.compactMap { $0["text"]?.text } == ["hi", "Let me look. There is a."])

        let list = try harness.fetch("GET", "/conversations", query: [(name: "limit", value: "10")]).json

        #expect(list["items"]?.array?.first?["lastMessage"]?["text"] == "Let me look. There is a.")

        let pinned = try harness.fetch("PATCH", "/conversations/\(id)", body: ["is_pinned": true])
        let copy = try harness.fetch("POST", "/conversations/\(id)/duplicate")

        #expect(pinned.json["isPinned"] == true)
        #expect(copy.json["isPinned"] == false)

        for id in [id, copy.json["id"]?.text ?? ""] {
            let deleted = try harness.fetch("DELETE", "/conversations/\(id)")
            #expect(deleted.status == 204)
        }
        let remainder = try harness.fetch("GET", "/conversations")

        #expect(remainder.json["items"] == [])
    }
}

extension JSON {
    /// Returns the same object for another session.
    func inSession(_ session: String) -> JSON {
        var object = object ?? JSONObject()
        object["sessionID"] = .string(session)
        return .object(object)
    }
}
