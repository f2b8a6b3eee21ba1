import Conversations
import Dialects
import JSONText
import Storage
import Testing

/// Lists are learned later than OpenCode was asked for them: what came between is newer.
@Suite struct StaleListTests {
    private static let list = #"{"type":"list_conversations"}"#
    private let id = ConversationID(session: "ses_1").text

    /// A world whose first client has asked for a list, which has come but was not looked at yet.
    private func world() -> World {
        var world = World([PretendOpenCode.talk("ses_1", title: "Old", pairs: 1)])
        world.open(1)
        world.open(2)
        world.say(Self.list, 2)
        world.isLate = true
        world.say(Self.list, 1)
        world.isLate = false
        for chat in [1, 2] { _ = world.got(chat) }
        return world
    }

    private func say(_ text: String, _ world: inout World, _ chat: Int) {
        world.say(#"{"type":"user_message","conversationId":"\#(World.mine)","content":"\#(text)"}"#, chat)
    }

    private func titles(_ message: JSON?) -> [String] {
        message?["metadata"]?["conversations"]?.array?.compactMap { $0["title"]?.text } ?? []
    }

    @Test func aConversationThatAnotherClientMadeMeanwhileStaysWithItsIDItsPinAndItsAnswer() throws {
        var world = world()
        say("hi", &world, 2)
        let pinned = world.request("PATCH", "/conversations/\(World.mine)", body: ["isPinned": true])
        #expect(pinned?.status == 200)
        let prompt = try #require(world.server.prompts.first?["messageID"]?.text)
        world.begin("ses_made1", prompt, "hi", answer: "msg_3")
        world.text("ses_made1", "msg_3", "prt_1", ["Hel"])
        world.release()
        world.text("ses_made1", "msg_3", "prt_2", ["lo"])
        world.idle("ses_made1")
        let got = world.got(2)
        #expect(got.map { $0["type"] } == ["assistant_chunk", "assistant_chunk", "assistant_done"])
        #expect(got.allSatisfy { $0["conversationId"]?.text == World.mine })
        let shown = try world.ask("GET", "/conversations/\(World.mine)")
        #expect(shown.status == 200 && shown.json["isPinned"] == true)
        #expect(!world.book.takeChanges().contains(.remove(session: "ses_made1")))
    }

    @Test func whatWasDeletedMeanwhileDoesNotComeBack() throws {
        var world = world()
        _ = world.request("DELETE", "/conversations/\(id)")
        world.release()
        #expect(titles(world.got().last).isEmpty)
        let gone = try world.ask("GET", "/conversations/\(id)")
        #expect(gone.status == 404)
    }

    @Test func nobodyNeedHaveListedWhatWasDeletedMeanwhile() {
        var world = World([PretendOpenCode.talk("ses_1", title: "Old", pairs: 1)])
        world.open()
        world.isLate = true
        world.say(Self.list)
        world.isLate = false
        world.hear("session.deleted", ["info": world.server.shown(world.server.sessions[0])])
        world.release()
        #expect(titles(world.got().last).isEmpty)
        #expect(!world.book.takeChanges().contains { if case .set = $0 { true } else { false } })
    }

    @Test func aTitleThatWasHeardMeanwhileStays() throws {
        var world = world()
        (world.server.sessions[0].title, world.server.sessions[0].updated) = ("New", 5_001)
        world.hear("session.updated", ["info": world.server.shown(world.server.sessions[0])])
        world.release()
        #expect(titles(world.got().last) == ["New"])
        let shown = try world.ask("GET", "/conversations/\(id)")
        #expect(shown.json["title"] == "New")
    }

    @Test func whatIsMissingInAListThoughItWasKnownBeforeIsGone() {
        var world = world()
        _ = world.request("PATCH", "/conversations/\(id)", body: ["isPinned": true])
        world.release()
        _ = world.book.takeChanges()
        world.server.sessions = []
        world.say(Self.list)
        #expect(world.book.takeChanges() == [.remove(session: "ses_1")])
    }

    @Test func twoFirstMessagesUnderOneIDMakeOneConversationWhichGetsBoth() {
        var world = World()
        for chat in [1, 2] { world.open(chat) }
        world.isLate = true
        // The second client's list is asked for before the first one's session is made.
        world.server.instead["GET /session"] = OpenCodeAnswer(200, Array("[]".utf8))
        say("one", &world, 1)
        say("two", &world, 2)
        world.release()
        #expect(world.server.sessions.map(\.id) == ["ses_made1"])
        let prompted = world.server.asked.filter { $0.hasSuffix("prompt_async") }
        #expect(prompted == [String](repeating: "POST /session/ses_made1/prompt_async", count: 2))
        for chat in [1, 2] { _ = world.got(chat) }
        world.begin("ses_made1", "msg_2", "one", answer: "msg_3")
        world.text("ses_made1", "msg_3", "prt_1", ["Hello"])
        let (one, other) = (world.got(1), world.got(2))
        #expect(one == other && one.map { $0["conversationId"]?.text } == [World.mine])
    }

    @Test func aConversationWhoseSessionIsGoneIsMadeAgainUnderItsID() {
        var entry = ConversationTable.Entry(session: "ses_gone")
        entry.chosen = World.mine
        var world = World()
        world.book = ConversationBook(directory: "/home/vibe/demo", kept: [entry])
        world.open()
        say("hi", &world, 1)
        #expect(world.server.asked.last == "POST /session/ses_made1/prompt_async")
        let chosen = world.book.takeChanges().entries.sorted { $0.session < $1.session }
        #expect(chosen.map(\.session) == ["ses_gone", "ses_made1"] && chosen.map(\.chosen) == [nil, World.mine])
    }
}
