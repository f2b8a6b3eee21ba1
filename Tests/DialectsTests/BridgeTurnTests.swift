// SPDX-License-Identifier: Apache-2.0

import Dialects
import JSONText
import Testing

/// Tests messages and prompts over the bridge.
@Suite struct BridgeTurnTests {
    static let idle = BridgeRun.Answer.says(200, #"{"data":{}}"#)
    static let running = BridgeRun.Answer.says(200, #"{"data":{"ses_1":{"type":"running"}}}"#)
    static let none = BridgeRun.Answer.says(200, #"{"data":[]}"#)
    static let prompted = BridgeRun.Answer.recorded("prompt-talk")

    @Test func `a prompt sets a different agent and model before it is sent`() async throws {
        let run = try await BridgeRun(
            "POST", "/session/ses_1/prompt_async",
            body:
                #"""
                {"agent":"plan","model":{"providerID":"mock","modelID":"think"},"messageID":"msg_9","parts":[{\#
                "type":"text","text":"a"},{"type":"text","text":"b"},{"type":"text","text":"c","ignored":true}]}
                """#,
            replies: [.recorded("session-after-talk"), Self.idle, .empty(204), .empty(204), Self.prompted])

        #expect(run.status == 204)
        #expect(run.body.isEmpty)
        #expect(
            run.calls == [
                "GET /api/session/ses_1", "GET /api/session/active", #"POST /api/session/ses_1/agent {"agent":"plan"}"#,
                #"POST /api/session/ses_1/model {"model":{"id":"think","providerID":"mock"}}"#,
                #"POST /api/session/ses_1/prompt {"text":"a\nb","id":"msg_9","delivery":"steer"}"#,
            ])
    }

    @Test func `a prompt with the session's own model sets nothing`() async throws {
        let run = try await BridgeRun(
            "POST", "/session/ses_1/prompt_async",
            body: #"{"model":{"providerID":"mock","modelID":"talk"},"parts":[{"type":"text","text":"a"}]}"#,
            replies: [.recorded("session-after-talk"), Self.idle, Self.prompted])

        #expect(run.calls.count == 3)
    }

    @Test func `a prompt without an agent restores the default one unless a turn is running`() async throws {
        let plan = BridgeRun.Answer.says(
            200,
            #"""
            {"data":{"id":"ses_1","projectID":"p","agent":"plan","cost":0,"tokens":{"input":0,"output":0,\#
            "reasoning":0,"cache":{"read":0,"write":0}},"time":{"created":1,"updated":1},"location":{\#
            "directory":"/d"}}}
            """#
        )
        let body = #"{"parts":[{"type":"text","text":"a"}]}"#
        let quiet = try await BridgeRun(
            "POST", "/session/ses_1/prompt_async", body: body, replies: [plan, Self.idle, .empty(204), Self.prompted])

        #expect(quiet.calls[2] == #"POST /api/session/ses_1/agent {"agent":"build"}"#)

        let busy = try await BridgeRun(
            "POST", "/session/ses_1/prompt_async", body: body, replies: [plan, Self.running, Self.prompted])

        #expect(busy.calls.count == 3)
    }

    @Test func `a failed model change is returned as the prompt's error`() async throws {
        let refusal = #"{"_tag":"InvalidRequestError","message":"no such model","kind":"Payload"}"#
        let run = try await BridgeRun(
            "POST", "/session/ses_1/prompt_async",
            body: #"{"model":{"providerID":"x","modelID":"y"},"parts":[{"type":"text","text":"a"}]}"#,
            replies: [.recorded("session-after-talk"), Self.idle, .says(400, refusal)])

        #expect(run.status == 400)
        #expect(run.json?["data"]?["message"] == "no such model")
    }

    @Test func `a staged revert is committed before a prompt`() async throws {
        let run = try await BridgeRun(
            "POST", "/session/ses_1/prompt_async", body: #"{"parts":[{"type":"text","text":"a"}]}"#,
            replies: [.recorded("session-reverted"), Self.idle, .recorded("revert-commit"), Self.prompted])

        #expect(run.calls[2] == "POST /api/session/ses_1/revert/commit")
    }

    @Test func `a prompt's files and agents are translated to OpenCode 2's format`() async throws {
        let run = try await BridgeRun(
            "POST", "/session/ses_1/prompt_async",
            body:
                #"""
                {"parts":[{"type":"text","text":"@a m.c"},{"type":"file","mime":"text/plain","filename":"n",\#
                "url":"data:text/plain;base64,aGk="},{"type":"file","mime":"text/plain","url":"file:///d/m.c",\#
                "source":{"type":"file","path":"m.c","text":{"value":"m.c","start":3,"end":6}}},{"type":"agent",\#
                "name":"a","source":{"value":"@a","start":0,"end":2}}]}
                """#,
            replies: [.recorded("session-after-talk"), Self.idle, Self.prompted])
        let sent = try #require(run.calls.last)

        #expect(
            sent.contains(
                #"""
                "files":[{"uri":"data:text/plain;base64,aGk=","name":"n"},{"uri":"file:///d/m.c","mention":{\#
                "start":3,"end":6,"text":"m.c"}}]
                """#
            ))
        #expect(sent.contains(#""agents":[{"name":"a","mention":{"start":0,"end":2,"text":"@a"}}]"#))
    }

    @Test(arguments: [
        #"{"noReply":true,"parts":[]}"#, #"{"system":"x","parts":[]}"#, #"{"tools":{"bash":false},"parts":[]}"#,
        #"{"parts":[{"type":"subtask","prompt":"p","description":"d","agent":"a"}]}"#,
        #"{"format":{"type":"json_schema","schema":{}},"parts":[]}"#,
    ])
    func `each prompt option without a counterpart is rejected with 501`(_ body: String) async throws {
        let run = try await BridgeRun("POST", "/session/ses_1/prompt_async", body: body)

        #expect(run.status == 501)
        #expect(run.calls.isEmpty)
    }

    @Test func `a prompt without parts is rejected with OpenCode 1's 400`() async throws {
        let run = try await BridgeRun("POST", "/session/ses_1/prompt_async", body: "{}")

        #expect(run.status == 400)
        #expect(run.json == (try Fixtures.answer("1.18.33", "prompt_async-no-parts")))
    }

    @Test func `a blocking prompt is answered when its turn has ended`() async throws {
        let run = try await BridgeRun(
            "POST", "/session/ses_1/message", body: #"{"parts":[{"type":"text","text":"a"}]}"#,
            replies: [
                .recorded("session-after-talk"), Self.idle, Self.prompted, .empty(204),
                .recorded("messages-after-talk"),
            ])

        #expect(run.calls[3] == "POST /api/experimental/session/ses_1/wait")

        let message = try #require(run.json.flatMap { Message(openCode1: $0) })
        let recorded = try #require(try Fixtures.answer("1.18.33", "message-blocking"))

        #expect(
            message.info.json.object?.members.map(\.name).sorted()
                == recorded["info"]?.object?.members.map(\.name).sorted())
        #expect(message.parts.map(\.kind.type) == ["step-start", "text", "step-finish"])
    }

    @Test(arguments: [
        ("message", #"{"parts":[{"type":"text","text":"a"}]}"#, "prompt"),
        ("command", #"{"command":"init","arguments":""}"#, "command"),
    ])
    func `a blocking prompt's turn is watched before it begins and answered after the streams`(
        path: String, body: String, call: String
    ) async throws {
        let run = try await BridgeRun(
            "POST", "/session/ses_1/\(path)", body: body,
            replies: [
                .recorded("session-after-talk"), Self.idle, Self.prompted, .empty(204),
                .recorded("messages-after-talk"),
            ])

        #expect(
            run.steps.suffix(5).map { $0.prefix { $0 != "{" && $0 != "?" } } == [
                "watch, and hold the end", "POST /api/session/ses_1/\(call) ",
                "POST /api/experimental/session/ses_1/wait", "await the streams", "GET /api/session/ses_1/message",
            ])
    }

    /// OpenCode 2 sends no event that names the command.
    @Test func `a command publishes command.executed with the last message of its turn`() async throws {
        let run = try await BridgeRun(
            "POST", "/session/ses_1/command", body: #"{"command":"init","arguments":"a \"b\""}"#,
            replies: [
                .recorded("session-after-talk"), Self.idle, Self.prompted, .empty(204),
                .recorded("messages-after-talk"),
            ])
        let message = run.json?["info"]?["id"]?.text ?? ""

        #expect(message.hasPrefix("msg_"))
        #expect(
            run.published == [
                #"{"type":"command.executed","properties":{"name":"init","sessionID":"ses_1","#
                    + #""arguments":"a \"b\"","messageID":"\#(message)"}}"#
            ])

        let recorded = try Fixtures.turn("1.18.33", "session-calls").compactMap(JSONParser.parse)
            .first { $0["type"] == "command.executed" }

        #expect(
            recorded?["properties"]?.object?.members.map(\.name)
                == JSONParser.parse(Array((run.published.first ?? "").utf8))?["properties"]?.object?.members.map(\.name)
        )
    }

    @Test func `a command that does not run or has no answer publishes nothing`() async throws {
        let body = #"{"command":"none","arguments":""}"#
        let unknown = #"{"_tag":"CommandNotFoundError","command":"none","message":"Command not found: none"}"#
        let refused = try await BridgeRun(
            "POST", "/session/ses_1/command", body: body,
            replies: [.recorded("session-after-talk"), Self.idle, .says(404, unknown)])
        let silent = try await BridgeRun(
            "POST", "/session/ses_1/command", body: body,
            replies: [.recorded("session-after-talk"), Self.idle, Self.prompted, .empty(204), Self.none])
        let prompt = try await BridgeRun(
            "POST", "/session/ses_1/message", body: #"{"parts":[{"type":"text","text":"a"}]}"#,
            replies: [
                .recorded("session-after-talk"), Self.idle, Self.prompted, .empty(204),
                .recorded("messages-after-talk"),
            ])

        #expect(refused.status == 404)
        #expect(silent.status == 500)
        #expect(prompt.status == 200)
        #expect(refused.published + silent.published + prompt.published == [])
    }

    @Test func `an abort is answered after the turn has ended and the streams have sent its end`() async throws {
        let run = try await BridgeRun(
            "POST", "/session/ses_1/abort",
            replies: [.recorded("session-after-talk"), .recorded("interrupt"), .empty(204)])

        #expect(run.json == true)
        #expect(
            run.steps == [
                "GET /api/session/ses_1", "watch", "POST /api/session/ses_1/interrupt",
                "POST /api/experimental/session/ses_1/wait", "await the streams",
            ])
    }

    @Test func `an abort of an idle session waits for nothing`() async throws {
        let run = try await BridgeRun(
            "POST", "/session/ses_1/abort", replies: [.recorded("session-after-talk"), .recorded("interrupt-idle")])

        #expect(run.json == true)
        #expect(run.calls.last == "POST /api/session/ses_1/interrupt")
    }

    @Test func `a message list without a limit is read in pages and contains a waiting prompt once`() async throws {
        let run = try await BridgeRun(
            "GET", "/session/ses_1/message",
            replies: [.recorded("session-after-talk"), .recorded("inbox-steer"), .recorded("messages-steered")])

        #expect(run.calls[2] == "GET /api/session/ses_1/message?limit=100&order=asc")

        let messages = try #require(run.json?.array?.compactMap { Message(openCode1: $0) })

        // The waiting prompt was delivered while the list was read. It is listed once, at its position.
        #expect(messages.count == 5)
        #expect(messages.count { $0.parts.first?.json["text"] == "second" } == 1)

        let item = #"{"data":[{"type":"user","id":"msg_z","payload":{"text":"third"},"time":{"created":9}}]}"#
        let waiting = try await BridgeRun(
            "GET", "/session/ses_1/message",
            replies: [.recorded("session-after-talk"), .says(200, item), .recorded("messages-steered")])
        let all = try #require(waiting.json?.array?.compactMap { Message(openCode1: $0) })

        #expect(all.count == 6)
        #expect(all.last?.parts.first?.json["text"] == "third")
    }

    @Test func `a long message list is read in pages and aborted if one fails`() async throws {
        let message = #"{"id":"msg_1","type":"user","text":"x","time":{"created":1}}"#
        let full =
            #"{"data":["# + Array(repeating: message, count: 100).joined(separator: ",")
            + #"],"cursor":{"next":"abc"}}"#
        let two = try await BridgeRun(
            "GET", "/session/ses_1/message",
            replies: [
                .recorded("session-after-talk"), .says(200, #"{"data":[]}"#), .says(200, full),
                .says(200, #"{"data":[\#(message)],"cursor":{}}"#),
            ])

        #expect(two.calls[3] == "GET /api/session/ses_1/message?limit=100&cursor=abc")
        #expect(two.json?.array?.count == 101)

        let broken = try await BridgeRun(
            "GET", "/session/ses_1/message",
            replies: [.recorded("session-after-talk"), .says(200, #"{"data":[]}"#), .says(200, full), .empty(500)])

        #expect(broken.wasTruncated)
    }

    /// A shell command is one message in OpenCode 2 and two messages in OpenCode 1. No page separates them.
    @Test(arguments: [(3, ["msg_2", "msg_3"]), (1, ["msg_3"]), (4, ["msg_1", "msg_1-answer", "msg_2", "msg_3"])])
    func `the two messages of a shell command stay on one page`(_ limit: Int, _ ids: [String]) async throws {
        let shell =
            #"{"id":"msg_1","type":"shell","command":"ls","time":{"created":1,"completed":1},"status":"exited"}"#
        let user = #"{"id":"msg_2","type":"user","text":"x","time":{"created":2}}"#
        let answer =
            #"{"id":"msg_3","type":"assistant","agent":"build","model":{"id":"m","providerID":"p"},"#
            + #""time":{"created":3,"completed":3},"content":[]}"#
        let page = #"{"data":[\#(answer),\#(user),\#(shell)],"cursor":{}}"#
        let run = try await BridgeRun(
            "GET", "/session/ses_1/message", query: [("limit", String(limit))],
            replies: [.recorded("session-after-talk"), .says(200, #"{"data":[]}"#), .says(200, page)])

        #expect(run.json?.array?.compactMap { $0["info"]?["id"]?.text } == ids)
        #expect((run.fields["X-Next-Cursor"] == nil) == (limit == 4))

        let alone = try await BridgeRun(
            "GET", "/session/ses_1/message", query: [("limit", "1")],
            replies: [
                .recorded("session-after-talk"), .says(200, #"{"data":[]}"#),
                .says(200, #"{"data":[\#(shell)],"cursor":{}}"#),
            ])

        #expect(alone.json?.array?.count == 2)
    }

    @Test func `the newest messages are returned with a cursor for the next page`() async throws {
        let descending = try descending("messages-steered")
        let run = try await BridgeRun(
            "GET", "/session/ses_1/message", query: [("limit", "2")],
            replies: [.recorded("session-after-talk"), .says(200, #"{"data":[]}"#), descending])
        let messages = try #require(run.json?.array?.compactMap { Message(openCode1: $0) })

        #expect(messages.count == 2)

        let cursor = try #require(run.fields["X-Next-Cursor"])
        let path = "/session/\(BridgeTests.session)/message?limit=2&before=\(cursor)"

        #expect(run.fields["Link"] == "<\(path)>; rel=\"next\"")

        let next = try await BridgeRun(
            "GET", "/session/ses_1/message", query: [("limit", "1"), ("before", cursor)],
            replies: [.recorded("session-after-talk"), descending])

        #expect(next.calls[1] == "GET /api/session/ses_1/message?limit=20&cursor=\(cursor)")

        let bad = try await BridgeRun(
            "GET", "/session/ses_1/message", query: [("limit", "1"), ("before", "nonsense")],
            replies: [.recorded("session-after-talk"), .recorded("messages-bad-cursor")])

        #expect(bad.status == 400)

        let negative = try await BridgeRun("GET", "/session/ses_1/message", query: [("limit", "-1")])

        #expect(negative.status == 400)
    }

    /// Returns a recorded list in reverse order, with no further page.
    private func descending(_ name: String) throws -> BridgeRun.Answer {
        let data = try #require(try Fixtures.answer("2.0.15", name)?["data"]?.array)
        let json: JSON = ["data": .array(data.reversed()), "cursor": [:]]
        return .says(200, json.shown)
    }

    @Test func `a single message is returned with the id of its prompt`() async throws {
        let all = try #require(try Fixtures.answer("2.0.15", "messages-after-talk")?["data"]?.array)
        let (answer, prompt) = (all[1], all[2])
        let id = try #require(answer["id"]?.text)
        let found: JSON = ["data": answer]
        let near: JSON = ["data": [prompt]]
        let run = try await BridgeRun(
            "GET", "/session/ses_1/message/\(id)",
            replies: [.recorded("session-after-talk"), .says(200, found.shown), .says(200, near.shown)])

        #expect(run.json?["info"]?["parentID"] == prompt["id"])

        let missing = try await BridgeRun(
            "GET", "/session/ses_1/message/msg_x",
            replies: [.recorded("session-after-talk"), .recorded("message-missing")])

        #expect(missing.status == 404)
        #expect(missing.json?["name"] == "NotFoundError")
    }

    @Test func `a single answer without an end is completed when its turn has ended`() async throws {
        let step =
            #"{"id":"msg_2","type":"assistant","agent":"build","time":{"created":5},"content":[],"#
            + #""model":{"id":"m","providerID":"p"}}"#
        let prompt = #"{"data":[{"id":"msg_1","type":"user","text":"hi","time":{"created":1}}]}"#
        let idle = #"{"data":[{"id":"msg_3","type":"idle","outcome":"interrupted","time":{"created":7}}]}"#

        let run = try await BridgeRun(
            "GET", "/session/ses_1/message/msg_2",
            replies: [
                .recorded("session-after-talk"), .says(200, #"{"data":\#(step)}"#), .says(200, prompt),
                .says(200, idle),
            ])

        #expect(run.json?["info"]?["time"] == ["created": 5, "completed": 7])
        #expect(run.json?["info"]?["parentID"] == "msg_1")
    }

    @Test func `a shell command is answered when it has ended`() async throws {
        func list(_ status: String) -> BridgeRun.Answer {
            .says(
                200,
                #"""
                {"data":[{"id":"msg_7","type":"shell","shellID":"sh_1","command":"ls","status":"\#(status)",\#
                "time":{"created":1,"completed":2},"output":{"output":"x\n","cursor":2,"size":2,\#
                "truncated":false}}]}
                """#
            )
        }
        let run = try await BridgeRun(
            "POST", "/session/ses_1/shell", body: #"{"agent":"build","command":"ls"}"#,
            replies: [.recorded("session-after-talk"), .recorded("session-shell"), list("running"), list("exited")])

        #expect(run.pauses == 1)

        let recorded = try #require(try Fixtures.answer("1.18.33", "shell"))
        let answer = try #require(run.json)

        #expect(
            Outline(["info", "parts"].map { ["type": "x", "properties": ["sessionID": "s", "info": answer[$0]]] })
                .members
                == Outline(
                    ["info", "parts"].map { ["type": "x", "properties": ["sessionID": "s", "info": recorded[$0]]] }
                ).members)
        #expect(answer["parts"]?.array?.first?["state"]?["output"] == "x\n")
    }

    @Test func `a command runs, and a summary restores the session's model`() async throws {
        let command = try await BridgeRun(
            "POST", "/session/ses_1/command",
            body: #"{"command":"init","arguments":"","model":"mock/talk","agent":"build"}"#,
            replies: [
                .recorded("session-after-talk"), Self.idle, .recorded("session-command"), .empty(204),
                .recorded("messages-after-talk"),
            ])

        #expect(command.calls[2] == #"POST /api/session/ses_1/command {"text":"","name":"init"}"#)
        #expect(command.status == 200)

        let summary = try await BridgeRun(
            "POST", "/session/ses_1/summarize", body: #"{"providerID":"mock","modelID":"think"}"#,
            replies: [.recorded("session-after-talk"), .empty(204), .recorded("compact"), .empty(204), .empty(204)])

        #expect(summary.json == true)
        #expect(
            summary.calls.last
                == #"POST /api/session/ses_1/model {"model":{"id":"talk","providerID":"mock","variant":"default"}}"#)
    }
}
