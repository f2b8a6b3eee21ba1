// SPDX-License-Identifier: Apache-2.0

internal import Encodings
import HTTPTypes
import Testing

@Suite("The chunked coding (RFC 9112 §7.1)")
struct ChunkedDecoderTests {
    typealias Fault = ChunkedDecoder.Fault

    /// The result of decoding one body.
    private struct Decoded: Equatable {
        var content = ""
        var isComplete = false
        var trailers: [String] = []
        var fault: Fault?
    }

    private func decode(_ fragments: [ArraySlice<UInt8>]) -> Decoded {
        var decoder = ChunkedDecoder()
        var content: [UInt8] = []
        var decoded = Decoded()
        do throws(Fault) {
            for fragment in fragments { try decoder.decode(fragment.span) { run in content.append(copying: run) } }
        } catch {
            decoded.fault = error
        }
        decoded.content = content.text
        decoded.isComplete = decoder.isComplete
        decoded.trailers = decoder.trailers.lines
        return decoded
    }

    @Test(
        arguments: [
            ("0\r\n\r\n", "", []),
            ("5\r\nhello\r\n0\r\n\r\n", "hello", []),
            ("1\r\na\r\n2\r\nbc\r\n0\r\n\r\n", "abc", []),
            ("a\r\n0123456789\r\nA\r\nabcdefghij\r\n0\r\n\r\n", "0123456789abcdefghij", []),
            ("000000000000000a\r\n0123456789\r\n0000000000000000\r\n\r\n", "0123456789", []),
            ("2\r\n\r\n\r\n5\r\n0\r\n\r\n\r\n0\r\n\r\n", "\r\n0\r\n\r\n", []),
            ("1;name=value\r\na\r\n1;a=\"b;c\"\r\nb\r\n0;last\r\n\r\n", "ab", []),
            ("1 \r\na\r\n1\t;x\r\nb\r\n1 \t; x = y\r\nc\r\n0 \r\n\r\n", "abc", []),
            ("1;\r\na\r\n1;\u{e9}\tx\r\nb\r\n0\r\n\r\n", "ab", []),
            ("1\r\na\r\n0\r\nX-Sum: 1\r\n\r\n", "a", ["X-Sum: 1"]),
            ("0\r\nA:1\r\nb:  2 \t\r\nA:\r\nC: \u{e9}\r\n\r\n", "", ["A: 1", "b: 2", "A: ", "C: \u{e9}"]),
        ])
    func `a chunked body has the same content regardless of how the network splits it`(
        body: String, content: String, trailers: [String]
    ) {
        let expected = Decoded(content: content, isComplete: true, trailers: trailers)
        for fragments in cuts(of: body.bytes) { #expect(decode(fragments) == expected) }
    }

    @Test func `a chunked body is incomplete and without a fault before its last byte`() {
        let body = "3;x\r\nabc\r\n0\r\nX: 1\r\n\r\n".bytes

        for end in body.indices {
            let decoded = decode([body[..<end]])
            #expect(!decoded.isComplete, "\(end) bytes")
            #expect(decoded.fault == nil, "\(end) bytes")
            #expect(decoded.content == body[5..<max(5, min(8, end))].text)
        }
    }

    @Test(
        arguments: [
            ("\r\n", .sizeIsNoNumber, ""), ("g\r\n", .sizeIsNoNumber, ""), (" 1\r\na", .sizeIsNoNumber, ""),
            ("+1\r\na", .sizeIsNoNumber, ""), ("-1\r\na", .sizeIsNoNumber, ""), ("0x1\r\na", .sizeIsNoNumber, ""),
            (";x\r\n", .sizeIsNoNumber, ""), ("1,\r\na", .sizeIsNoNumber, ""), ("1\0", .sizeIsNoNumber, ""),
            ("00000000000000001\r\na", .sizeIsNoNumber, ""), ("10000000000000000\r\na", .sizeIsNoNumber, ""),
            ("1 1\r\na", .sizeIsNoNumber, ""), ("1 x\r\na", .sizeIsNoNumber, ""), ("1\t0\r\n", .sizeIsNoNumber, ""),
            ("\n", .sizeIsNoNumber, ""), ("1\na", .lineEnding, ""), ("1 \na", .lineEnding, ""),
            ("1;x\na", .lineEnding, ""), ("1;x\0\r\n", .lineEnding, ""), ("1\rxa", .lineEnding, ""),
            ("1\r\r\na", .lineEnding, ""), ("1;x\r;\n", .lineEnding, ""), ("1\r\nab", .lineEnding, "a"),
            ("1\r\na\n", .lineEnding, "a"), ("1\r\na\rx", .lineEnding, "a"), ("1\r\na1", .lineEnding, "a"),
            ("1\r\na\r\n\r\n", .sizeIsNoNumber, "a"), ("0\r\n\n", .lineEnding, ""), ("0\r\n\rx", .lineEnding, ""),
            ("0\r\nX: a\n", .lineEnding, ""), ("0\r\nX: a\rb", .lineEnding, ""), ("0\r\nX\r\n", .badTrailer, ""),
            ("0\r\n: a\r\n", .badTrailer, ""), ("0\r\nX : a\r\n", .badTrailer, ""), ("0\r\n X: a\r\n", .badTrailer, ""),
            ("0\r\nX: a\0\r\n", .badTrailer, ""), ("0\r\nX: \u{7f}\r\n", .badTrailer, ""),
            ("0\r\nA: a\r\n b\r\n", .badTrailer, ""),
        ] as [(String, Fault, String)])
    func `a malformed chunked body fails at its first wrong byte and keeps the content before it`(
        body: String, fault: Fault, content: String
    ) {
        for fragments in cuts(of: body.bytes) {
            let decoded = decode(fragments)
            #expect(decoded.fault == fault)
            #expect(decoded.content == content)
            #expect(!decoded.isComplete)
        }
    }

    @Test(arguments: ["\n", "0", "HTTP/1.1 200 OK\r\n"])
    func `bytes after the end of a chunked body are rejected as excess`(more: String) {
        for fragments in cuts(of: "1\r\na\r\n0\r\n\r\n\(more)".bytes) {
            let decoded = decode(fragments)
            #expect(decoded.fault == .excess)
            #expect(decoded.content == "a")
        }
    }

    @Test(arguments: [";", " ", "\t"])
    func `a chunk extension is limited to 256 bytes`(first: String) {
        // After white space, the semicolon of the extension also counts. Otherwise, everything after the first byte
        // counts.
        let long = first == ";" ? String(repeating: "x", count: 256) : ";" + String(repeating: "x", count: 255)

        #expect(decode(["1\(first)\(long)\r\na".bytes[...]]) == Decoded(content: "a"))
        #expect(decode(["1\(first)\(long)x\r\na".bytes[...]]).fault == .lineTooLong)
    }

    @Test func `white space after a chunk size is limited to 257 bytes`() {
        let space = String(repeating: " ", count: 257)

        #expect(decode(["1\(space)\r\na".bytes[...]]) == Decoded(content: "a"))
        #expect(decode(["1\(space) ".bytes[...]]).fault == .lineTooLong)
    }

    @Test func `trailers are limited to 8 KiB in total`() {
        let value = String(repeating: "v", count: 4 * 1024 - 2)
        let body = "0\r\nA:\(value)\r\nB:\(value)\r\n"

        #expect(decode(["\(body)\r\n".bytes[...]]).trailers == ["A: \(value)", "B: \(value)"])
        #expect(decode(["\(body)C".bytes[...]]).fault == .trailersTooLong)
    }

    @Test func `a chunk larger than any memory is decoded as its bytes arrive`() {
        let start = "ffffffffffffffff\r\n".bytes
        let decoded = decode([start[...], "abc".bytes[...], "def".bytes[...]])

        #expect(decoded == Decoded(content: "abcdef"))
    }
}
