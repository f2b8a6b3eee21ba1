// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import HTTPTypes
import Testing

@testable import ConversationServing
@testable import GatewayCore
@testable import OpenCode1Compatibility

/// An error of the gateway in the format of each client protocol. Chat has no HTTP errors; the module Conversations has
/// the table for its messages.
@Suite struct ErrorRenderingTests {
    private static let errors: [GatewayError] = [
        GatewayError(400, "The body is not encoded as UTF-8. Send JSON in UTF-8."),
        GatewayError(401, "Missing key.", fields: ["WWW-Authenticate": "Bearer"]),
        GatewayError(426, "Upgrade.", fields: ["Upgrade": "websocket", "Sec-WebSocket-Version": "13"]),
        GatewayError(503, "a \"b\" \\c\n\u{1f}\u{7f} \u{fc}", fields: ["Retry-After": "5"]),
    ]

    /// The error's sentences as JSON strings.
    private static let quoted = [
        #""The body is not encoded as UTF-8. Send JSON in UTF-8.""#, #""Missing key.""#, #""Upgrade.""#,
        #""a \"b\" \\c\n\u001f\u007f ü""#,
    ]

    private static let cases = Array(zip(errors, quoted))

    private static func text(_ answer: GatewayAnswer) -> String { String(decoding: answer.body, as: UTF8.self) }

    private static func lines(_ answer: GatewayAnswer) -> String {
        var lines: [UInt8] = []
        answer.head.fields.appendLines(to: &lines)
        return String(decoding: lines, as: UTF8.self)
    }

    @Test func `the gateway's own format is an object with the sentence as its detail`() {
        for (error, quoted) in Self.cases { #expect(Self.text(GatewayAnswer(error)) == #"{"detail":\#(quoted)}"#) }
    }

    @Test func `a client of OpenCode 1 receives OpenCode 1's name and message, and the detail`() {
        let names = ["BadRequest", "UnknownError", "UnknownError", "UnknownError"]

        for ((error, quoted), name) in zip(Self.cases, names) {
            let body = #"{"name":"\#(name)","data":{"message":\#(quoted)},"detail":\#(quoted)}"#
            #expect(Self.text(OpenCode1Error.answer(to: error)) == body)
        }
    }

    @Test func `a client of the conversations receives a code that follows from the status`() {
        let codes = ["bad_request", "unauthorized", "internal_error", "unavailable"]

        for ((error, quoted), code) in zip(Self.cases, codes) {
            let body = #"{"error":{"code":"\#(code)","message":\#(quoted),"details":null}}"#
            #expect(Self.text(ConversationService.errorRenderer.render(error)) == body)
        }
    }

    @Test func `each format keeps the status, and the additional fields after the content type`() {
        let added = [
            "", "WWW-Authenticate: Bearer\r\n", "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n",
            "Retry-After: 5\r\n",
        ]
        let formats = [GatewayAnswer.init(_:), OpenCode1Error.answer, ConversationService.errorRenderer.render]

        for (error, added) in zip(Self.errors, added) {
            for render in formats {
                let answer = render(error)
                #expect(answer.head.status == error.status)
                #expect(Self.lines(answer) == "Content-Type: application/json\r\n" + added)
            }
        }
    }

    @Test(arguments: [
        ("/conversations", true), ("/conversations/c1/messages?x", true), ("/models?project=a", true),
        ("/projects/a/session", false), ("/chat", false), ("/", false),
    ])
    func `only errors below the endpoints of the conversations have their format`(target: String, applies: Bool) {
        #expect(ConversationService.errorRenderer.applies(Array(target.utf8)[...]) == applies)
    }
}
