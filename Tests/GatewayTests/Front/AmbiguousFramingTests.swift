// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

/// Tests that a request whose end is ambiguous for two parsers is rejected with 400, and that no byte after it is read
/// (RFC 9112 §6.3, §11.2).
@Suite(.onTestThreads) struct AmbiguousFramingTests {
    @Test func `a request with both Content-Length and Transfer-Encoding is rejected`() throws {
        let fixture = try RefusalFixture()
        let detail = "A request must not have both Content-Length and Transfer-Encoding."

        for fields in [
            ["Content-Length: 5", "Transfer-Encoding: chunked"], ["Transfer-Encoding: chunked", "Content-Length: 5"],
            ["Content-Length: 0", "Transfer-Encoding: chunked"], ["transfer-encoding: CHUNKED", "content-length: 5"],
        ] {
            try fixture.expectRefusal(RequestText.head(fields) + "0\r\n\r\n", detail: detail)
        }

        try fixture.expectNothingGotThrough()
    }

    @Test func `a request with several Content-Length values is rejected, even if they are equal`() throws {
        let fixture = try RefusalFixture()
        let detail = "A request must have only one Content-Length field."

        for fields in [
            ["Content-Length: 5", "Content-Length: 6"], ["Content-Length: 6", "content-length: 5"],
            ["Content-Length: 5", "Content-Length: 5"], ["Content-Length: 0", "Content-Length: 5"],
        ] {
            try fixture.expectRefusal(RequestText.head(fields) + "hello", detail: detail)
        }
        for value in ["5, 5", "5,5", "5, 6"] {
            try fixture.expectRefusal(RequestText.head(["Content-Length: \(value)"]) + "hello")
        }

        try fixture.expectNothingGotThrough()
    }

    @Test func `a Content-Length that is not a plain decimal number is rejected`() throws {
        let fixture = try RefusalFixture()

        for value in ["+5", "-5", "0x5", "5 5", "5a", "", "five", "5;", "\"5\"", "5.0", "1e1", "٥"] {
            try fixture.expectRefusal(RequestText.head(["Content-Length: \(value)"]) + "hello")
        }
        // White space around a value is not part of it (RFC 9110 §5.5), but 0.9.75 keeps it.
        if !MessageLibrary.isStrict { try fixture.expectRefusal(RequestText.head(["Content-Length: 5\t"]) + "hello") }
        // A number that exceeds 64 bits is still a number, but no server can accept such a body.
        try fixture.expectRefusal(RequestText.head(["Content-Length: 99999999999999999999"]) + "hello", 413)

        try fixture.expectNothingGotThrough()
    }

    @Test func `a Content-Length beyond 63 bits is rejected with 413 before the body arrives`() throws {
        let fixture = try RefusalFixture(flags: ["--body-timeout", "1h"])
        let detail = "Content-Length must be below 2^63. Send the body in parts, or correct the field."

        for length in ["9223372036854775808", "9999999999999999999", "10000000000000000000", "18446744073709551615"] {
            try fixture.expectRefusal(RequestText.head(["Content-Length: \(length)"]) + "hello", 413, detail: detail)
        }
        for length in ["18446744073709551616", "100000000000000000000000000000"] {
            try fixture.expectRefusal(RequestText.head(["Content-Length: \(length)"]) + "hello", 413)
        }

        try fixture.expectNothingGotThrough()
    }

    @Test func `a Transfer-Encoding other than exactly chunked is rejected`() throws {
        let fixture = try RefusalFixture()
        let detail = #"Transfer-Encoding must be exactly \"chunked\". No other coding is supported."#

        for value in [
            "gzip, chunked", "chunked, chunked", "chunked, gzip", "xchunked", "chunkedx", "identity", "gzip", "",
            "chunked;q=1", "chunked,", ",chunked", "\"chunked\"", "chun ked",
        ] {
            try fixture.expectRefusal(
                RequestText.head(["Transfer-Encoding: \(value)"]) + "0\r\n\r\n", detail: detail)
        }
        for fields in [
            ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"],
            ["Transfer-Encoding: chunked", "Transfer-Encoding: identity"],
            ["Transfer-Encoding: gzip", "Transfer-Encoding: chunked"],
        ] {
            try fixture.expectRefusal(RequestText.head(fields) + "0\r\n\r\n", detail: detail)
        }

        try fixture.expectNothingGotThrough()
    }

    @Test(.enabled(if: !MessageLibrary.isStrict, "this libmicrohttpd drops white space after a value, as it should"))
    func `white space after chunked is rejected, because libmicrohttpd 0.9.75 would miss the coding`() throws {
        let fixture = try RefusalFixture()
        for space in [" ", "\t", " \t "] {
            try fixture.expectRefusal(RequestText.head(["Transfer-Encoding: chunked\(space)"]) + "0\r\n\r\n")
        }

        try fixture.expectNothingGotThrough()
    }

    @Test func `white space between a field name and its colon is rejected`() throws {
        let fixture = try RefusalFixture()
        let detail = "A field name contains a forbidden character."

        for name in ["Transfer-Encoding ", "Transfer-Encoding\t", "Content-Length ", "Host ", "X-Own "] {
            try fixture.expectRefusal(RequestText.head(["\(name): chunked"]) + "0\r\n\r\n", detail: detail)
        }

        try fixture.expectNothingGotThrough()
    }

    @Test func `Transfer-Encoding in an HTTP/1.0 request is rejected`() throws {
        let fixture = try RefusalFixture()

        try fixture.expectRefusal(
            RequestText.head("POST /projects/demo/api/framed HTTP/1.0", ["Transfer-Encoding: chunked"]) + "0\r\n\r\n",
            detail: "An HTTP/1.0 request must not have Transfer-Encoding.")
        try fixture.expectRefusal(
            RequestText.head(
                "POST /projects/demo/api/framed HTTP/1.0", ["Connection: keep-alive", "Transfer-Encoding: chunked"])
                + "0\r\n\r\n",
            detail: "An HTTP/1.0 request must not have Transfer-Encoding.")

        try fixture.expectNothingGotThrough()
    }

    @Test func `an HTTP/1.1 request without a Host field or with a second one is rejected`() throws {
        let fixture = try RefusalFixture()

        try fixture.expectRefusal(
            RequestText.head("GET /projects/demo/api/framed HTTP/1.1", host: false),
            detail: "An HTTP/1.1 request must have a Host field.")
        for second in ["Host: gateway.example.com", "host: other.example.com", "HOST:"] {
            try fixture.expectRefusal(
                RequestText.head("GET /projects/demo/api/framed HTTP/1.1", [second]),
                detail: "A request must have only one Host field.")
        }

        try fixture.expectNothingGotThrough()
    }
}

extension RequestText {
    fileprivate static func head(_ fields: [String]) -> String {
        head("POST /projects/demo/api/framed HTTP/1.1", fields)
    }
}
