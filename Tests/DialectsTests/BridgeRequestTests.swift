// SPDX-License-Identifier: Apache-2.0

import Dialects
import JSONText
import Testing

/// Tests permissions and questions over the bridge.
@Suite struct BridgeRequestTests {
    @Test func `pending permissions have OpenCode 1's members`() async throws {
        let message = """
            {"data":{"content":[{"type":"text","text":"I look."},{"type":"tool","id":"call_1795338493110","name":"shell",\
            "state":{"status":"running","input":{"command":"sleep 1"}}}]}}
            """
        let run = try await BridgeRun(
            "GET", "/permission", replies: [.recorded("permissions-pending-tools"), .says(200, message)])

        #expect(run.json?.array?.first?["metadata"]?["command"] == "sleep 1")

        let recorded = try #require(try Fixtures.answer("1.18.33", "permissions-pending-tools")?.array?.first)
        let reported = try #require(run.json?.array?.first)

        #expect(reported.object?.members.map(\.name).sorted() == recorded.object?.members.map(\.name).sorted())

        for name in ["permission", "patterns", "always"] { #expect(reported[name] == recorded[name]) }
    }

    @Test func `a permission is listed even if its tool call is not found`() async throws {
        let run = try await BridgeRun(
            "GET", "/permission", replies: [.recorded("permissions-pending-tools"), .says(404, "{}")])

        #expect(run.calls.last?.hasPrefix("GET /api/session/ses_1/message/msg_") == true)
        #expect(run.json?.array?.first?["metadata"] == [:])
    }

    @Test func `a permission can be answered on both paths, and a second answer yields 404`() async throws {
        let id = "per_202835d51001LjR2SoqF11NIVT"
        let run = try await BridgeRun(
            "POST", "/permission/\(id)/reply", body: #"{"reply":"reject","message":"use rg"}"#,
            replies: [
                .recorded("permissions-pending-tools"), .recorded("session-after-talk"), .recorded("permission-once"),
            ])

        #expect(run.json == true)
        #expect(
            run.calls.last?.hasSuffix(#"/permission/\#(id)/reply {"decision":"reject","message":"use rg"}"#) == true)

        let again = try await BridgeRun(
            "POST", "/permission/per_1/reply", body: #"{"reply":"once"}"#, replies: [.says(200, #"{"data":[]}"#)])

        #expect(again.status == 404)
        #expect(again.json?["_tag"] == "PermissionNotFoundError")

        let old = try await BridgeRun(
            "POST", "/session/ses_1/permissions/\(id)", body: #"{"response":"once"}"#,
            replies: [.recorded("session-after-talk"), .recorded("permission-once-again")])

        #expect(old.status == 404)
        #expect(old.json?["_tag"] == "PermissionNotFoundError")

        let wrong = try await BridgeRun("POST", "/permission/\(id)/reply", body: #"{"reply":"maybe"}"#)

        #expect(wrong.status == 400)
    }

    @Test func `questions are listed and answered in OpenCode 1's format`() async throws {
        let run = try await BridgeRun("GET", "/question", replies: [.recorded("forms-pending")])
        let recorded = try #require(try Fixtures.answer("1.18.33", "questions-pending")?.array?.first)
        let reported = try #require(run.json?.array?.first)

        #expect(reported["questions"] == recorded["questions"])

        let id = try #require(reported["id"]?.text)

        #expect(id.hasPrefix("que_"))

        let reply = try await BridgeRun(
            "POST", "/question/\(id)/reply", body: #"{"answers":[["Left"]]}"#,
            replies: [.recorded("forms-pending"), .recorded("form-reply")])

        #expect(reply.json == true)
        #expect(reply.calls.last?.hasSuffix(#"/reply {"answer":{"q0":"Left"}}"#) == true)

        let again = try await BridgeRun(
            "POST", "/question/\(id)/reject", replies: [.recorded("forms-pending"), .recorded("form-cancel-again")])

        #expect(again.status == 404)
        #expect(again.json?["_tag"] == "QuestionNotFoundError")
        #expect(again.json?["requestID"]?.text == id)

        let unknown = try await BridgeRun(
            "POST", "/question/que_x/reply", body: #"{"answers":[["Left"]]}"#, replies: [.recorded("forms-pending")])

        #expect(unknown.status == 404)
    }

    @Test func `a form is translated to questions, and their answers are translated back`() throws {
        let asked = try json(
            #"""
            {"id":"frm_1","sessionID":"ses_1","title":"t","fields":[{"key":"a","type":"multiselect",\#
            "description":"Which?","options":[{"value":"1","label":"One"},{"value":"2","label":"Two"}],\#
            "custom":false},{"key":"b","type":"string","title":"Why"}]}
            """#
        )
        let form = try #require(QuestionForm(asked))

        #expect(form.question.items.map(\.isMultiple) == [true, nil])
        #expect(form.question.items.map(\.isCustom) == [false, nil])
        #expect(form.answer([["One", "Two"], ["because"]]) == ["a": ["1", "2"], "b": "because"])
        #expect(form.rows(["a": ["2"], "b": "x"]) == [["Two"], ["x"]])
        #expect(QuestionForm(["id": "frm_1", "sessionID": "s", "fields": [["key": "n", "type": "number"]]]) == nil)
    }
}
