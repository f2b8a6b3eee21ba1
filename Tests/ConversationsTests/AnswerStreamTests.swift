import Conversations
import Dialects
import JSONText
import Testing

/// The event stream of an answer.
@Suite struct AnswerStreamTests {
    private let id = ConversationID(session: "ses_1").text

    private func world() -> World {
        var world = World([PretendOpenCode.talk("ses_1", pairs: 1)])
        _ = world.request("GET", "/conversations")
        return world
    }

    /// The events of a stream; what is none fails the test.
    private func events(_ text: String) -> [JSON] {
        text.split(separator: "\n\n").map(String.init).compactMap { block in
            if block.hasPrefix(":") { return nil }
            #expect(block.hasPrefix("data: ") && !block.contains("\n"))
            return JSONParser.parse(Array(block.dropFirst(6).utf8))
        }
    }

    private func send(_ world: inout World) throws -> String {
        let answer = world.request("POST", "/conversations/\(id)/messages", body: ["role": "user", "text": "hi"])
        #expect(answer == nil)
        return try #require(world.server.prompts.last?["messageID"]?.text)
    }

    @Test func deltasComeInASCIIWithOneMessageIDAndDoneAtTheEnd() throws {
        var world = world()
        let prompt = try send(&world)
        world.begin("ses_1", prompt, "hi", answer: "msg_3")
        world.text("ses_1", "msg_3", "prt_1", ["Grüße ", "日本 🚀"])
        world.text("ses_1", "msg_3", "prt_2", ["More."])
        world.idle("ses_1")
        let stream = world.streams[0]
        #expect(stream.isOver && stream.text.utf8.allSatisfy { $0 < 0x80 })
        #expect(stream.text.contains(#"Gr\u00fc\u00dfe"#) && stream.text.contains(#"\ud83d\ude80"#))
        let events = events(stream.text)
        #expect(events.compactMap { $0["deltaText"]?.text } == ["Grüße ", "日本 🚀", "\n\nMore."])
        #expect(events.last?["fullText"] == "Grüße 日本 🚀\n\nMore." && events.last?["done"] == true)
        #expect(events.allSatisfy { $0["conversationId"]?.text == id })
        let answer = try #require(events.first?["messageId"]?.text)
        #expect(events.allSatisfy { $0["messageId"]?.text == answer })
        // The list has it under the same id.
        world.server.sessions[0].messages += [
            PretendOpenCode.user(prompt, "hi"), PretendOpenCode.assistant("msg_3", to: prompt, "Grüße 日本 🚀"),
        ]
        let page = world.request("GET", "/conversations/\(id)/messages")?.json["items"]?.array
        #expect(page?.last?["id"]?.text == answer)
    }

    /// It is told by its text then, and has the id under which the lists have it.
    @Test func anOpenCodeThatGivesItsOwnIDsIsUnderstood() throws {
        var world = world()
        _ = try send(&world)
        world.begin("ses_1", "msg_2own", "hi", answer: "msg_3")
        world.text("ses_1", "msg_3", "prt_1", ["Hello"])
        world.idle("ses_1")
        let events = events(world.streams[0].text)
        #expect(events.compactMap { $0["deltaText"]?.text } == ["Hello"] && events.last?["done"] == true)
        world.server.sessions[0].messages += [
            PretendOpenCode.user("msg_2own", "hi"), PretendOpenCode.assistant("msg_3", to: "msg_2own", "Hello"),
        ]
        let page = world.request("GET", "/conversations/\(id)/messages")?.json["items"]?.array
        #expect(page?.last?["id"] == events.last?["messageId"])
        #expect(world.book.quiet(for: 0, at: world.now).isEmpty)
    }

    @Test func aTurnThatFailsEndsWithDoneAndSaysWhy() throws {
        var world = world()
        let prompt = try send(&world)
        world.begin("ses_1", prompt, "hi", answer: "msg_3")
        world.hear(
            "session.error", ["sessionID": "ses_1", "error": ["name": "APIError", "data": ["message": "No credit"]]])
        world.idle("ses_1")
        let events = events(world.streams[0].text)
        #expect(events.first?["deltaText"] == "No credit")
        #expect(events.last?["done"] == true && events.last?["error"]?["message"] == "No credit")
        #expect(world.streams[0].isOver)
    }

    @Test func aTurnThatIsAbortedEndsWithDone() throws {
        var world = world()
        let prompt = try send(&world)
        world.begin("ses_1", prompt, "hi", answer: "msg_3")
        world.text("ses_1", "msg_3", "prt_1", ["Hel"], isWhole: false)
        world.book.abort("ses_1")
        world.hear("session.error", ["sessionID": "ses_1", "error": ["name": "MessageAbortedError", "data": [:]]])
        world.idle("ses_1")
        let last = events(world.streams[0].text).last
        #expect(last?["done"] == true && last?["fullText"] == "Hel" && last?["error"] == nil)
    }

    @Test func aPromptThatIsRefusedAnInstanceThatEndsAndADeletedConversationEndTheStream() throws {
        var world = world()
        world.server.instead["POST /session/ses_1/prompt_async"] = OpenCodeAnswer(502, [])
        _ = world.request("POST", "/conversations/\(id)/messages", body: ["text": "hi"])
        world.server.instead = [:]
        _ = try send(&world)
        world.tell(world.book.instanceEnded("It has ended.", at: world.now))
        _ = try send(&world)
        _ = world.request("DELETE", "/conversations/\(id)")
        for (text, reason) in zip(world.streams.map(\.text), ["reached", "ended", ""]) {
            let last = events(text).last
            #expect(last?["done"] == true && last?["error"]?["message"]?.text?.contains(reason) ?? reason.isEmpty)
        }
        #expect(world.streams.map(\.isOver) == [true, true, true])
    }

    @Test func theNextMessageAbortsWhatRunsAndStreamsOnlyItsOwnAnswer() throws {
        var world = world()
        let first = try send(&world)
        world.begin("ses_1", first, "hi", answer: "msg_3")
        world.text("ses_1", "msg_3", "prt_1", ["One"], isWhole: false)
        #expect(!world.server.asked.contains("POST /session/ses_1/abort"))
        let second = try send(&world)
        #expect(world.server.asked.suffix(2) == ["POST /session/ses_1/abort", "POST /session/ses_1/prompt_async"])
        world.hear("session.error", ["sessionID": "ses_1", "error": ["name": "MessageAbortedError", "data": [:]]])
        world.idle("ses_1")
        world.begin("ses_1", second, "hi", answer: "msg_4")
        world.text("ses_1", "msg_4", "prt_2", ["Two"])
        world.idle("ses_1")
        #expect(events(world.streams[0].text).last?["fullText"] == "One")
        #expect(events(world.streams[1].text).compactMap { $0["deltaText"]?.text } == ["Two"])
        #expect(world.streams.map(\.isOver) == [true, true])
    }

    @Test func commentsComeEvery15SecondsOfSilence() throws {
        var world = world()
        _ = try send(&world)
        #expect(world.streams[0].stream.deadline == world.now + 15_000)
        let early = world.streams[0].stream.wake(at: world.now + 14_999)
        world.now += 15_000
        let late = world.streams[0].stream.wake(at: world.now)
        #expect(early.isEmpty && late == [.write(Array(": \n\n".utf8))])
        #expect(world.streams[0].stream.deadline == world.now + 15_000)
    }

    @Test func aChatSeesTheAnswerToARequestAndTheOtherWayRound() throws {
        var world = world()
        world.open()
        world.say(#"{"type":"load_conversation","conversationId":"\#(id)"}"#)
        _ = world.got()
        let prompt = try send(&world)
        world.begin("ses_1", prompt, "hi", answer: "msg_3")
        world.text("ses_1", "msg_3", "prt_1", ["Hello"])
        world.idle("ses_1")
        let got = world.got()
        #expect(got.map { $0["type"] } == ["assistant_chunk", "assistant_done"])
        #expect(got.last?["id"] == events(world.streams[0].text).last?["messageId"])
    }
}
