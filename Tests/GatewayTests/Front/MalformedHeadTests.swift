// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

/// Tests that a head that violates RFC 9112's grammar is rejected with 400 and that the connection is closed, even if
/// libmicrohttpd would accept it.
@Suite(.onTestThreads) struct MalformedHeadTests {
    private static let line = "GET /projects/demo/api/malformed HTTP/1.1"
    private static let lineEnding = "Every line of a request head must end with CR LF, and no line may be folded."
    private static let badValue = "A field value contains a control character."
    private static let badName = "A field name contains a forbidden character."
    private static let badTarget = "The request target contains a forbidden character."
    private static let badMethod = "The method contains a forbidden character."

    @Test func `a control character in a field value is rejected`() throws {
        let fixture = try RefusalFixture()
        for value in ["a\rb", "\ra", "a\r", "a\u{1}b", "\u{b}a", "a\u{c}", "a\u{1b}[31m", "a\u{7f}b"] {
            try fixture.expectRefusal(RequestText.head(Self.line, ["X-Own: \(value)"]), detail: Self.badValue)
        }
        try fixture.expectNothingGotThrough()
    }

    @Test func `a NUL anywhere in a field is rejected`() throws {
        let fixture = try RefusalFixture()

        for value in ["a\0b", "\0", "\0a", "a\0", "a\0\0", "a\0: b"] {
            try fixture.expectRefusal(
                RequestText.head(Self.line, ["X-Own: \(value)", "X-Next: 1"]), detail: Self.lineEnding)
            try fixture.expectRefusal(RequestText.head(Self.line, ["X-Own: \(value)"]), detail: Self.lineEnding)
        }
        try fixture.expectRefusal(RequestText.head(Self.line, ["X-O\0wn: a"]))
        try fixture.expectRefusal(RequestText.head(Self.line, ["\0X-Own: a"]), detail: Self.lineEnding)
        try fixture.expectRefusal(RequestText.head(Self.line, ["\0"]), detail: Self.lineEnding)

        try fixture.expectNothingGotThrough()
    }

    @Test func `a field name that is not a token is rejected`() throws {
        let fixture = try RefusalFixture()

        for name in ["X Own", "X(Own)", "X\u{1}", "X/Own", "X\"", "Ünicode", "X\rOwn"] {
            try fixture.expectRefusal(RequestText.head(Self.line, ["\(name): a"]), detail: Self.badName)
        }
        for line in ["a line without a colon", ": a"] { try fixture.expectRefusal(RequestText.head(Self.line, [line])) }

        try fixture.expectNothingGotThrough()
    }

    @Test func `a folded line is rejected`() throws {
        let fixture = try RefusalFixture()

        for fields in [
            ["X-Own: a", " b"], ["X-Own: a", "\tb"], ["X-Own: a", " b: c"], ["X-Own: a", " ", "X-Next: b"],
            ["X-Own: a", " b", "X-Next: b"], ["X-Own:", " chunked"], ["X-Own: a", " b", " c", "\td"],
            ["Transfer-Encoding:", " chunked"], ["Content-Length: 1", " 0"], ["X-Own: a", " "],
        ] {
            try fixture.expectRefusal(RequestText.head(Self.line, fields), detail: Self.lineEnding)
        }

        // The first field's line has no line before it that it could continue.
        for field in [" X-Own: a", "\tHost: a"] {
            try fixture.expectRefusal(
                "\(Self.line)\r\n\(field)\r\nHost: a\r\n\(RequestText.authorization)\r\n\r\n", detail: Self.badName)
        }

        try fixture.expectNothingGotThrough()
    }

    @Test func `a line that ends with a bare LF is rejected`() throws {
        let fixture = try RefusalFixture()
        let head = RequestText.head(Self.line, ["X-Own: a"])
        let ends = head.utf8.indices(of: "\r\n")

        for end in ends {
            var bytes = Array(head.utf8)
            bytes.remove(at: end)
            try fixture.expectRefusal(String(decoding: bytes, as: UTF8.self), detail: Self.lineEnding)
        }
        try fixture.expectRefusal(head.replacing("\r\n", with: "\n"), detail: Self.lineEnding)

        // These requests have no field to compare with.
        let bare = "GET /health HTTP/1.0"
        for text in ["\(bare)\n\n", "\(bare)\r\n\n", "\(bare)\n\r\n"] {
            try fixture.expectRefusal(text, detail: Self.lineEnding)
        }

        try fixture.expectNothingGotThrough()
    }

    @Test func `a request line with wrong separators or an invalid version is rejected`() throws {
        let fixture = try RefusalFixture()

        for line in [
            "GET  /projects/demo/api/malformed HTTP/1.1", "GET /projects/demo/api/malformed  HTTP/1.1",
            "GET /projects/demo/api/malformed HTTP/1.1 ", "GET\t/projects/demo/api/malformed HTTP/1.1",
            "GET /projects/demo/api/malformed\tHTTP/1.1",
            "GET \t/projects/demo/api/malformed HTTP/1.1", "GET /projects/demo/api/malformed",
            "GET /projects/demo/api/malformed HTTP/1.1\t", "GET /projects/demo/api/malformed HTTP/1.1\0",
            "GET /projects/demo/api/malformed http/1.1", "GET /projects/demo/api/malformed HTTP/1.10", "GET ",
        ] {
            try fixture.expectRefusal(RequestText.head(line))
        }
        for line in [" GET /projects/demo/api/malformed HTTP/1.1", "GET"] {
            try fixture.expectClosing(RequestText.head(line))
        }
        for version in ["HTTP/2.0", "HTTP/0.9"] {
            try fixture.expectRefusal(RequestText.head("GET /projects/demo/api/malformed \(version)"), 505)
        }

        try fixture.expectNothingGotThrough()
    }

    @Test func `a target with white space or control characters is rejected`() throws {
        let fixture = try RefusalFixture()

        for part in ["a b", "a\tb", "a\rb", "a\u{1}b", "a\u{7f}b", "a HTTP/1.1 b"] {
            try fixture.expectRefusal(
                RequestText.head("GET /projects/demo/api/\(part) HTTP/1.1"), detail: Self.badTarget)
        }
        for part in ["a\0b", "a\0", "\0", "a?b\0c"] {
            try fixture.expectRefusal(
                RequestText.head("GET /projects/demo/api/\(part) HTTP/1.1"), detail: Self.lineEnding)
        }

        try fixture.expectNothingGotThrough()
    }

    @Test func `a method that is not a token is rejected`() throws {
        let fixture = try RefusalFixture()

        for method in ["G(T", "GE,T", "G\u{1}T", "GET:", "G\"T", "GÉT", "G\rT", "G{}"] {
            try fixture.expectRefusal(
                RequestText.head("\(method) /projects/demo/api/malformed HTTP/1.1"), detail: Self.badMethod)
        }
        try fixture.expectRefusal(
            RequestText.head("GE\0T /projects/demo/api/malformed HTTP/1.1"), detail: Self.lineEnding)

        try fixture.expectNothingGotThrough()
    }
}

extension String.UTF8View {
    /// Returns the positions of `text`, in bytes from the start.
    fileprivate func indices(of text: String) -> [Int] {
        let bytes = Array(self)
        let wanted = Array(text.utf8)
        return bytes.indices.filter { bytes[$0...].starts(with: wanted) }
    }
}
