// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Testing

@testable import HTTPServer

/// Tests the gateway's own responses.
@Suite struct AnswerTests {
    @Test(
        arguments: [
            ("plain", #"{"detail":"plain"}"#), (#"a "b" \c"#, #"{"detail":"a \"b\" \\c"}"#),
            ("line\nbreak\u{1f}\u{7f}", #"{"detail":"line\nbreak\u001f\u007f"}"#),
            ("ümlaut", #"{"detail":"ümlaut"}"#),
        ])
    func `an error response is a JSON object with the sentence as its detail`(sentence: String, body: String) {
        let answer = GatewayAnswer(GatewayError(404, sentence))

        #expect(answer.head.status == 404)
        #expect(
            answer.head.fields.first(.contentType).map { String(decoding: $0, as: UTF8.self) } == "application/json")
        #expect(String(decoding: answer.body, as: UTF8.self) == body)
    }

    @Test func `a response that is written directly to the socket has Content-Length and Connection: close`() {
        let text = String(decoding: WireHead.complete(GatewayAnswer(GatewayError(408, "late"))), as: UTF8.self)

        #expect(
            text
                == "HTTP/1.1 408 Request Timeout\r\nContent-Type: application/json\r\nContent-Length: 17\r\nConnection: close\r\n\r\n"
                + #"{"detail":"late"}"#)
    }

    @Test(
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (1_709_164_800, "Thu, 29 Feb 2024 00:00:00 GMT"),
        ])
    func `dates have HTTP's IMF-fixdate format`(seconds: Int, text: String) {
        #expect(HTTPDate.text(seconds) == text)
    }
}
