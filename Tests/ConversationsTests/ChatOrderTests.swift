// SPDX-License-Identifier: Apache-2.0

import Conversations
import Dialects
import JSONText
import Testing

/// Tests the order of a chat's messages, and their processing after the client has disconnected.
@Suite struct ChatOrderTests {
    private let id = ConversationID(session: "ses_1").text

    private func loaded() -> ConversationHarness {
        var harness = ConversationHarness([FakeOpenCode1.talk("ses_1", pairs: 1)])
        // After this step, messages do not have to request the models.
        _ = harness.request("GET", "/models")
        harness.open()
        harness.send(#"{"type":"load_conversation","conversationId":"\#(id)"}"#)
        _ = harness.got()
        return harness
    }

    private func send(_ text: String, _ harness: inout ConversationHarness) {
        harness.send(#"{"type":"user_message","conversationId":"\#(id)","content":"\#(text)"}"#)
    }

    /// Sends OpenCode's events for the end of an abort, which may arrive after the response to the abort.
    private func receivesEnd(_ harness: inout ConversationHarness) {
        harness.receiveEvent(
            "session.error",
            ["sessionID": "ses_1", "error": ["name": "MessageAbortedError", "data": ["message": "Aborted"]]])
        harness.idle("ses_1")
    }

    @Test func `a message after cancel_generation is sent once the aborted answer has ended`() throws {
        var harness = loaded()
        send("one", &harness)
        let first = try #require(harness.server.prompts.last?["messageID"]?.text)
        harness.startTurn("ses_1", first, "one", answer: "msg_3")
        harness.text("ses_1", "msg_3", "prt_1", ["Hel"], isWhole: false)
        harness.holdsRequests = true
        harness.send(#"{"type":"cancel_generation","conversationId":"\#(id)"}"#)
        harness.holdsRequests = false
        send("two", &harness)
        harness.send(#"{"type":"ping"}"#)

        #expect(harness.server.prompts.count == 1)

        receivesEnd(&harness)
        harness.release()
        let second = try #require(harness.server.prompts.last?["messageID"]?.text)

        #expect(second != first)

        harness.startTurn("ses_1", second, "two", answer: "msg_4")
        harness.text("ses_1", "msg_4", "prt_2", ["Two"])
        harness.idle("ses_1")

        #expect(
            harness.got().map(\.outline) == [
                "assistant_chunk Hel", "pong", "assistant_done", "assistant_chunk Two", "assistant_done",
            ])
    }

    /// Sends OpenCode's last event of a message that was aborted.
    private func aborted(_ message: String, of user: String, _ harness: inout ConversationHarness) {
        harness.receiveEvent(
            "message.updated",
            [
                "info": [
                    "id": .string(message), "sessionID": "ses_1", "role": "assistant", "parentID": .string(user),
                    "modelID": "talk", "providerID": "simulator", "mode": "build", "agent": "build",
                    "path": ["cwd": "/home/vibe/demo", "root": "/home/vibe/demo"], "cost": 0,
                    "tokens": ["input": 0, "output": 0, "reasoning": 0, "cache": ["read": 0, "write": 0]],
                    "time": ["created": 2_000, "completed": 3_000],
                    "error": ["name": "MessageAbortedError", "data": ["message": "Aborted"]],
                ]
            ])
    }

    @Test func `an abort has ended when the session is idle and the message has its error`() throws {
        for isIdleFirst in [true, false] {
            var harness = loaded()
            send("one", &harness)
            let first = try #require(harness.server.prompts.last?["messageID"]?.text)
            harness.startTurn("ses_1", first, "one", answer: "msg_3")

            harness.state.abort("ses_1")
            let wasEnding = harness.state.isEnding("ses_1")
            if isIdleFirst { harness.idle("ses_1") } else { aborted("msg_3", of: first, &harness) }
            let isHalfEnded = harness.state.isEnding("ses_1")
            if isIdleFirst { aborted("msg_3", of: first, &harness) } else { harness.idle("ses_1") }

            #expect(wasEnding)
            #expect(isHalfEnded)
            #expect(!harness.state.isEnding("ses_1"))
        }
    }

    @Test func `an abort of an idle session ends no answer`() {
        var harness = loaded()

        harness.state.abort("ses_1")

        #expect(!harness.state.isEnding("ses_1"))
    }

    @Test func `an answer that another client aborts ends with an error`() throws {
        var harness = loaded()
        send("one", &harness)
        let first = try #require(harness.server.prompts.last?["messageID"]?.text)
        harness.startTurn("ses_1", first, "one", answer: "msg_3")
        _ = harness.got()

        aborted("msg_3", of: first, &harness)
        harness.idle("ses_1")

        #expect(harness.got().map { $0["type"]?.text } == ["error", "assistant_done"])
    }

    @Test func `before 1.18, an answer that another client aborts ends with an error after session.idle`() throws {
        var harness = loaded()
        send("one", &harness)
        let first = try #require(harness.server.prompts.last?["messageID"]?.text)
        harness.startTurn("ses_1", first, "one", answer: "msg_3")
        _ = harness.got()

        harness.idle("ses_1", isHeld: true)
        let atIdle = harness.got()
        let isEnding = harness.state.isEnding("ses_1")
        aborted("msg_3", of: first, &harness)
        let atEnd = harness.got()
        harness.giveUp()
        harness.idle("ses_1")

        #expect(atIdle.isEmpty)
        #expect(isEnding)
        #expect(atEnd.map { $0["type"]?.text } == ["error", "assistant_done"])
        #expect(!harness.state.isEnding("ses_1"))
        #expect(harness.got().isEmpty)
    }

    @Test func `a message after another client's abort waits for the end of the aborted answer`() throws {
        var harness = loaded()
        send("one", &harness)
        let first = try #require(harness.server.prompts.last?["messageID"]?.text)
        harness.startTurn("ses_1", first, "one", answer: "msg_3")
        harness.state.expectAbort(of: "ses_1")
        let isEnding = harness.state.isEnding("ses_1")
        harness.idle("ses_1", isHeld: true)
        let isEndingAtIdle = harness.state.isEnding("ses_1")
        aborted("msg_3", of: first, &harness)

        #expect(isEnding)
        #expect(isEndingAtIdle)
        #expect(!harness.state.isEnding("ses_1"))
        #expect(harness.got().map { $0["type"]?.text } == ["error", "assistant_done"])
    }

    @Test func `an abort that OpenCode refuses changes nothing`() throws {
        var harness = loaded()
        harness.state.expectAbort(of: "ses_1")
        let isEndingBefore = harness.state.isEnding("ses_1")
        send("one", &harness)
        let first = try #require(harness.server.prompts.last?["messageID"]?.text)
        harness.startTurn("ses_1", first, "one", answer: "msg_3")
        harness.state.expectAbort(of: "ses_1")
        harness.text("ses_1", "msg_3", "prt_1", ["One"])
        harness.idle("ses_1")

        #expect(!isEndingBefore, "no work is running")
        #expect(!harness.state.isEnding("ses_1"))
        #expect(harness.got().map(\.outline) == ["assistant_chunk One", "assistant_done"])
    }

    @Test func `before 1_18, an answer that the client has aborted ends when the session is idle`() throws {
        var harness = loaded()
        send("one", &harness)
        let first = try #require(harness.server.prompts.last?["messageID"]?.text)
        harness.startTurn("ses_1", first, "one", answer: "msg_3")
        _ = harness.got()

        harness.state.abort("ses_1")
        harness.idle("ses_1", isHeld: true)
        let atIdle = harness.got()
        aborted("msg_3", of: first, &harness)

        #expect(atIdle.map { $0["type"]?.text } == ["assistant_done"])
        #expect(harness.got().isEmpty)
    }

    @Test func `an answer whose message is never completed ends after a bounded wait`() throws {
        var harness = loaded()
        send("one", &harness)
        let first = try #require(harness.server.prompts.last?["messageID"]?.text)
        harness.startTurn("ses_1", first, "one", answer: "msg_3")
        _ = harness.got()

        harness.idle("ses_1", isHeld: true)
        let atIdle = harness.got()
        harness.giveUp()

        #expect(atIdle.isEmpty)
        #expect(harness.got().map { $0["type"]?.text } == ["assistant_done"])
        #expect(!harness.state.isEnding("ses_1"))
    }

    @Test func `a message that is queued after an answer that OpenCode aborts also ends with an error`() throws {
        var harness = loaded()
        send("one", &harness)
        let first = try #require(harness.server.prompts.last?["messageID"]?.text)
        harness.startTurn("ses_1", first, "one", answer: "msg_3")
        send("two", &harness)
        let second = try #require(harness.server.prompts.last?["messageID"]?.text)
        harness.receiveMessage(FakeOpenCode1.user(second, "two"), of: "ses_1")
        harness.busy("ses_1")
        _ = harness.got()

        harness.idle("ses_1", isHeld: true)
        aborted("msg_3", of: first, &harness)

        let types = harness.got().map { $0["type"]?.text }

        #expect(types == ["error", "assistant_done", "error", "assistant_done"])
    }

    @Test func `an answer that the client has aborted ends without an error`() throws {
        var harness = loaded()
        send("one", &harness)
        let first = try #require(harness.server.prompts.last?["messageID"]?.text)
        harness.startTurn("ses_1", first, "one", answer: "msg_3")
        _ = harness.got()

        harness.state.abort("ses_1")
        aborted("msg_3", of: first, &harness)
        harness.idle("ses_1")

        #expect(harness.got().map { $0["type"]?.text } == ["assistant_done"])
    }

    @Test func `a message after one that is cancelled while being sent waits for the abort`() {
        var harness = loaded()
        harness.holdsRequests = true
        send("one", &harness)
        harness.send(#"{"type":"cancel_generation","conversationId":"\#(id)"}"#)
        send("two", &harness)
        harness.release()
        let requests = harness.server.requests.filter { $0.hasPrefix("POST") }.compactMap {
            $0.split(separator: "/").last
        }

        // The previous work is aborted as well.
        #expect(requests == ["prompt_async", "abort", "abort", "prompt_async"])
    }

    @Test func `after a client disconnects, only its prompts and deletions are sent, in order`() {
        var harness = loaded()
        harness.server.requests = []
        harness.holdsRequests = true
        send("one", &harness)
        for type in ["list_conversations", "new_conversation"] { harness.send(#"{"type":"\#(type)"}"#) }
        send("two", &harness)
        harness.send(#"{"type":"delete_conversation","conversationId":"\#(id)"}"#)
        harness.disconnect()
        harness.release()
        let prompt = "POST /session/ses_1/prompt_async"

        #expect(harness.server.requests == [prompt, prompt, "DELETE /session/ses_1"])

        // Messages from before the disconnection may be read later.
        harness.send(#"{"type":"list_conversations"}"#)

        #expect(harness.server.requests.count == 3)
    }

    @Test func `after a key is revoked, none of its pending prompts and deletions are sent`() {
        var harness = loaded()
        harness.server.requests = []
        harness.holdsRequests = true
        harness.send(
            #"{"type":"user_message","conversationId":"\#(ConversationID(session: "ses_9").text)","content":"new"}"#)
        send("two", &harness)
        harness.send(#"{"type":"delete_conversation","conversationId":"\#(id)"}"#)
        harness.revoke()
        harness.release()

        #expect(!harness.server.requests.contains { $0.hasSuffix("prompt_async") || $0.hasPrefix("DELETE") })
    }

    @Test func `after a key is revoked, messages that the client sent before are not processed`() {
        var harness = loaded()
        harness.server.requests = []

        harness.revoke()
        send("late", &harness)
        harness.send(#"{"type":"ping"}"#)

        #expect(harness.server.requests.isEmpty)
        #expect(harness.got().isEmpty)
    }
}
