// SPDX-License-Identifier: Apache-2.0

import Conversations
import Dialects
import JSONText
import Testing

/// Tests the events of an answer while it is being written.
@Suite struct ChatTurnTests {
    private let id = ConversationID(session: "ses_1").text

    private func load(_ harness: inout ConversationHarness, _ chat: Int) {
        harness.open(chat)
        harness.send(#"{"type":"load_conversation","conversationId":"\#(id)"}"#, chat)
    }

    /// Returns a harness with a chat that has loaded the conversation, after an answer has begun.
    private func started() -> ConversationHarness {
        var harness = ConversationHarness([FakeOpenCode1.talk("ses_1", pairs: 1)])
        load(&harness, 1)
        harness.startTurn("ses_1", "msg_2", "hi", answer: "msg_3")
        _ = harness.got()
        return harness
    }

    private func chunks(_ messages: [JSON]) -> String {
        messages.filter { $0["type"] == "assistant_chunk" }.compactMap { $0["content"]?.text }.joined()
    }

    private func kinds(_ messages: [JSON]) -> [String] { messages.compactMap { $0["type"]?.text } }

    @Test func `several chats of one conversation receive the same messages`() {
        var harness = started()
        load(&harness, 2)
        _ = harness.got(2)
        harness.text("ses_1", "msg_3", "prt_1", ["one", " two"])
        harness.idle("ses_1")
        let (one, other) = (harness.got(1), harness.got(2))

        #expect(one == other)
        #expect(kinds(one) == ["assistant_chunk", "assistant_chunk", "assistant_done"])
    }

    @Test func `a chat receives no messages of a conversation that it has not loaded`() {
        var harness = started()
        harness.open(2)
        _ = harness.got(2)
        harness.text("ses_1", "msg_3", "prt_1", ["one"])

        #expect(harness.got(2).isEmpty)
    }

    @Test(arguments: [0, 1, 2, 3, 4, 5, 6, 7])
    func `a client that reconnects receives the answer so far and the remainder without duplicates`(events: Int) {
        var harness = started()
        let all: [(inout ConversationHarness) -> Void] = [
            { $0.receiveText("reasoning", "ses_1", "msg_3", "prt_0", "", end: nil) },
            { $0.delta("ses_1", "msg_3", "prt_0", "Hm") },
            { $0.text("ses_1", "msg_3", "prt_1", ["Let me ", "look."]) },
            { $0.tool("ses_1", "msg_3", "prt_2", ["status": "running", "input": ["a": 1], "time": ["start": 1]]) },
            {
                $0.tool(
                    "ses_1", "msg_3", "prt_2",
                    ["status": "completed", "input": ["a": 1], "output": "x", "time": ["start": 1, "end": 2]])
            },
            { $0.text("ses_1", "msg_3", "prt_3", ["It is", " x"], isWhole: false) },
            { $0.delta("ses_1", "msg_3", "prt_3", ".") },
        ]
        for event in all[..<events] { event(&harness) }
        load(&harness, 2)
        for event in all[events...] { event(&harness) }
        harness.idle("ses_1")
        let got = Array(harness.got(2).dropFirst())

        #expect(got.first?["metadata"]?["messages"]?.array?.count == 2)
        #expect(chunks(got) == "Let me look.\n\nIt is x.")
        #expect(chunks(got) == chunks(harness.got(1)))

        let counted = kinds(got).filter { $0 != "assistant_chunk" && $0 != "thinking_chunk" }

        #expect(
            counted == [
                "conversation_loaded", "thinking_done", "tool_call_start", "tool_call_done", "assistant_done",
            ])
    }

    @Test func `text that a list contains before its events arrive is sent only once`() {
        var harness = started()
        harness.server.sessions[0].messages += [
            FakeOpenCode1.user("msg_2", "hi"),
            FakeOpenCode1.assistant("msg_3", to: "msg_2", "Hello", isDone: false),
        ]
        load(&harness, 2)
        harness.text("ses_1", "msg_3", "prt_msg_3", ["Hel", "lo", " you"])
        harness.idle("ses_1")

        #expect(chunks(harness.got(1)) == "Hello you")
        #expect(chunks(harness.got(2)) == "Hello you")
    }

    @Test func `a list is read again if a turn ends while it is read`() {
        var harness = started()
        harness.text("ses_1", "msg_3", "prt_1", ["Hello"])
        harness.holdsRequests = true
        load(&harness, 2)
        harness.idle("ses_1")
        harness.server.sessions[0].messages += [
            FakeOpenCode1.user("msg_2", "hi"), FakeOpenCode1.assistant("msg_3", to: "msg_2", "Hello"),
        ]
        harness.server.requests = []
        harness.release()
        let loaded = harness.got(2).last

        #expect(loaded?["metadata"]?["messages"]?.array?.compactMap { $0["content"]?.text }.last == "Hello")
        #expect(harness.server.requests.count == 2)
        #expect(kinds(harness.got(1)).count { $0 == "assistant_done" } == 1)
    }

    @Test func `a failed answer ends its tool call, then sends one error and one assistant_done`() {
        var harness = started()
        harness.tool("ses_1", "msg_3", "prt_1", ["status": "running", "input": [:], "time": ["start": 1]])
        harness.receiveEvent(
            "session.error",
            [
                "sessionID": "ses_1",
                "error": ["name": "APIError", "data": ["message": "Unauthorized", "statusCode": 401]],
            ])
        harness.idle("ses_1")
        harness.idle("ses_1")
        let got = harness.got()

        #expect(kinds(got) == ["tool_call_start", "tool_call_done", "error", "assistant_done"])
        #expect(got[1]["metadata"]?["success"] == false)
        #expect(got[2]["content"] == "Unauthorized")
        #expect(got[2]["metadata"]?["code"] == "API_ERROR")
    }

    @Test func `cancel_generation ends a running tool call first and the answer once`() {
        var harness = started()
        harness.text("ses_1", "msg_3", "prt_1", ["Hel"], isWhole: false)
        harness.tool("ses_1", "msg_3", "prt_2", ["status": "running", "input": [:], "time": ["start": 1]])
        harness.server.working = ["ses_1"]
        harness.send(#"{"type":"cancel_generation","conversationId":"\#(id)"}"#)

        #expect(harness.server.requests.contains("POST /session/ses_1/abort"))

        harness.receiveEvent(
            "session.error",
            ["sessionID": "ses_1", "error": ["name": "MessageAbortedError", "data": ["message": "Aborted"]]])
        harness.idle("ses_1")
        harness.receiveText("text", "ses_1", "msg_3", "prt_1", "Hel", end: 5_000)
        harness.idle("ses_1")

        #expect(kinds(harness.got()) == ["assistant_chunk", "tool_call_start", "tool_call_done", "assistant_done"])
    }

    @Test func `cancel_generation of an idle or unknown conversation sends nothing`() {
        var harness = ConversationHarness([FakeOpenCode1.talk("ses_1", pairs: 1)])
        load(&harness, 1)
        _ = harness.got()
        harness.send(#"{"type":"cancel_generation","conversationId":"\#(id)"}"#)
        harness.send(#"{"type":"cancel_generation","conversationId":"\#(ConversationHarness.mine)"}"#)

        #expect(harness.got().isEmpty)
        #expect(!harness.server.requests.contains("POST /session/ses_1/abort"))
    }

    @Test func `a message that is cancelled before it is sent is never sent`() {
        var harness = ConversationHarness()
        harness.open()
        harness.holdsRequests = true
        harness.send(#"{"type":"user_message","conversationId":"\#(ConversationHarness.mine)","content":"one"}"#)
        harness.send(#"{"type":"user_message","conversationId":"\#(ConversationHarness.mine)","content":"two"}"#)
        harness.send(#"{"type":"cancel_generation","conversationId":"\#(ConversationHarness.mine)"}"#)
        harness.release()

        #expect(kinds(harness.got()) == ["status", "assistant_done", "assistant_done"])
        #expect(harness.server.prompts.isEmpty)
    }

    @Test func `a second message does not abort the first, and each answer ends once`() throws {
        var harness = ConversationHarness([FakeOpenCode1.talk("ses_1", pairs: 1)])
        load(&harness, 1)
        for text in ["first", "second"] {
            harness.send(#"{"type":"user_message","conversationId":"\#(id)","content":"\#(text)"}"#)
        }
        let ids = harness.server.prompts.compactMap { $0["messageID"]?.text }

        try #require(ids.count == 2)
        try #require(!harness.server.requests.contains("POST /session/ses_1/abort"))

        _ = harness.got()
        harness.startTurn("ses_1", ids[0], "first", answer: "msg_3")
        harness.text("ses_1", "msg_3", "prt_1", ["One"])
        harness.receiveMessage(FakeOpenCode1.user(ids[1], "second"), of: "ses_1")
        harness.receiveEvent("message.updated", ["info": FakeOpenCode1.assistantInfo("msg_4", to: ids[1])])
        harness.text("ses_1", "msg_4", "prt_2", ["Two"])
        harness.idle("ses_1")
        let got = harness.got()

        #expect(kinds(got) == ["assistant_chunk", "assistant_done", "assistant_chunk", "assistant_done"])
        #expect(got[1]["id"] != got[3]["id"])
    }

    @Test func `a prompt that fails without an answer ends with an error and assistant_done`() throws {
        var harness = ConversationHarness([FakeOpenCode1.talk("ses_1", pairs: 1)])
        load(&harness, 1)
        harness.send(#"{"type":"user_message","conversationId":"\#(id)","content":"hi"}"#)
        let prompt = try #require(harness.server.prompts.first?["messageID"]?.text)
        _ = harness.got()
        harness.receiveMessage(FakeOpenCode1.user(prompt, "hi"), of: "ses_1")
        harness.busy("ses_1")
        harness.receiveEvent(
            "session.error",
            ["sessionID": "ses_1", "error": ["name": "UnknownError", "data": ["message": "Model not found: a/b."]]])
        harness.idle("ses_1")
        let got = harness.got()

        try #require(kinds(got) == ["error", "assistant_done"])
        #expect(got[0]["content"] == "Model not found: a/b.")
    }

    @Test func `a prompt that OpenCode rejects ends with one error and one assistant_done`() {
        var harness = ConversationHarness([FakeOpenCode1.talk("ses_1", pairs: 1)])
        load(&harness, 1)
        _ = harness.got()
        harness.server.instead["POST /session/ses_1/prompt_async"] = OpenCodeAnswer(500, [])
        harness.send(#"{"type":"user_message","conversationId":"\#(id)","content":"hi"}"#)

        #expect(kinds(harness.got()) == ["error", "assistant_done"])

        harness.idle("ses_1")

        #expect(harness.got().isEmpty)
    }

    @Test func `the end of an instance ends its answers with an error`() throws {
        var harness = started()
        harness.publish(harness.state.instanceEnded("OpenCode of demo has ended.", at: harness.now))
        let got = harness.got()

        try #require(kinds(got) == ["error", "assistant_done"])
        #expect(got[0]["content"] == "OpenCode of demo has ended.")
    }

    @Test func `text whose deltas were missed is sent when its part is complete`() {
        var harness = started()
        harness.text("ses_1", "msg_3", "prt_1", ["one "], isWhole: false)

        #expect(harness.state.missed() == ["ses_1"])

        harness.delta("ses_1", "msg_3", "prt_1", "three")
        harness.receiveText("text", "ses_1", "msg_3", "prt_1", "one two three", end: 5)

        #expect(chunks(harness.got()) == "one two three")
    }

    @Test func `a check of a quiet session finds an end whose events were missed`() throws {
        var harness = started()
        harness.text("ses_1", "msg_3", "prt_1", ["Hel"], isWhole: false)

        #expect(harness.state.quiet(for: 30_000, at: harness.now + 29_999).isEmpty)
        #expect(harness.state.quiet(for: 30_000, at: harness.now + 30_000) == ["ses_1"])

        harness.server.sessions[0].messages += [
            FakeOpenCode1.user("msg_2", "hi"),
            [
                "info": FakeOpenCode1.assistantInfo("msg_3", to: "msg_2", isDone: true),
                "parts": [
                    [
                        "id": "prt_1", "sessionID": "ses_1", "messageID": "msg_3", "type": "text", "text": "Hello",
                        "time": ["start": 1, "end": 2],
                    ]
                ],
            ],
        ]
        harness.finish(harness.state.check("ses_1"))

        #expect(harness.got().map(\.outline) == ["assistant_chunk Hel", "assistant_chunk lo", "assistant_done"])
    }

    @Test func `a check finds a session that was deleted without an event`() throws {
        var harness = ConversationHarness([FakeOpenCode1.talk("ses_1", pairs: 1)])
        load(&harness, 1)
        _ = harness.got()
        harness.server.sessions = []
        // OpenCode 1.1 accepts prompts for sessions that do not exist.
        harness.server.instead["POST /session/ses_1/prompt_async"] = OpenCodeAnswer(204, [])
        harness.send(#"{"type":"user_message","conversationId":"\#(id)","content":"hi"}"#)

        #expect(harness.state.quiet(for: 1, at: harness.now + 1) == ["ses_1"])

        harness.finish(harness.state.check("ses_1"))

        #expect(kinds(harness.got()) == ["assistant_done", "conversation_deleted"])
        #expect(harness.state.quiet(for: 1, at: harness.now + 2).isEmpty)
    }

    @Test func `half a surrogate pair is held until its other half arrives`() {
        var harness = started()
        harness.receiveText("text", "ses_1", "msg_3", "prt_1", "", end: nil)
        harness.delta("ses_1", "msg_3", "prt_1", .brokenString(Array(#"a\ud83d"#.utf8)))
        harness.delta("ses_1", "msg_3", "prt_1", .brokenString(Array(#"\ude80b"#.utf8)))
        harness.delta("ses_1", "msg_3", "prt_1", .brokenString(Array(#"\\ud83d\ude80"#.utf8)))

        #expect(chunks(harness.got()) == #"a🚀b\ud83d"# + "\u{FFFD}")
    }

    @Test func `long text is split between characters into chunks of at most 64 KiB`() {
        var harness = started()
        let text = "x" + String(repeating: "👨‍👩‍👧‍👦", count: 6_000)
        harness.receiveText("text", "ses_1", "msg_3", "prt_1", text, end: 5)
        let parts = harness.got().compactMap { $0["content"]?.text }

        #expect(parts.joined() == text)
        #expect(parts.count == 3)
        #expect(parts.allSatisfy { $0.utf8.count <= 65_536 && $0.utf8.count > 18_000 })
        #expect(parts.reduce(0) { $0 + $1.count } == 6_001)
    }

    @Test func `conversation_loaded is truncated to the newest messages of about 768 KiB`() {
        var session = FakeOpenCode1.StoredSession(id: "ses_1", title: "Long", updated: 1)
        for number in 100..<400 {
            session.messages.append(
                FakeOpenCode1.user("msg_\(number)a", String(repeating: "\(number) ", count: 2_500)))
        }
        var harness = ConversationHarness([session])
        harness.open()
        harness.send(#"{"type":"load_conversation","conversationId":"\#(id)"}"#)
        let loaded = harness.got().last
        let size = loaded?.bytes.count ?? 0

        #expect(size <= 768 * 1024 + 300)
        #expect(size > 740 * 1024)
        #expect(loaded?["metadata"]?["truncated"] == true)
        #expect(loaded?["metadata"]?["messages"]?.array?.last?["content"]?.text?.hasPrefix("399 ") == true)
        #expect(harness.server.requests.count { $0.hasSuffix("message") } == 1)
    }
}
