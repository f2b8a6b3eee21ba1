// SPDX-License-Identifier: Apache-2.0

internal import Encodings
import HTTPTypes
import Testing

@Suite("Reading of a response's body (RFC 9112 §6.3)")
struct ResponseBodyReaderTests {
    typealias Fault = ResponseBodyReader.Fault

    /// The result of reading a body after which the connection was closed.
    private struct Reading: Equatable {
        var content = ""
        var isComplete = false
        var fault: Fault?
    }

    private func parse(_ framing: ResponseFraming, _ fragments: [ArraySlice<UInt8>]) -> Reading {
        var reader = ResponseBodyReader(framing)
        var content: [UInt8] = []
        var reading = Reading()
        do throws(Fault) {
            for fragment in fragments { try reader.decode(fragment.span) { run in content.append(copying: run) } }
            reading.isComplete = reader.isComplete
            try reader.closed()
        } catch {
            reading.fault = error
        }
        reading.content = content.text
        return reading
    }

    @Test(
        arguments: [
            (.none, "", "", true), (.length(0), "", "", true), (.length(5), "hello", "hello", true),
            (.chunked, "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n", "hello", true), (.untilClose, "", "", false),
            (.untilClose, "hello", "hello", false),
        ] as [(ResponseFraming, String, String, Bool)])
    func `a whole body is read regardless of how the network splits it`(
        framing: ResponseFraming, body: String, content: String, isComplete: Bool
    ) {
        for fragments in cuts(of: body.bytes) {
            // If only the end of the connection ends the body, the reader does not know the body's end before.
            #expect(parse(framing, fragments) == Reading(content: content, isComplete: isComplete, fault: nil))
        }
    }

    @Test(
        arguments: [(.length(5), "hello"), (.chunked, "3\r\nabc\r\n0\r\nX: y\r\n\r\n")] as [(ResponseFraming, String)])
    func `a body that ends early at any byte is reported as truncated`(framing: ResponseFraming, body: String) {
        let bytes = body.bytes
        for end in bytes.indices { #expect(parse(framing, [bytes[..<end]]).fault == .truncated, "\(end) bytes") }
    }

    @Test(
        arguments: [
            (.none, "x", ""), (.length(0), "x", ""), (.length(5), "hello!", "hello"),
            (.chunked, "1\r\na\r\n0\r\n\r\n0", "a"),
        ] as [(ResponseFraming, String, String)])
    func `bytes after a body's end are excess, and the body before them is delivered`(
        framing: ResponseFraming, body: String, content: String
    ) {
        for fragments in cuts(of: body.bytes) {
            #expect(parse(framing, fragments) == Reading(content: content, isComplete: false, fault: .excess))
        }
    }

    @Test(arguments: [ResponseFraming.none, .length(0), .length(1), .chunked])
    func `an empty read is not excess`(framing: ResponseFraming) throws {
        var reader = ResponseBodyReader(framing)
        try reader.decode([UInt8]().span) { _ in Issue.record("content without input") }
    }

    @Test(
        arguments: [
            ("x\r\n", .sizeIsNoNumber), ("1\r\nab", .lineEnding), ("0\r\nX\r\n", .badTrailer),
            ("1;\(String(repeating: "x", count: 300))", .lineTooLong),
            ("0\r\nX:\(String(repeating: "x", count: 9000))", .trailersTooLong),
        ] as [(String, ChunkedDecoder.Fault)])
    func `each fault of the chunked coding is reported`(body: String, fault: ChunkedDecoder.Fault) {
        #expect(parse(.chunked, [body.bytes[...]]).fault == .chunked(fault))
    }

    @Test func `trailers are available only after a complete chunked body`() throws {
        var reader = ResponseBodyReader(.chunked)
        try reader.decode("0\r\nX-Sum: 1\r\n\r\n".bytes.span) { _ in }

        #expect(reader.trailers.lines == ["X-Sum: 1"])

        var plain = ResponseBodyReader(.length(12))
        try plain.decode("0\r\nX: 1\r\n\r\n".bytes.span) { _ in }

        #expect(plain.trailers.count == 0)
    }

    @Test func `a length larger than any memory is accepted, and its body is read as it arrives`() {
        #expect(
            parse(.length(.max), ["abc".bytes[...]]) == Reading(content: "abc", isComplete: false, fault: .truncated))
    }
}
