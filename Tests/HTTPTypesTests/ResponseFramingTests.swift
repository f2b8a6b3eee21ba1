// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Testing

@Suite("The framing of a response's body (RFC 9112 §6.3)")
struct ResponseFramingTests {
    typealias Fields = KeyValuePairs<String, String>

    private func framing(
        _ fields: Fields, status: Int = 200, to method: Method = .get
    ) throws(ResponseFraming.Fault) -> ResponseFraming {
        try ResponseFraming.of(ResponseHead(status: status, fields: FieldList(fields)), to: method)
    }

    @Test(
        arguments: [
            ([:], .untilClose),
            (["Connection": "keep-alive"], .untilClose),
            (["Content-Length": "0"], .length(0)),
            (["Content-Length": "5"], .length(5)),
            (["content-LENGTH": " 5 "], .length(5)),
            (["Content-Length": "9999999999999999999"], .length(9_999_999_999_999_999_999)),
            (["Transfer-Encoding": "chunked"], .chunked),
            (["transfer-encoding": "Chunked"], .chunked),
        ] as [(Fields, ResponseFraming)])
    func `a response's fields determine the framing of its body`(fields: Fields, expected: ResponseFraming) throws {
        for method in [Method.get, .post, .put, .delete, .patch, .options, .other] {
            #expect(try framing(fields, to: method) == expected)
        }
        for status in [200, 206, 301, 404, 500, 999] { #expect(try framing(fields, status: status) == expected) }
    }

    @Test(
        arguments: [
            (["Content-Length": "5", "Transfer-Encoding": "chunked"], .lengthAndTransferEncoding),
            (["Transfer-Encoding": "chunked", "Content-Length": "5"], .lengthAndTransferEncoding),
            (["Content-Length": "5", "Content-Length": "5"], .severalLengths),
            (["Content-Length": "5", "X": "y", "content-length": "6"], .severalLengths),
            (["Content-Length": "5, 5"], .lengthIsNoNumber),
            (["Content-Length": ""], .lengthIsNoNumber),
            (["Content-Length": "-1"], .lengthIsNoNumber),
            (["Content-Length": "5a"], .lengthIsNoNumber),
            (["Content-Length": "10000000000000000000"], .lengthIsNoNumber),
            (["Transfer-Encoding": ""], .unknownTransferEncoding),
            (["Transfer-Encoding": "identity"], .unknownTransferEncoding),
            (["Transfer-Encoding": "gzip, chunked"], .unknownTransferEncoding),
            (["Transfer-Encoding": "chunked", "Transfer-Encoding": "chunked"], .unknownTransferEncoding),
        ] as [(Fields, ResponseFraming.Fault)])
    func `each ambiguous framing is a fault`(fields: Fields, fault: ResponseFraming.Fault) {
        #expect(throws: fault) { try framing(fields) }
        // A head that contradicts itself is not trusted, even if there is no body.
        #expect(throws: fault) { try framing(fields, to: .head) }
        #expect(throws: fault) { try framing(fields, status: 304) }
    }

    @Test(
        arguments: [[:], ["Content-Length": "5"], ["Transfer-Encoding": "chunked"]] as [Fields])
    func `a response to HEAD, a 1xx, a 204 and a 304 have no body, regardless of their fields`(fields: Fields) throws {
        for status in [200, 404, 500] { #expect(try framing(fields, status: status, to: .head) == .none) }
        for status in [100, 103, 199, 204, 304] { #expect(try framing(fields, status: status) == .none) }
        for status in [200, 203, 205, 303, 305] { #expect(try framing(fields, status: status) != .none) }
    }

    @Test(
        arguments: [
            ("0", 0), ("1", 1), ("0000000000000000012", 12), ("9223372036854775808", 9_223_372_036_854_775_808),
            ("9999999999999999999", 9_999_999_999_999_999_999), ("", nil), ("18446744073709551616", nil),
            (" 1", nil), ("1 ", nil), ("1,1", nil), ("/", nil), (":", nil), ("1\0", nil), ("a", nil),
        ] as [(String, UInt64?)])
    func `a Content-Length consists of 1 to 19 digits (RFC 9110, section 8.6)`(text: String, number: UInt64?) {
        #expect(ContentLength.parse(text.bytes[...]) == number)
    }
}
