import Conversations
import Dialects
import JSONText
import Testing

/// Conversations that somebody else deletes: their event and a list without them come in any order.
@Suite struct DeletedElsewhereTests {
    private static let list = #"{"type":"list_conversations"}"#

    /// A world in which a client has made a conversation under an id of its own.
    private func world() -> World {
        var world = World()
        world.open()
        world.say(#"{"type":"user_message","conversationId":"\#(World.mine)","content":"hi"}"#)
        _ = world.got()
        return world
    }

    private func delete(_ world: inout World) -> JSON {
        defer { world.server.sessions = [] }
        return world.server.shown(world.server.sessions[0])
    }

    private func deletions(_ messages: [JSON]) -> [String?] {
        messages.filter { $0["type"] == "conversation_deleted" }.map { $0["conversationId"]?.text }
    }

    @Test(arguments: [true, false])
    func `a deletion is told once under the client's own id`(isListFirst: Bool) {
        var world = world()

        let session = delete(&world)
        if isListFirst { world.say(Self.list) }
        world.hear("session.deleted", ["info": session])
        if !isListFirst { world.say(Self.list) }

        #expect(deletions(world.got()) == [World.mine])
    }

    @Test func `a deletion that comes while its list is read is told once`() {
        var world = world()

        let session = delete(&world)
        world.isLate = true
        world.say(Self.list)
        world.isLate = false
        world.hear("session.deleted", ["info": session])
        world.release()

        #expect(deletions(world.got()) == [World.mine])
    }

    @Test func `a deletion that a request's list shows is told to chats`() {
        var world = world()

        _ = delete(&world)
        _ = world.request("GET", "/conversations")

        #expect(deletions(world.got()) == [World.mine])
    }

    @Test func `a deletion that an answer shows is told once`() {
        var world = world()

        let session = delete(&world)
        world.say(#"{"type":"load_conversation","conversationId":"\#(World.mine)"}"#)
        let got = world.got()
        world.hear("session.deleted", ["info": session])

        #expect(got.contains { $0["type"] == "error" })
        #expect(deletions(got) == [World.mine])
        #expect(deletions(world.got()).isEmpty)
    }

    @Test func `the answer of a session that a list lacks ends before the deletion is told`() throws {
        var world = world()
        let prompt = try #require(world.server.prompts.first?["messageID"]?.text)
        world.begin("ses_made1", prompt, "hi", answer: "msg_3")
        world.text("ses_made1", "msg_3", "prt_1", ["Hel"], isWhole: false)

        _ = delete(&world)
        world.say(Self.list)

        let types = world.got().compactMap { $0["type"]?.text }
        #expect(types == ["assistant_chunk", "assistant_done", "conversation_deleted", "conversation_list"])
    }

    @Test func `a session that is only not listed is not told as deleted and keeps its id`() {
        var world = world()

        world.server.instead["GET /session"] = OpenCodeAnswer(200, Array("[]".utf8))
        world.say(Self.list)
        let deleted = deletions(world.got())
        world.server.instead = [:]
        world.say(Self.list)

        let listed = world.got().last?["metadata"]?["conversations"]?.array ?? []
        #expect(deleted.isEmpty)
        #expect(listed.map { $0["id"]?.text } == [World.mine])
    }
}
