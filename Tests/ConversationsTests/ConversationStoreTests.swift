import Conversations
import Dialects
import JSONText
import Storage
import TestKit
import Testing

/// What outlasts the gateway.
@Suite struct ConversationStoreTests {
    @Test func whatClientsChoseAndCountsAreFoundAgain() async throws {
        let directory = try TemporaryDirectory()
        let store = try Store(StateFile(folder: directory.path)) { Issue.record("\($0)") }
        let keeping = ConversationStore(store)
        let folder = Array("/home/vibe/demo".utf8)
        var world = World([PretendOpenCode.talk("ses_1", pairs: 3)])
        world.open()
        world.say(#"{"type":"user_message","conversationId":"\#(World.mine)","content":"hi"}"#)
        world.say(#"{"type":"list_conversations"}"#)
        _ = world.request("PATCH", "/conversations/\(World.mine)", body: ["isPinned": true, "modelId": "mock/think"])
        keeping.keep(world.book.takeChanges(), of: folder)
        let rest = world.book.takeChanges()
        #expect(rest.isEmpty)

        let entries = try await keeping.entries(of: folder)
        let others = try await keeping.entries(of: Array("/home/vibe/other".utf8))
        #expect(others.isEmpty)
        var later = World()
        later.server = world.server
        later.server.asked = []
        later.book = ConversationBook(directory: "/home/vibe/demo", kept: entries)
        let page = try later.ask("GET", "/conversations").json["items"]?.array ?? []
        let ids = page.compactMap { $0["id"]?.text }
        #expect(ids.contains(World.mine))
        let mine = page.first { $0["id"]?.text == World.mine }
        #expect(mine?["isPinned"] == true && mine?["modelId"] == "mock/think")
        #expect(page.first { $0["title"] == "A talk" }?["messageCount"] == 6)

        _ = later.request("DELETE", "/conversations/\(World.mine)")
        keeping.keep(later.book.takeChanges(), of: folder)
        let left = try await keeping.entries(of: folder)
        #expect(left.map(\.session) == ["ses_1"])
    }

    @Test func aCountIsRightWhateverIsSaidMeanwhile() throws {
        var world = World([PretendOpenCode.talk("ses_1", pairs: 2)])
        func count(_ world: inout World) throws -> JSON? {
            try world.ask("GET", "/conversations").json["items"]?.array?.first?["messageCount"]
        }
        let first = try count(&world)
        #expect(first == 4)
        world.begin("ses_1", "msg_2", "hi", answer: "msg_3")
        world.text("ses_1", "msg_3", "prt_1", ["Hello"])
        world.hear("message.updated", ["info": PretendOpenCode.assistantInfo("msg_4", to: "msg_2")])
        world.idle("ses_1")
        world.server.asked = []
        let second = try count(&world)
        #expect(second == 6)
        #expect(world.server.asked == ["GET /session"])
        // Where events were missed it is counted again.
        world.server.sessions[0].updated += 1
        world.server.sessions[0].messages.append(PretendOpenCode.user("msg_5", "unheard"))
        _ = world.book.missed()
        let third = try count(&world)
        #expect(third == 5)
    }
}
