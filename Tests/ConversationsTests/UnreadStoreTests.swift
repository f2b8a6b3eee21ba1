import Conversations
import Dialects
import JSONText
import Storage
import Testing

/// What is kept of conversations could not be read at first: what clients change meanwhile is newer, and nothing else
/// is lost.
@Suite struct UnreadStoreTests {
    private let id = ConversationID(session: "ses_1").text

    /// What is written down: pinned, with a model and an id that a client has chosen.
    private var written: ConversationTable.Entry {
        var entry = ConversationTable.Entry(session: "ses_1")
        (entry.chosen, entry.isPinned, entry.model) = (World.mine, true, "mock/think")
        (entry.count, entry.newest, entry.counted) = (7, 1_000, 4_000)
        return entry
    }

    private func world() -> World {
        var world = World([PretendOpenCode.talk("ses_1", pairs: 1)])
        world.book = ConversationBook(directory: "/home/vibe/demo")
        _ = world.request("GET", "/conversations")
        return world
    }

    @Test func aCountDoesNotStandInThePlaceOfWhatIsWrittenDown() throws {
        var world = world()
        #expect(world.book.takeChanges().isEmpty)
        world.book.recall([written])
        var merged = written
        (merged.count, merged.newest, merged.counted) = (2, 2_005, 5_000)
        #expect(world.book.takeChanges() == [.set(merged)])
        let shown = try world.ask("GET", "/conversations/\(World.mine)")
        #expect(shown.json["isPinned"] == true && shown.json["modelId"] == "mock/think")
        // Who knows it by the id that it had meanwhile finds it, too.
        let other = try world.ask("GET", "/conversations/\(id)")
        #expect(other.json["id"]?.text == World.mine)
    }

    @Test(
        arguments: [
            (["isPinned": false], false, "mock/think"), (["modelId": "mock/talk"], true, "mock/talk"),
        ] as [(JSON, Bool, String)])
    func whatAClientChangedMeanwhileStaysAndTheRestComesBack(change: JSON, isPinned: Bool, model: String) throws {
        var world = world()
        _ = world.request("PATCH", "/conversations/\(id)", body: change)
        world.book.recall([written])
        let shown = try world.ask("GET", "/conversations/\(World.mine)")
        #expect(shown.json["isPinned"] == .bool(isPinned) && shown.json["modelId"]?.text == model)
        guard case .set(let entry)? = world.book.takeChanges().first else { return #expect(Bool(false)) }
        #expect(entry.isPinned == isPinned && entry.model == model && entry.chosen == World.mine)
    }

    @Test func anIDThatStandsForAnotherConversationByNowStaysThere() throws {
        var world = world()
        world.open()
        world.say(#"{"type":"user_message","conversationId":"\#(World.mine)","content":"hi"}"#)
        world.book.recall([written])
        #expect(world.book.session(try #require(ConversationID(World.mine))) == "ses_made1")
        let shown = try world.ask("GET", "/conversations/\(id)")
        #expect(shown.json["id"]?.text == id && shown.json["isPinned"] == true)
        let chosen = world.book.takeChanges().entries.sorted { $0.session < $1.session }
        #expect(chosen.map(\.session) == ["ses_1", "ses_made1"] && chosen.map(\.chosen) == [nil, World.mine])
    }

    @Test func whatWasDeletedMeanwhileStaysDeleted() throws {
        var world = World()
        world.book = ConversationBook(directory: "/home/vibe/demo")
        let session = world.server.shown(.init(id: "ses_1", title: "t", updated: 1))
        world.hear("session.deleted", ["sessionID": "ses_1", "info": session])
        world.book.recall([written])
        #expect(world.book.takeChanges() == [.remove(session: "ses_1")])
        #expect(world.book.session(try #require(ConversationID(World.mine))) == nil)
    }

    @Test func aCountThatBecameWrongMeanwhileIsTakenAgain() {
        var world = World([PretendOpenCode.talk("ses_1", pairs: 1)])
        world.book = ConversationBook(directory: "/home/vibe/demo")
        world.hear("message.removed", ["sessionID": "ses_1", "messageID": "msg_100000c"])
        var entry = written
        entry.counted = 5_000
        world.book.recall([entry])
        let page = world.request("GET", "/conversations")?.json["items"]?.array
        #expect(page?.first?["messageCount"] == 2)
    }
}
