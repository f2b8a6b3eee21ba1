// SPDX-License-Identifier: Apache-2.0

import Dialects
import JSONText
import Testing

/// Tests translations that no pair of recordings contains.
@Suite struct StreamRuleTests {
    /// A session that is busy with a prompt, and the translation of its events.
    struct Stream {
        var translator = StreamTranslator(Turns.instanceDefaults)
        var count = 0

        init() {
            _ = translate(
                "session.created",
                #""slug":"s","version":"2.0.15","projectID":"p","location":{"directory":"/d"},"subpath":"""#)
            prompt("msg_10")
            _ = translate("session.execution.started", nil)
            _ = translate("session.inbox.delivered", #""inboxID":"msg_10""#)
        }

        mutating func prompt(_ id: String, text: String = "hi") {
            _ = translate(
                "session.inbox.enqueued",
                #""inboxID":"\#(id)","item":{"type":"user","payload":{"text":"\#(text)"},"delivery":"steer"}"#)
        }

        mutating func step(_ id: String) {
            _ = translate(
                "session.step.started",
                #"""
                "agent":"build","model":{"id":"talk","providerID":"mock","variant":"default"},\#
                "assistantMessageID":"\#(id)","snapshot":"s1","started":5
                """#
            )
        }

        /// Translates an event, and returns the kinds of the results except the updates and diffs of sessions.
        mutating func translate(_ type: String, _ members: String?) -> [String] {
            reported(type, members).map(Outline.detail).filter { $0 != "session.updated" && $0 != "session.diff" }
        }

        mutating func reported(_ type: String, _ members: String?) -> [JSON] {
            count += 1
            let data = #""sessionID":"ses_1""# + (members.map { "," + $0 } ?? "")
            let event =
                #"""
                {"id":"evt_\#(count)","created":\#(1000 + count),"type":"\#(type)","location":{\#
                "directory":"/d"},"data":{\#(data)}}
                """#
            return Turns.translate(Array(event.utf8), &translator)
        }
    }

    @Test func `a retry is emitted as a status, and its next step starts no new message`() {
        var stream = Stream()
        stream.step("msg_20")
        let retry = stream.reported(
            "session.retry.scheduled",
            #"""
            "assistantMessageID":"msg_20","attempt":2,"at":99,"error":{"type":"provider.rate-limit",\#
            "message":"slow down"}
            """#
        )
        let status: JSON = ["type": "retry", "attempt": 1, "message": "slow down", "next": 99]

        #expect(retry.map { $0["properties"]?["status"] } == [status])

        let next = stream.translate(
            "session.step.started",
            #""agent":"build","model":{"id":"talk","providerID":"mock"},"assistantMessageID":"msg_20","started":7"#)

        #expect(next == ["session.status busy"])
    }

    @Test func `an abort during a retry emits no error`() {
        var stream = Stream()
        stream.step("msg_20")
        _ = stream.translate(
            "session.retry.scheduled",
            #""assistantMessageID":"msg_20","attempt":2,"at":99,"error":{"type":"provider.rate-limit","message":"m"}"#)
        let reported = stream.translate("session.execution.interrupted", #""reason":"user""#)

        #expect(reported == ["message.updated assistant", "session.status idle", "session.idle"])
    }

    /// In 1.18.33's `think`, the reasoning text ends before the answer text begins. 2.0.15 sends the end of the
    /// reasoning text with the end of the answer text.
    @Test func `a text begins after the end of the reasoning`() throws {
        let reported = try Turns.translated("think")

        let parts = reported.compactMap { $0["properties"]?["part"] }.filter {
            $0["type"] == "reasoning" || $0["type"] == "text"
        }.drop { $0["type"] == "text" }
        let end = try #require(parts.firstIndex { $0["time"]?["end"] != nil })
        let text = try #require(parts.firstIndex { $0["type"] == "text" })
        let fragments = reported.filter { $0["properties"]?["partID"] == parts[end]["id"] }
            .compactMap { $0["properties"]?["delta"]?.text }

        #expect(parts[end]["type"] == "reasoning")
        #expect(end < text)
        #expect(parts[end]["text"]?.text == fragments.joined())

        // At the end, the reasoning text is emitted with the values of lists.
        let recorded = try Fixtures.turn("2.0.15", "think").compactMap(JSONParser.parse)
            .first { $0["type"] == "session.reasoning.ended" }

        #expect(parts.last { $0["type"] == "reasoning" }?["time"]?["end"] == recorded?["created"])
        #expect(parts.last { $0["type"] == "reasoning" }?["text"] == recorded?["data"]?["text"])
    }

    @Test func `the end of a reasoning part contains all of its deltas and is sent once`() {
        var stream = Stream()
        stream.step("msg_20")
        _ = stream.translate("session.reasoning.started", #""assistantMessageID":"msg_20","ordinal":0"#)
        _ = stream.translate(
            "session.reasoning.delta", #""assistantMessageID":"msg_20","ordinal":0,"delta":"a \"b\" ""#)
        _ = stream.translate("session.text.started", #""assistantMessageID":"msg_20","ordinal":0"#)
        _ = stream.translate("session.reasoning.delta", #""assistantMessageID":"msg_20","ordinal":0,"delta":"c""#)

        let text = stream.reported("session.text.delta", #""assistantMessageID":"msg_20","ordinal":0,"delta":"x""#)
        let again = stream.translate("session.text.delta", #""assistantMessageID":"msg_20","ordinal":0,"delta":"y""#)

        #expect(
            text.map(Outline.detail) == [
                "message.part.updated reasoning", "message.part.updated text", "message.part.delta",
            ])
        #expect(text.first?["properties"]?["part"]?["text"] == "a \"b\" c")
        #expect(again == ["message.part.delta"])
    }

    /// The order is the order in 1.18.33's `tools-allowed-once`. 2.0.15 sends the text's first delta after the
    /// beginning of the call.
    @Test func `a call is pending after the text before it has begun`() throws {
        let parts = try Turns.translated("tools-allowed-once").compactMap { $0["properties"]?["part"] }

        let pending = try #require(parts.firstIndex { $0["state"]?["status"] == "pending" })

        #expect(parts[..<pending].map { $0["type"]?.text }.suffix(2) == ["step-start", "text"])
    }

    @Test func `only an interruption by the user emits MessageAbortedError`() {
        for (reason, isError) in [("user", true), ("shutdown", false), ("superseded", false)] {
            var stream = Stream()
            stream.step("msg_20")
            let failed = stream.translate(
                "session.step.failed",
                #""assistantMessageID":"msg_20","error":{"type":"aborted","message":"Step interrupted"}"#)
            #expect(failed == [])

            let reported = stream.translate("session.execution.interrupted", #""reason":"\#(reason)""#)
            #expect(reported.contains("session.error MessageAbortedError") == isError)
            #expect(reported.contains("message.updated assistant MessageAbortedError") == isError)
            #expect(reported.suffix(2) == ["session.status idle", "session.idle"])
        }
    }

    @Test func `a turn continues after a permission is rejected with a message`() {
        var stream = Stream()
        stream.step("msg_20")
        _ = stream.translate(
            "session.tool.input.started", #""assistantMessageID":"msg_20","id":"call_1","name":"shell""#)
        _ = stream.translate(
            "session.tool.called", #""assistantMessageID":"msg_20","id":"call_1","input":{"command":"ls"}"#)
        _ = stream.translate("permission.replied", #""requestID":"per_1","reply":"reject""#)
        let failed = stream.translate(
            "session.tool.failed",
            #""assistantMessageID":"msg_20","id":"call_1","error":{"type":"tool.rejected","message":"use rg"}"#)

        #expect(failed == ["message.part.updated tool bash error"])

        let ended = stream.translate(
            "session.step.ended", #""assistantMessageID":"msg_20","finish":"tool-calls","cost":0"#)

        #expect(
            ended == ["message.part.updated step-finish", "message.updated assistant", "message.updated assistant"])
    }

    @Test func `a steering prompt is emitted at once and answered by the next step`() {
        var stream = Stream()
        stream.step("msg_20")
        let reported = stream.reported(
            "session.inbox.enqueued",
            #""inboxID":"msg_30","item":{"type":"user","payload":{"text":"more"},"delivery":"steer"}"#)

        #expect(reported.map(Outline.detail) == ["message.updated user", "message.part.updated text"])

        _ = stream.translate("session.step.ended", #""assistantMessageID":"msg_20","finish":"stop","cost":0"#)
        _ = stream.translate("session.inbox.delivered", #""inboxID":"msg_30""#)
        let next = stream.reported(
            "session.step.started",
            #""agent":"build","model":{"id":"talk","providerID":"mock"},"assistantMessageID":"msg_40","started":7"#)

        #expect(next.compactMap { $0["properties"]?["info"]?["parentID"] } == ["msg_30"])
    }

    @Test func `a cancelled prompt emits message.removed`() {
        var stream = Stream()
        stream.prompt("msg_30")
        let reported = stream.translate("session.inbox.cancelled", #""inboxID":"msg_30""#)

        #expect(reported == ["message.removed"])
    }

    @Test func `a committed revert emits message.removed for each message`() {
        var stream = Stream()
        stream.step("msg_20")
        stream.prompt("msg_30")
        let reported = stream.reported("session.revert.committed", #""to":"msg_20""#)
        let removed = reported.filter { $0["type"] == "message.removed" }

        #expect(removed.compactMap { $0["properties"]?["messageID"] } == ["msg_20", "msg_30"])
    }

    @Test func `a prompt's files and agents are emitted as its parts`() throws {
        var stream = Stream()
        let reported = stream.reported(
            "session.inbox.enqueued",
            #"""
            "inboxID":"msg_30","item":{"type":"user","payload":{"text":"see @a","files":[{"data":"aGk=",\#
            "mime":"text/plain","source":{"type":"inline"},"name":"n.txt"},{"data":"","mime":"text/x-c",\#
            "source":{"type":"uri","uri":"file:///d/m.c"},"mention":{"start":1,"end":3,"text":"m.c"}}],\#
            "agents":[{"name":"a","mention":{"start":4,"end":6,"text":"@a"}}]}}
            """#
        )
        let parts = reported.compactMap { $0["properties"]?["part"] }

        #expect(parts.map { $0["type"]?.text } == ["text", "file", "file", "agent"])
        #expect(parts[1]["url"] == "data:text/plain;base64,aGk=")
        #expect(parts[1]["filename"] == "n.txt")
        #expect(parts[2]["url"] == "file:///d/m.c")
        #expect(parts[2]["source"]?["path"] == "/d/m.c")
        #expect(parts[3]["source"] == ["value": "@a", "start": 4, "end": 6])
    }

    @Test func `a provider error is translated to APIError`() throws {
        for (type, status, isRetryable) in [
            ("provider.auth", 401, false), ("provider.rate-limit", 429, true), ("provider.server", 503, true),
        ] {
            let failure = Failure(
                openCode2: ["type": .string(type), "message": "m", "status": .number(Number(status))])
            #expect(failure.name == "APIError")
            #expect(failure.data["statusCode"] == .number(Number(status)))
            #expect(failure.data["isRetryable"] == .bool(isRetryable))
        }

        #expect(Failure(openCode2: ["type": "strange", "message": "m"]).name == "UnknownError")
    }

    @Test func `an event of an unknown session is emitted after the session is learned`() throws {
        var translator = StreamTranslator(Turns.instanceDefaults)
        let event = Array(
            #"{"id":"evt_1","created":5,"type":"session.renamed","data":{"sessionID":"ses_9","title":"t"}}"#.utf8)
        let unknown = translator.translate(event)

        #expect(unknown == .needs(sessionID: "ses_9"))

        let session: JSON = [
            "id": "ses_9", "projectID": "p", "cost": 0, "title": "old", "location": ["directory": "/d"],
            "tokens": ["input": 0, "output": 0, "reasoning": 0, "cache": ["read": 0, "write": 0]],
            "time": ["created": 1, "updated": 2],
        ]
        translator.restore(session: session, messages: [])
        let reported = Turns.translate(event, &translator)

        #expect(reported.map { $0["properties"]?["info"]?["title"] } == ["t"])

        translator.ignore(session: "ses_9")
        let nothing = translator.translate(event)

        #expect(nothing == .frames([]))
    }

    /// A translator that starts in the middle of a step uses the same identifiers as a translator that received all
    /// events.
    @Test func `a translator that starts during a step assigns the same ids`() throws {
        var whole = Stream()
        whole.step("msg_20")
        _ = whole.translate("session.reasoning.started", #""assistantMessageID":"msg_20","ordinal":0"#)
        _ = whole.translate("session.reasoning.delta", #""assistantMessageID":"msg_20","ordinal":0,"delta":"hm""#)
        _ = whole.translate("session.reasoning.ended", #""assistantMessageID":"msg_20","ordinal":0,"text":"hm""#)
        _ = whole.translate("session.text.started", #""assistantMessageID":"msg_20","ordinal":0"#)
        _ = whole.translate("session.text.delta", #""assistantMessageID":"msg_20","ordinal":0,"delta":"a""#)
        _ = whole.translate(
            "session.tool.input.started", #""assistantMessageID":"msg_20","id":"call_1","name":"shell""#)

        var late = Stream()
        let known = try #require(
            JSONParser.parse(
                Array(
                    #"""
                    {"id":"ses_1","projectID":"p","cost":0,"tokens":{"input":0,"output":0,"reasoning":0,\#
                    "cache":{"read":0,"write":0}},"time":{"created":1,"updated":2},"location":{\#
                    "directory":"/d"},"agent":"build","model":{"id":"talk","providerID":"mock",\#
                    "variant":"default"}}
                    """#
                    .utf8)))
        let messages = [
            #"{"id":"msg_10","type":"user","text":"hi","time":{"created":1}}"#,
            #"""
            {"id":"msg_20","type":"assistant","agent":"build","model":{"id":"talk","providerID":"mock",\#
            "variant":"default"},"time":{"created":5},"snapshot":{"start":"s1"},"content":[{"type":"reasoning",\#
            "text":"hm","time":{"created":1004,"completed":1005}},{"type":"text","text":"a"},{"type":"tool",\#
            "id":"call_1","name":"shell","time":{"created":1011},"state":{"status":"streaming","input":""}}]}
            """#,
        ].compactMap { JSONParser.parse(Array($0.utf8)) }
        late.translator.restore(session: known, messages: messages, isRunning: true)
        late.count = whole.count
        let remainder: [(String, String)] = [
            ("session.text.delta", #""assistantMessageID":"msg_20","ordinal":0,"delta":"b""#),
            ("session.tool.called", #""assistantMessageID":"msg_20","id":"call_1","input":{"command":"ls"}"#),
            (
                "session.tool.success",
                #""assistantMessageID":"msg_20","id":"call_1","content":[{"type":"text","text":"x"}]"#
            ),
            ("session.step.ended", #""assistantMessageID":"msg_20","finish":"tool-calls","cost":0"#),
        ]

        for (type, members) in remainder {
            let (one, other) = (late.reported(type, members), whole.reported(type, members))
            #expect(one == other)
        }
    }

    @Test func `a delta with half a surrogate pair is forwarded unchanged`() {
        var stream = Stream()
        stream.step("msg_20")
        _ = stream.translate("session.text.started", #""assistantMessageID":"msg_20","ordinal":0"#)
        let first = stream.reported(
            "session.text.delta", #""assistantMessageID":"msg_20","ordinal":0,"delta":"a\ud83d""#)
        let second = stream.reported(
            "session.text.delta", #""assistantMessageID":"msg_20","ordinal":0,"delta":"\ude80b""#)

        #expect(first.last?["properties"]?["delta"]?.shown == #""a\ud83d""#)
        #expect(second.last?["properties"]?["delta"]?.shown == #""\ude80b""#)
    }

    /// A translator that started after the question still emits its answer.
    @Test func `an answer to a question that was not received is emitted`() {
        var stream = Stream()
        let reported = stream.reported("form.replied", #""id":"frm_1","answer":{"q0":"Left","q1":["a","b"]}"#)
        let rows: JSON = [["Left"], ["a", "b"]]

        #expect(reported.map(Outline.detail) == ["question.replied"])
        #expect(reported.first?["properties"]?["requestID"] == "que_1")
        #expect(reported.first?["properties"]?["answers"] == rows)

        let dismissed = stream.translate("form.cancelled", #""id":"frm_2""#)

        #expect(dismissed == ["question.rejected"])

        let number = #""form":{"id":"frm_3","sessionID":"ses_1","fields":[{"key":"n","type":"number"}]}"#
        let asked = stream.translate("form.created", number)
        let answered = stream.translate("form.replied", #""id":"frm_3","answer":{"n":1}"#)

        #expect(asked.isEmpty)
        #expect(answered.isEmpty)
    }

    /// Parsing a delta would be ten times as expensive.
    @Test func `a text delta after the first is forwarded without being parsed`() throws {
        var translator = StreamTranslator(Turns.instanceDefaults)
        var (written, read) = (0, 0)
        for line in try Fixtures.turn("2.0.15", "talk") {
            guard case .frames(let frames) = translator.translate(line) else { continue }
            for frame in frames {
                if case .delta = frame.content { written += 1 }
                if case .event(let event) = frame.content, case .partDelta = event.change { read += 1 }
            }
        }

        // The first delta begins the text.
        #expect(written == 2)
        #expect(read == 1)
    }

    @Test func `the value of a translated frame equals its parsed JSON`() throws {
        var count = 0
        for name in try Fixtures.turnNames("2.0.15") {
            var translator = StreamTranslator(Turns.instanceDefaults)
            for line in try Fixtures.turn("2.0.15", name) {
                guard case .frames(let frames) = translator.translate(line) else { continue }
                for frame in frames {
                    let parsed = frame.bytes().flatMap(JSONParser.parse).flatMap { Event(openCode1: $0) }
                    #expect(parsed == frame.event, "\(name)")
                    count += 1
                }
            }
        }

        #expect(count > 100)
    }

    @Test func `the reload of a directory is emitted as server.instance.disposed`() throws {
        let reported = try Turns.translated("reload").filter { $0["type"] == "server.instance.disposed" }

        #expect(!reported.isEmpty)
        #expect(reported.allSatisfy { $0["properties"]?["directory"]?.text?.hasPrefix("/") == true })
    }

    @Test func `every translated event of a turn has a unique id`() throws {
        for name in try Fixtures.turnNames("2.0.15") {
            let ids = try Turns.translated(name).compactMap { $0["id"]?.text }
            #expect(Set(ids).count == ids.count)
        }
    }
}
