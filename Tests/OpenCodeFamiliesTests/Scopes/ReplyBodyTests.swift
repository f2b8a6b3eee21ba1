// SPDX-License-Identifier: Apache-2.0

import OpenCodeFamilies
import Testing

@Suite("The body of a reply below the scope write")
struct ReplyBodyTests {
    private static let json = ReplyBody.Fields(type: "application/json")

    private func judged(
        _ kind: ReplyBody, _ body: String, _ fields: ReplyBody.Fields = json
    ) -> ReplyBody.Judgement {
        kind.judgement(of: Array(body.utf8), fields)
    }

    @Test(
        arguments: [
            (.permission(.response), #"{"response":"once"}"#), (.permission(.response), #"{"response":"reject"}"#),
            (.permission(.reply), #"{"reply":"once"}"#),
            (.permission(.reply), #" { "reply" : "reject", "message" : "use make" } "#),
            (.permission(.reply), #"{"repl\u0079":"\u006fnce"}"#),
            (.permission(.replyOrDecision), #"{"reply":"once"}"#),
            (.permission(.replyOrDecision), #"{"decision":"reject","message":null}"#),
            (.question, #"{"answers":[["Left"],["a","b"],[]]}"#), (.question, #"{"answers":[]}"#),
            (.form, #"{"answer":{"q0":"Left","q1":2,"q2":true,"q3":["a"]}}"#), (.form, #"{"answer":{}}"#),
            (.rejection, ""), (.rejection, "{}"),
        ] as [(ReplyBody, String)])
    func `a permission for once, a rejection and the reply to a question are allowed`(kind: ReplyBody, body: String) {
        #expect(judged(kind, body) == .allowed)
    }

    @Test(
        arguments: [
            (.permission(.response), #"{"response":"always"}"#), (.permission(.reply), #"{"reply":"always"}"#),
            (.permission(.reply), #"{"reply":"always","message":"x"}"#),
            (.permission(.reply), #"{"\u0072eply":"\u0061lways"}"#),
            (.permission(.replyOrDecision), #"{"decision":"always"}"#),
        ] as [(ReplyBody, String)])
    func `a permanent permission needs the scope write`(kind: ReplyBody, body: String) {
        #expect(judged(kind, body) == .needsWrite)
    }

    @Test(
        arguments: [
            #"{"reply":"once","reply":"always"}"#, #"{"reply":"always","reply":"once"}"#,
            #"{"reply":"once","\u0072eply":"always"}"#, #"{"reply":"reject","message":"a","message":"b"}"#,
        ])
    func `a body with a repeated name is rejected`(body: String) {
        #expect(judged(.permission(.reply), body) == .refused(.repeatsName))
    }

    @Test func `a body with a repeated name at any depth is rejected`() {
        #expect(judged(.form, #"{"answer":{"q0":"a","q0":"b"}}"#) == .refused(.repeatsName))
    }

    @Test(
        arguments: [
            "{}", #"{"reply":"ONCE"}"#, #"{"reply":"once "}"#, #"{"reply":["once"]}"#, #"{"reply":true}"#,
            #"{"reply":null}"#, #"{"response":"once"}"#, #"{"message":"x"}"#, #"{"reply":"allow"}"#,
        ])
    func `a body without a known choice is rejected`(body: String) {
        #expect(judged(.permission(.reply), body) == .refused(.hasNoChoice))
    }

    @Test func `a body with two choices is rejected, because different versions read different choices`() {
        let body = #"{"reply":"once","decision":"always"}"#

        #expect(judged(.permission(.replyOrDecision), body) == .refused(.hasNoChoice))
    }

    @Test(
        arguments: [
            (.permission(.reply), #"{"reply":"once","remember":true}"#),
            (.permission(.reply), #"{"reply":"once","decision":"always"}"#),
            (.permission(.reply), #"{"reply":"reject","message":{"x":1}}"#),
            (.question, #"{"answers":[["a"]],"x":1}"#), (.question, #"{"answers":["a"]}"#), (.question, "{}"),
            (.form, #"{"answer":{"q":{"x":1}}}"#), (.form, #"{"answer":"a"}"#), (.form, #"{"answer":{"q":[1]}}"#),
        ] as [(ReplyBody, String)])
    func `a body with a member that the document does not describe is rejected`(kind: ReplyBody, body: String) {
        #expect(judged(kind, body) == .refused(.hasUnknownMember))
    }

    @Test(
        arguments: [
            "", "null", "[]", #"["once"]"#, #""once""#, #"{"reply":"once"} {"reply":"always"}"#, #"{"reply":"once""#,
            #"{'reply':'once'}"#, "reply=once", #"{"reply":"once",}"#, "\u{FEFF}{\"reply\":\"once\"}",
            #"{"reply":"once"}/* */"#,
        ])
    func `a body that is not one JSON object is rejected`(body: String) {
        #expect(judged(.permission(.reply), body) == .refused(.isNotJSON))
    }

    @Test func `a body that is not UTF-8 is rejected`() {
        let body = Array(#"{"reply":"reject","message":""#.utf8) + [0xFF] + Array(#""}"#.utf8)

        #expect(ReplyBody.permission(.reply).judgement(of: body, Self.json) == .refused(.isNotJSON))
    }

    @Test(
        arguments: [
            (nil, true), ("application/json", true), ("Application/JSON; charset=UTF-8", true),
            ("application/json;charset=\"utf-8\"", true), ("application/x-www-form-urlencoded", false),
            ("text/plain", false), ("application/json; charset=utf-16", false), ("", false),
            ("application/json, text/plain", false), ("application/json; boundary=x", false),
        ] as [(String?, Bool)])
    func `the content type must be JSON in UTF-8 or absent`(type: String?, isAllowed: Bool) {
        // A server that reads a form would find the choice `always` here.
        let body = #"{"reply":"reject","message":"&reply=always&"}"#
        let judgement = judged(.permission(.reply), body, ReplyBody.Fields(type: type))

        #expect(judgement == (isAllowed ? .allowed : .refused(.isNotJSON)))
    }

    @Test(arguments: ["gzip", "br", "identity, gzip", ""])
    func `a compressed body is rejected`(encoding: String) {
        let fields = ReplyBody.Fields(type: "application/json", encoding: encoding)

        #expect(judged(.permission(.reply), #"{"reply":"once"}"#, fields) == .refused(.isEncoded))
        #expect(judged(.rejection, "", fields) == .refused(.isEncoded))
    }

    @Test func `the content coding identity does not count as compression`() {
        let fields = ReplyBody.Fields(type: "application/json", encoding: "Identity")

        #expect(judged(.permission(.reply), #"{"reply":"once"}"#, fields) == .allowed)
    }

    @Test func `the rejection of a question with content is rejected`() {
        #expect(judged(.rejection, #"{"reply":"always"}"#) == .refused(.isNotEmpty))
        #expect(judged(.rejection, "[]") == .refused(.isNotJSON))
    }

    @Test(.enabled(if: RecordedDocuments.areAvailable), arguments: RecordedDocuments.counts.keys.sorted())
    func `each body that a document permits for a reply is classified by its choice`(version: String) throws {
        let document = try RecordedDocuments.document(version)
        for operation in document.operations {
            guard
                case .reply(let kind)? = RouteJudgement(
                    operation.method, Array(operation.target.utf8)[...], for: operation.family
                ).route?.content,
                let schema = document.requestSchema(operation.method, operation.path)
            else { continue }
            let sample = document.sample(schema, choice: 0, text: "text")
            let body = try Fixtures.bytes(json: sample)

            // The first value of the documents' choices is `once`.
            #expect(kind.judgement(of: body, Self.json) == .allowed, "\(operation)")
            guard case .permission = kind else { continue }
            let always = Array(String(decoding: body, as: UTF8.self).replacing("once", with: "always").utf8)
            #expect(kind.judgement(of: always, Self.json) == .needsWrite, "\(operation)")
        }
    }
}
