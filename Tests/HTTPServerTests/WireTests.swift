// SPDX-License-Identifier: Apache-2.0

internal import Encodings
import HTTPTypes
import Testing

@testable import HTTPServer

/// Tests the framing of the responses that the gateway sends itself (RFC 9112 §6).
@Suite struct WireTests {
    private static func wire(_ body: WireBody, _ fragments: [String], trailers: FieldList? = nil) -> String {
        var queue = ByteQueue()
        for fragment in fragments { Array(fragment.utf8).withSpan { body.write($0, to: &queue) } }
        body.finish(trailers: trailers ?? FieldList(), to: &queue)
        return queue.withBytes { bytes in
            var text: [UInt8] = []
            text.append(copying: bytes)
            return String(decoding: text, as: UTF8.self)
        }
    }

    @Test func `a body of unknown length is chunked and ends with the last chunk`() {
        let body = WireBody(.unknown, version: .http11, isHead: false)

        #expect(body.field?.value == "chunked")
        #expect(!body.endsByClosing)

        let long = String(repeating: "x", count: 300)

        #expect(Self.wire(body, ["hello", long]) == "5\r\nhello\r\n12c\r\n\(long)\r\n0\r\n\r\n")
    }

    @Test func `trailers follow the last chunk`() {
        var trailers = FieldList()
        trailers.append("X-Sum", "1")
        let body = WireBody(.unknown, version: .http11, isHead: false)

        #expect(Self.wire(body, ["a"], trailers: trailers) == "1\r\na\r\n0\r\nX-Sum: 1\r\n\r\n")
    }

    @Test func `a body of unknown length to an HTTP/1.0 client ends with the connection`() {
        let body = WireBody(.unknown, version: .http10, isHead: false)

        #expect(body.field == nil)
        #expect(body.endsByClosing)
        #expect(Self.wire(body, ["hello"]) == "hello")
    }

    @Test func `a known length is announced, and the body is sent unchunked`() {
        let body = WireBody(.known(5), version: .http11, isHead: false)

        #expect(body.field?.value == "5")
        #expect(body.promised == 5)
        #expect(Self.wire(body, ["hello"]) == "hello")
    }

    @Test(arguments: [BodyLength.known(5), .unknown, .none(announced: 5)], [Version.http10, .http11])
    func `a response to HEAD has no body`(length: BodyLength, version: Version) {
        #expect(!WireBody(length, version: version, isHead: true).isPresent)
    }

    @Test func `a response to HEAD announces the length that GET would have`() {
        #expect(WireBody(.none(announced: 7), version: .http11, isHead: true).field?.value == "7")
        #expect(WireBody(.none(announced: nil), version: .http11, isHead: true).field == nil)
    }
}

extension [UInt8] {
    /// Passes the bytes to `body` as a span.
    fileprivate func withSpan(_ body: (Span<UInt8>) -> Void) { body(span) }
}
