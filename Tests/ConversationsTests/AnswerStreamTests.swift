// SPDX-License-Identifier: Apache-2.0

import Conversations
import Dialects
import JSONText
import Testing

/// Tests the event stream of an answer.
@Suite struct AnswerStreamTests {
    private let id = ConversationID(session: "ses_1").text

    private func harness() -> ConversationHarness {
        var harness = ConversationHarness([FakeOpenCode1.talk("ses_1", pairs: 1)])
        _ = harness.request("GET", "/conversations")
        return harness
    }

    /// Returns the events of a stream; malformed data fails the test.
    private func events(_ text: String) -> [JSON] {
        text.split(separator: "\n\n").map(String.init).compactMap { block in
            if block.hasPrefix(":") { return nil }
            #expect(block.hasPrefix("data: "))
            #expect(!block.contains("\n"))
            return JSONParser.parse(Array(block.dropFirst(6).utf8))
        }
    }

    private func send(_ harness: inout ConversationHarness) throws -> String {
        let answer = harness.request("POST", "/conversations/\(id)/messages", body: ["role": "user", "text": "hi"])
        #expect(answer == nil)
        return try #require(harness.server.prompts.last?["messageID"]?.text)
    }

    @Test func `an answer's deltas are sent in ASCII under one message id, followed by a done event`() throws {
        var harness = harness()
        let prompt = try send(&harness)
        harness.startTurn("ses_1", prompt, "hi", answer: "msg_3")
        harness.text("ses_1", "msg_3", "prt_1", ["Grüße ", "日本 🚀"])
        harness.text("ses_1", "msg_3", "prt_2", ["More."])
        harness.idle("ses_1")
        let stream = harness.streams[0]

        #expect(stream.isOver)
        #expect(stream.text.utf8.allSatisfy { $0 < 0x80 })
        #expect(stream.text.contains(#"Gr\u00fc\u00dfe"#))
        #expect(stream.text.contains(#"\ud83d\ude80"#))

        let events = events(stream.text)

        #expect(events.compactMap { $0["deltaText"]?.text } == ["Grüße ", "日本 🚀", "\n\nMore."])
        #expect(events.last?["fullText"] == "Grüße 日本 🚀\n\nMore.")
        #expect(events.last?["done"] == true)
        #expect(events.allSatisfy { $0["conversationId"]?.text == id })

        let answer = try #require(events.first?["messageId"]?.text)

        #expect(events.allSatisfy { $0["messageId"]?.text == answer })

        // A list contains the answer under the same id.
        harness.server.sessions[0].messages += [
            FakeOpenCode1.user(prompt, "hi"), FakeOpenCode1.assistant("msg_3", to: prompt, "Grüße 日本 🚀"),
        ]
        let page = harness.request("GET", "/conversations/\(id)/messages")?.json["items"]?.array

        #expect(page?.last?["id"]?.text == answer)
    }

    /// The prompt is identified by its text, and has the same id as in lists.
    @Test func `a prompt that OpenCode stores under a different id is matched by its text`() throws {
        var harness = harness()
        _ = try send(&harness)
        harness.startTurn("ses_1", "msg_2own", "hi", answer: "msg_3")
        harness.text("ses_1", "msg_3", "prt_1", ["Hello"])
        harness.idle("ses_1")
        let events = events(harness.streams[0].text)

        #expect(events.compactMap { $0["deltaText"]?.text } == ["Hello"])
        #expect(events.last?["done"] == true)

        harness.server.sessions[0].messages += [
            FakeOpenCode1.user("msg_2own", "hi"), FakeOpenCode1.assistant("msg_3", to: "msg_2own", "Hello"),
        ]
        let page = harness.request("GET", "/conversations/\(id)/messages")?.json["items"]?.array

        #expect(page?.last?["id"] == events.last?["messageId"])
        #expect(harness.state.quiet(for: 0, at: harness.now).isEmpty)
    }

    @Test func `a failed turn ends the stream with a done event that has the error`() throws {
        var harness = harness()
        let prompt = try send(&harness)
        harness.startTurn("ses_1", prompt, "hi", answer: "msg_3")
        harness.receiveEvent(
            "session.error", ["sessionID": "ses_1", "error": ["name": "APIError", "data": ["message": "No credit"]]])
        harness.idle("ses_1")
        let events = events(harness.streams[0].text)

        #expect(events.first?["deltaText"] == "No credit")
        #expect(events.last?["done"] == true)
        #expect(events.last?["error"]?["message"] == "No credit")
        #expect(harness.streams[0].isOver)
    }

    @Test func `an aborted turn ends the stream with a done event without an error`() throws {
        var harness = harness()
        let prompt = try send(&harness)
        harness.startTurn("ses_1", prompt, "hi", answer: "msg_3")
        harness.text("ses_1", "msg_3", "prt_1", ["Hel"], isWhole: false)
        harness.state.abort("ses_1")
        harness.receiveEvent(
            "session.error", ["sessionID": "ses_1", "error": ["name": "MessageAbortedError", "data": [:]]])
        harness.idle("ses_1")
        let last = events(harness.streams[0].text).last

        #expect(last?["done"] == true)
        #expect(last?["fullText"] == "Hel")
        #expect(last?["error"] == nil)
    }

    @Test func `a rejected prompt, an ended instance and a deleted conversation each end the stream`() throws {
        var harness = harness()
        harness.server.instead["POST /session/ses_1/prompt_async"] = OpenCodeAnswer(502, [])
        _ = harness.request("POST", "/conversations/\(id)/messages", body: ["text": "hi"])
        harness.server.instead = [:]
        _ = try send(&harness)
        harness.publish(harness.state.instanceEnded("It has ended.", at: harness.now))
        _ = try send(&harness)
        _ = harness.request("DELETE", "/conversations/\(id)")
        for (text, reason) in zip(harness.streams.map(\.text), ["reached", "ended", ""]) {
            let last = events(text).last
            #expect(last?["done"] == true)
            #expect(last?["error"]?["message"]?.text?.contains(reason) ?? reason.isEmpty)
        }

        #expect(harness.streams.map(\.isOver) == [true, true, true])
    }

    @Test func `the next message aborts the running turn and streams only its own answer`() throws {
        var harness = harness()
        let first = try send(&harness)
        harness.startTurn("ses_1", first, "hi", answer: "msg_3")
        harness.text("ses_1", "msg_3", "prt_1", ["One"], isWhole: false)

        #expect(!harness.server.requests.contains("POST /session/ses_1/abort"))

        let second = try send(&harness)

        #expect(harness.server.requests.suffix(2) == ["POST /session/ses_1/abort", "POST /session/ses_1/prompt_async"])

        harness.receiveEvent(
            "session.error", ["sessionID": "ses_1", "error": ["name": "MessageAbortedError", "data": [:]]])
        harness.idle("ses_1")
        harness.startTurn("ses_1", second, "hi", answer: "msg_4")
        harness.text("ses_1", "msg_4", "prt_2", ["Two"])
        harness.idle("ses_1")

        #expect(events(harness.streams[0].text).last?["fullText"] == "One")
        #expect(events(harness.streams[1].text).compactMap { $0["deltaText"]?.text } == ["Two"])
        #expect(harness.streams.map(\.isOver) == [true, true])
    }

    @Test func `the next message does not abort a turn that another client aborts`() throws {
        var harness = harness()
        let first = try send(&harness)
        harness.startTurn("ses_1", first, "hi", answer: "msg_3")
        harness.state.expectAbort(of: "ses_1")
        harness.endsAbortedWork = true
        _ = try send(&harness)

        #expect(!harness.server.requests.contains("POST /session/ses_1/abort"))
        #expect(harness.server.requests.last == "POST /session/ses_1/prompt_async")
    }

    @Test func `the next message aborts a turn that another client's abort has not ended`() throws {
        var harness = harness()
        let first = try send(&harness)
        harness.startTurn("ses_1", first, "hi", answer: "msg_3")
        harness.state.expectAbort(of: "ses_1")
        _ = try send(&harness)

        #expect(harness.server.requests.suffix(2) == ["POST /session/ses_1/abort", "POST /session/ses_1/prompt_async"])
    }

    @Test func `a comment is sent after every 15 s of silence`() throws {
        var harness = harness()
        _ = try send(&harness)

        #expect(harness.streams[0].stream.deadline == harness.now + 15_000)

        let early = harness.streams[0].stream.wake(at: harness.now + 14_999)
        harness.now += 15_000
        let late = harness.streams[0].stream.wake(at: harness.now)

        #expect(early.isEmpty)
        #expect(late == [.write(Array(": \n\n".utf8))])
        #expect(harness.streams[0].stream.deadline == harness.now + 15_000)
    }

    @Test func `a chat that has loaded the conversation receives the answer to a request under the same id`() throws {
        var harness = harness()
        harness.open()
        harness.send(#"{"type":"load_conversation","conversationId":"\#(id)"}"#)
        _ = harness.got()
        let prompt = try send(&harness)
        harness.startTurn("ses_1", prompt, "hi", answer: "msg_3")
        harness.text("ses_1", "msg_3", "prt_1", ["Hello"])
        harness.idle("ses_1")
        let got = harness.got()

        #expect(got.map { $0["type"] } == ["assistant_chunk", "assistant_done"])
        #expect(got.last?["id"] == events(harness.streams[0].text).last?["messageId"])
    }
}
