import Conversations
import Dialects
import JSONText
import Testing

/// Messages that were taken back: OpenCode lists them until the next prompt, conversations don't.
@Suite struct TakenBackTests {
    private let id = ConversationID(session: "ses_1").text

    /// Three questions with their answers; the last two pairs are taken back once this is asked.
    private func world(_ revert: JSON? = nil) -> World {
        var world = World([PretendOpenCode.talk("ses_1", pairs: 3)])
        world.server.sessions[0].revert = revert
        return world
    }

    private let second: JSON = ["messageID": "msg_100001a"]
    private let left = ["Question 0", "Answer 0"]

    private func texts(_ world: inout World) throws -> [String] {
        let page = try world.ask("GET", "/conversations/\(id)/messages").json
        return page["items"]?.array?.compactMap { $0["text"]?.text } ?? []
    }

    private func counted(_ world: inout World) throws -> JSON? {
        let item = try world.ask("GET", "/conversations").json["items"]?.array?.first
        return [item?["messageCount"] ?? .null, item?["lastMessage"]?["text"] ?? .null]
    }

    /// OpenCode says what a session is now.
    private func tellsSession(_ world: inout World) {
        world.server.sessions[0].updated += 1
        let info = world.server.shown(world.server.sessions[0])
        world.hear("session.updated", ["sessionID": "ses_1", "info": info])
    }

    @Test func theyShowInNoList() throws {
        var world = world(second)
        #expect(try texts(&world) == left)
        #expect(try counted(&world) == [2, "Answer 0"])
        let whole = try world.ask("GET", "/conversations/\(id)").json
        #expect(whole["messages"]?.array?.compactMap { $0["text"]?.text } == left)
        world.open()
        world.say(#"{"type":"load_conversation","conversationId":"\#(id)"}"#)
        let loaded = world.got().last?["metadata"]?["messages"]?.array
        #expect(loaded?.compactMap { $0["content"]?.text } == left)
    }

    @Test func theyComeAgainWhereTheyAreTakenBackNoMore() throws {
        var world = world()
        #expect(try counted(&world) == [6, "Answer 2"])
        world.server.sessions[0].revert = second
        tellsSession(&world)
        #expect(try counted(&world) == [2, "Answer 0"])
        #expect(try texts(&world) == left)
        world.server.sessions[0].revert = nil
        tellsSession(&world)
        #expect(try counted(&world) == [6, "Answer 2"])
        #expect(try texts(&world).count == 6)
    }

    @Test func aPartThatWasTakenBackLeavesThoseBeforeIt() throws {
        var world = world(["messageID": "msg_100001b", "partID": "prt_msg_100001b"])
        #expect(try texts(&world) == left + ["Question 1", ""])
    }

    @Test func whatIsOlderIsReadUntilAPageIsFull() throws {
        var world = World([PretendOpenCode.talk("ses_1", pairs: 500)])
        world.server.sessions[0].revert = ["messageID": "msg_100200a"]
        let texts = try texts(&world)
        #expect(texts.count == 30 && texts.last == "Answer 199")
    }

    @Test func messagesThatAreGoneAreNotCounted() throws {
        var world = world()
        #expect(try counted(&world) == [6, "Answer 2"])
        let gone = world.server.sessions[0].messages.suffix(4).compactMap { $0["info"]?["id"]?.text }
        world.server.sessions[0].messages.removeLast(4)
        for id in gone { world.hear("message.removed", ["sessionID": "ses_1", "messageID": .string(id)]) }
        #expect(try counted(&world) == [2, "Answer 0"])
    }

    @Test func anAnswerThatIsTheLastOneAgainIsNotToldAgain() {
        var world = world()
        let load = #"{"type":"load_conversation","conversationId":"\#(id)"}"#
        world.open(1)
        world.say(load, 1)
        world.server.sessions[0].messages.removeLast(2)
        world.hear("message.removed", ["sessionID": "ses_1", "messageID": "msg_100002b"])
        world.hear("message.removed", ["sessionID": "ses_1", "messageID": "msg_100002a"])
        _ = world.got(1)
        world.open(2)
        world.say(load, 2)
        let got = world.got(2).compactMap { $0["type"]?.text }
        #expect(got == ["status", "conversation_loaded"])
        #expect(world.got(1).isEmpty)
    }
}
