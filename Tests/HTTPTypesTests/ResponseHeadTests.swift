// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Testing

@Suite("The framing that a response's head announces")
struct ResponseHeadTests {
    @Test(
        arguments: [
            ("text/event-stream", true), ("Text/EVENT-Stream", true), ("text/event-stream;charset=utf-8", true),
            ("text/event-stream ; charset=utf-8", true), ("text/event-stream;", true), (" text/event-stream\t", true),
            ("", false), (";", false), ("text/event-streams", false), ("text/event-strea", false),
            ("text/event-stream, text/html", false), ("text/html; a=text/event-stream", false),
            ("xtext/event-stream", false), ("text/plain", false), ("application/json", false),
        ])
    func `only the media type makes a 200 an event stream (WHATWG HTML, section 9.2.5)`(type: String, isStream: Bool) {
        let fields = FieldList(["Content-Length": "5", "Content-Type": type, "Accept": "text/event-stream"])

        #expect(ResponseHead(status: 200, fields: fields).isEventStream == isStream)
    }

    @Test(arguments: [100, 101, 201, 204, 206, 301, 304, 404, 500, 503])
    func `a response with a status other than 200 is not an event stream`(status: Int) {
        let fields = FieldList(["Content-Type": "text/event-stream"])

        #expect(!ResponseHead(status: status, fields: fields).isEventStream)
    }

    @Test func `a response without Content-Type is not an event stream; of two, the first applies`() {
        #expect(!ResponseHead(status: 200).isEventStream)

        let stream = ["Content-Type": "text/event-stream", "content-type": "text/plain"] as KeyValuePairs

        #expect(ResponseHead(status: 200, fields: FieldList(stream)).isEventStream)

        let text = ["Content-Type": "text/plain", "content-type": "text/event-stream"] as KeyValuePairs

        #expect(!ResponseHead(status: 200, fields: FieldList(text)).isEventStream)
    }

    @Test func `a 1xx, a 204, a 304 and a response to HEAD have no body (RFC 9112, section 6.3)`() {
        let without = (100...599).filter { ResponseHead(status: $0).hasNoBody(to: .get) }

        #expect(without == Array(100...199) + [204, 304])
        #expect((100...599).allSatisfy { ResponseHead(status: $0).hasNoBody(to: .head) })
    }
}
