// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Testing

@Suite("The framing of a request's body (RFC 9112 §6.3, §11.2)")
struct RequestFramingTests {
    typealias Fields = KeyValuePairs<String, String>

    private func head(
        _ fields: Fields, method: String = "POST", target: String = "/", version: Version = .http11
    ) -> RequestHead {
        let head = RequestHead()
        head.methodName = method
        head.method = Method(name: method)
        head.target = target.bytes
        head.version = version
        head.fields = FieldList(fields)
        return head
    }

    @Test(
        arguments: [
            (["Host": "h"], .none),
            (["Host": ""], .none),
            (["host": "h", "Content-Length": "0"], .none),
            (["Host": "h", "Content-Length": "000"], .none),
            (["Host": "h", "Content-Length": "5"], .length(5)),
            (["Host": "h", "CONTENT-LENGTH": "  5\t"], .length(5)),
            (["Content-Length": "007", "Host": "h"], .length(7)),
            (["Host": "h", "Content-Length": "9223372036854775807"], .length(9_223_372_036_854_775_807)),
            (["Host": "h", "Transfer-Encoding": "chunked"], .chunked),
            (["Host": "h", "transfer-encoding": " CHUNKED "], .chunked),
            (["Host": "h", "X-Content-Length": "a", "Content-Lengths": "1, 2"], .none),
            (["Host": "h", "X": "a\tb \u{80}\u{ff}", "!#$%&'*+-.^_`|~09azAZ": ""], .none),
            (["Host": "h", "TE": "trailers", "Trailer": "X", "Connection": "close"], .none),
        ] as [(Fields, RequestFraming)])
    func `each valid head is accepted with the framing of its body`(fields: Fields, framing: RequestFraming) throws {
        #expect(try RequestFraming.of(head(fields)) == framing)
        // The method has no effect on the framing.
        #expect(try RequestFraming.of(head(fields, method: "GET")) == framing)
    }

    @Test(
        arguments: [
            ([:], .missingHost),
            (["X-Host": "h"], .missingHost),
            (["Host": "h", "Host": "h"], .severalHosts),
            (["Host": "h", "hOST": "other"], .severalHosts),
            (["Host": "h", "Content-Length": "5", "Transfer-Encoding": "chunked"], .lengthAndTransferEncoding),
            (["Host": "h", "Transfer-Encoding": "chunked", "Content-Length": "0"], .lengthAndTransferEncoding),
            (["Host": "h", "Content-Length": "5", "Content-Length": "5"], .severalLengths),
            (["Host": "h", "Content-Length": "5", "content-length": "6"], .severalLengths),
            (["Host": "h", "Content-Length": "0", "Content-Length": "0"], .severalLengths),
            (["Host": "h", "Content-Length": ""], .lengthIsNoNumber),
            (["Host": "h", "Content-Length": "5, 5"], .lengthIsNoNumber),
            (["Host": "h", "Content-Length": "+5"], .lengthIsNoNumber),
            (["Host": "h", "Content-Length": "-5"], .lengthIsNoNumber),
            (["Host": "h", "Content-Length": "0x5"], .lengthIsNoNumber),
            (["Host": "h", "Content-Length": "5.0"], .lengthIsNoNumber),
            (["Host": "h", "Content-Length": "1 2"], .lengthIsNoNumber),
            (["Host": "h", "Content-Length": "\u{ff15}"], .lengthIsNoNumber),
            (["Host": "h", "Content-Length": "9223372036854775808"], .lengthTooLarge),
            (["Host": "h", "Content-Length": "9999999999999999999"], .lengthTooLarge),
            (["Host": "h", "Content-Length": "18446744073709551615"], .lengthTooLarge),
            (["Host": "h", "Content-Length": "18446744073709551616"], .lengthTooLarge),
            (["Host": "h", "Content-Length": "123456789012345678901234567890"], .lengthTooLarge),
            (["Host": "h", "Content-Length": "1234567890123456789012345678a"], .lengthIsNoNumber),
            (["Host": "h", "Content-Length": "00000000000000000005"], .lengthIsNoNumber),
            (["Host": "h", "Transfer-Encoding": ""], .unknownTransferEncoding),
            (["Host": "h", "Transfer-Encoding": "identity"], .unknownTransferEncoding),
            (["Host": "h", "Transfer-Encoding": "gzip"], .unknownTransferEncoding),
            (["Host": "h", "Transfer-Encoding": "gzip, chunked"], .unknownTransferEncoding),
            (["Host": "h", "Transfer-Encoding": "chunked, chunked"], .unknownTransferEncoding),
            (["Host": "h", "Transfer-Encoding": "chunked,"], .unknownTransferEncoding),
            (["Host": "h", "Transfer-Encoding": "chunked;q=1"], .unknownTransferEncoding),
            (["Host": "h", "Transfer-Encoding": "xchunked"], .unknownTransferEncoding),
            (["Host": "h", "Transfer-Encoding": "\"chunked\""], .unknownTransferEncoding),
            (["Host": "h", "Transfer-Encoding": "chunked", "Transfer-Encoding": "chunked"], .unknownTransferEncoding),
            (["Host": "h", "Transfer-Encoding": "chunked", "Transfer-Encoding": "gzip"], .unknownTransferEncoding),
            (["Host": "h", "": "a"], .badFieldName),
            (["Host": "h", "Content-Length ": "5"], .badFieldName),
            (["Host": "h", "Transfer-Encoding\t": "chunked"], .badFieldName),
            (["Host": "h", "X Y": "a"], .badFieldName),
            (["Host": "h", "X-Forwarded-A B": "a"], .badFieldName),
            (["Host": "h", "X\u{e9}": "a"], .badFieldName),
            (["Host": "h", "X": "a\0b"], .badFieldValue),
            (["Host": "h", "X": "a\rContent-Length: 5"], .badFieldValue),
            (["Host": "h", "X": "a\nContent-Length: 5"], .badFieldValue),
            (["Host": "h", "X": "a\r\n b"], .badFieldValue),
            (["Host": "h", "X": "\u{7f}"], .badFieldValue),
            (["Host": "h", "X": "\u{1f}"], .badFieldValue),
        ] as [(Fields, RequestFraming.FramingError)])
    func `each invalid or ambiguous head is rejected with its reason`(
        fields: Fields, refusal: RequestFraming.FramingError
    ) {
        for method in ["POST", "GET", "HEAD", "CONNECT"] {
            #expect(throws: refusal) { try RequestFraming.of(head(fields, method: method)) }
        }
    }

    @Test(
        arguments: [
            "", "example.com", "EXAMPLE.com.", "example.com:", "example.com:4000", "127.0.0.1:0", "[::1]", "[::1]:4000",
            "[v1.a:b]", "xn--gre-6ka8j.example", "under_score", "a~b", "%41.example", "!$&'()*+,;=",
            ":80", "localhost", "-", "%41", "a:65535", "a:00080", "[::]", "[1::]:1", "[1:2:3:4:5:6:7:8]",
            "[2001:DB8::a:b]", "[::ffff:192.0.2.1]", "[1:2:3:4:5:6:0.0.0.255]", "[1:2:3:4:5:6:7::]", "[VF.x]",
        ])
    func `Host may be empty or hold one host with an optional port (RFC 9112, section 3.2)`(host: String) throws {
        #expect(try RequestFraming.of(head(["Host": host])) == .none)
    }

    @Test(
        arguments: [
            "a b", "a\tb", "a/b", "a?b", "a#b", "user@a", "http://a", "a\\b", "<a>", "\"a\"", "a|b", "{a}", "a^b",
            "`a`",
            "\u{e9}.example", "a:b", "a:80:80", "::1", "a:+1", "a: 80", "[::1", "::1]", "[]", "[:]a", "[::1]a",
            "[::1]:x",
            "[a/b]", "[fe80::1%25eth0]", "%", "%4", "%zz", "a%", "[[::1]]",
            "a:65536", "a:99999999999999999999999", "[::1]:65536", "[a]", "[ab]", "[:]", "[:::]", "[1]", "[1:2]",
            "[1:]",
            "[:1]", "[1::2::3]", "[1:2:3:4:5:6:7:8:9]", "[1:2:3:4:5:6:7]", "[1:2:3:4:5:6:7:8::]", "[::12345]", "[::g]",
            "[127.0.0.1]", "[::256.0.0.1]", "[::1.2.3]", "[::01.2.3.4]", "[::1.2.3.4:5]", "[1:2:3:4:5:6:7:1.2.3.4]",
            "[v.a]", "[v1.]", "[v1a]", "[vg.a]", "[1..2]",
        ])
    func `each malformed Host is rejected, also in HTTP/1.0`(host: String) {
        for version in [Version.http10, .http11] {
            #expect(throws: RequestFraming.FramingError.badHost) {
                try RequestFraming.of(head(["Host": host], version: version))
            }
        }
    }

    @Test func `HTTP/1.0 needs no Host, accepts Content-Length and rejects Transfer-Encoding`() throws {
        #expect(try RequestFraming.of(head([:], version: .http10)) == .none)
        #expect(try RequestFraming.of(head(["Content-Length": "5"], version: .http10)) == .length(5))
        #expect(throws: RequestFraming.FramingError.transferEncodingInHTTP10) {
            try RequestFraming.of(head(["Transfer-Encoding": "chunked"], version: .http10))
        }
        #expect(throws: RequestFraming.FramingError.severalHosts) {
            try RequestFraming.of(head(["Host": "a", "Host": "a"], version: .http10))
        }
    }

    @Test(
        arguments: ["", "GET ", "G\tET", "GE(T", "G\u{e9}T", "GET\0", "\"GET\"", "GET:"])
    func `a method that is not a token is rejected (RFC 9110, section 9.1)`(method: String) {
        #expect(throws: RequestFraming.FramingError.badMethod) {
            try RequestFraming.of(head(["Host": "h"], method: method))
        }
    }

    @Test(arguments: ["GET", "get", "PROPFIND", "!#$%&'*+-.^_`|~09azAZ"])
    func `any token is accepted as a method`(method: String) throws {
        #expect(try RequestFraming.of(head(["Host": "h"], method: method)) == .none)
    }

    @Test(
        arguments: ["", " ", "/a b", "/a\tb", "/\0", "/\r", "/\n", "/\u{7f}", "/\u{1f}", "/ HTTP/1.1"])
    func `a target that is empty or has white space or control characters is rejected`(target: String) {
        #expect(throws: RequestFraming.FramingError.badTarget) {
            try RequestFraming.of(head(["Host": "h"], target: target))
        }
    }

    @Test(
        arguments: ["*", "/\u{e9}", "/%00?{}|\"", "a"])
    func `all other bytes are accepted in a target`(target: String) throws {
        #expect(try RequestFraming.of(head(["Host": "h"], target: target)) == .none)
    }

    @Test func `removeAll empties a head's target and fields`() {
        let head = self.head(["Host": "h"], target: "/a")
        head.removeAll()

        #expect(head.target.isEmpty)
        #expect(head.fields.count == 0)
    }
}
