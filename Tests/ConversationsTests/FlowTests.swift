import Conversations
import Dialects
import JSONText
import Testing

/// Both documents' flows from beginning to end.
@Suite struct ConversationFlowTests {
    private static let thought: JSON = ["status": "running", "input": ["command": "ls"], "time": ["start": 1_000]]

    /// An answer with a thought, a tool and two texts; OpenCode keeps it, too.
    private func answer(_ world: inout World, _ session: String) throws {
        let prompt = try #require(world.server.prompts.last)
        let (id, text) = (prompt["messageID"]?.text ?? "", prompt["parts"]?.array?.first?["text"]?.text ?? "")
        world.begin(session, id, text, answer: "msg_z1")
        world.spoken("reasoning", session, "msg_z1", "prt_1", "Hm", end: 3_500)
        world.text(session, "msg_z1", "prt_2", ["Let me ", "look. "])
        world.tool(session, "msg_z1", "prt_3", Self.thought)
        world.tool(
            session, "msg_z1", "prt_3",
            ["status": "completed", "input": ["command": "ls"], "output": "a", "time": ["start": 1_000, "end": 3_000]])
        world.hear("message.updated", ["info": PretendOpenCode.assistantInfo("msg_z2", to: id).inSession(session)])
        world.text(session, "msg_z2", "prt_4", ["There is", " a."])
        world.idle(session)
        guard let place = world.server.sessions.firstIndex(where: { $0.id == session }) else { return }
        world.server.sessions[place].messages += [
            PretendOpenCode.user(id, text), PretendOpenCode.assistant("msg_z1", to: id, "Let me look. "),
            PretendOpenCode.assistant("msg_z2", to: id, "There is a."),
        ]
    }

    /// The chat document's "Connection Flow".
    @Test func aChatFromItsConnectionToItsReconnection() throws {
        var world = World()
        world.open()
        world.say(#"{"type":"list_conversations"}"#)
        world.say(#"{"type":"user_message","conversationId":"\#(World.mine)","content":"What is here?"}"#)
        try answer(&world, "ses_made1")
        world.say(#"{"type":"ping"}"#)
        #expect(
            world.got().map(\.outline) == [
                "status", "conversation_list", "thinking_chunk Hm", "thinking_done 0.500", "assistant_chunk Let me ",
                "assistant_chunk look. ", "tool_call_start bash", "tool_call_done bash", "assistant_chunk There is",
                "assistant_chunk  a.", "assistant_done", "pong",
            ])
        world.open(2)
        world.say(#"{"type":"list_conversations"}"#, 2)
        world.say(#"{"type":"load_conversation","conversationId":"\#(World.mine)"}"#, 2)
        world.say(#"{"type":"delete_conversation","conversationId":"\#(World.mine)"}"#, 2)
        let got = world.got(2)
        #expect(
            got.map { $0["type"]?.text } == [
                "status", "conversation_list", "conversation_loaded", "conversation_deleted",
            ])
        let listed = got[1]["metadata"]?["conversations"]?.array?.first
        #expect(
            listed?["id"]?.text == World.mine && listed?["title"] == "What is here?" && listed?["messageCount"] == 2)
        #expect(
            got[2]["metadata"]?["messages"]?.array?.compactMap { $0["content"]?.text } == [
                "What is here?", "Let me look. There is a.",
            ])
    }

    /// The contract's "Usage Examples", and its testing checklist.
    @Test func conversationsFromTheModelPickerToDeletion() throws {
        var world = World()
        let models = try world.ask("GET", "/models").json.array ?? []
        let created = try world.ask(
            "POST", "/conversations", body: ["model_id": models.last?["id"], "first_message": "What is here?"])
        let id = try #require(created.json["conversation"]?["id"]?.text)
        _ = world.request("POST", "/conversations/\(id.uppercased())/messages", body: ["role": "user", "text": "hi"])
        try answer(&world, "ses_made1")
        #expect(world.streams[0].isOver && world.server.prompts[0]["model"]?["modelID"] == "think")
        let page = try world.ask("GET", "/conversations/\(id)/messages").json
        #expect(page["items"]?.array?.compactMap { $0["text"]?.text } == ["hi", "Let me look. There is a."])
        let list = try world.ask("GET", "/conversations", query: [(name: "limit", value: "10")]).json
        #expect(list["items"]?.array?.first?["lastMessage"]?["text"] == "Let me look. There is a.")
        let pinned = try world.ask("PATCH", "/conversations/\(id)", body: ["is_pinned": true])
        let copy = try world.ask("POST", "/conversations/\(id)/duplicate")
        #expect(pinned.json["isPinned"] == true && copy.json["isPinned"] == false)
        for id in [id, copy.json["id"]?.text ?? ""] {
            let deleted = try world.ask("DELETE", "/conversations/\(id)")
            #expect(deleted.status == 204)
        }
        let rest = try world.ask("GET", "/conversations")
        #expect(rest.json["items"] == [])
    }
}

extension JSON {
    /// The same of another session.
    func inSession(_ session: String) -> JSON {
        var object = object ?? JSONObject()
        object["sessionID"] = .string(session)
        return .object(object)
    }
}
