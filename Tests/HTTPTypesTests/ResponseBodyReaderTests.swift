import HTTPTypes
import Testing

@Suite("An answer's body to its end (RFC 9112 §6.3)")
struct ResponseBodyReaderTests {
    typealias Fault = ResponseBodyReader.Fault

    /// The result of reading a body after which the connection was closed.
    private struct Reading: Equatable {
        var content = ""
        var isComplete = false
        var fault: Fault?
    }

    private func read(_ framing: ResponseFraming, _ pieces: [ArraySlice<UInt8>]) -> Reading {
        var reader = ResponseBodyReader(framing)
        var content: [UInt8] = []
        var reading = Reading()
        do throws(Fault) {
            for piece in pieces { try reader.read(piece.span) { run in content.append(run) } }
            reading.isComplete = reader.isComplete
            try reader.closed()
        } catch {
            reading.fault = error
        }
        reading.content = content.text
        return reading
    }

    @Test(
        "A whole body is told wherever it is cut",
        arguments: [
            (.none, "", "", true), (.length(0), "", "", true), (.length(5), "hello", "hello", true),
            (.chunked, "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n", "hello", true), (.untilClose, "", "", false),
            (.untilClose, "hello", "hello", false),
        ] as [(ResponseFraming, String, String, Bool)])
    func whole(framing: ResponseFraming, body: String, content: String, isComplete: Bool) {
        for pieces in cuts(of: body.bytes) {
            // If only closing ends the body, the reader does not know its end before.
            #expect(read(framing, pieces) == Reading(content: content, isComplete: isComplete, fault: nil))
        }
    }

    @Test(
        "A body that ends early is truncated, at whichever byte",
        arguments: [(.length(5), "hello"), (.chunked, "3\r\nabc\r\n0\r\nX: y\r\n\r\n")] as [(ResponseFraming, String)])
    func truncated(framing: ResponseFraming, body: String) {
        let bytes = body.bytes
        for end in bytes.indices { #expect(read(framing, [bytes[..<end]]).fault == .truncated, "\(end) bytes") }
    }

    @Test(
        "Bytes behind the end are too many; the body before them has been handed over",
        arguments: [
            (.none, "x", ""), (.length(0), "x", ""), (.length(5), "hello!", "hello"),
            (.chunked, "1\r\na\r\n0\r\n\r\n0", "a"),
        ] as [(ResponseFraming, String, String)])
    func excess(framing: ResponseFraming, body: String, content: String) {
        for pieces in cuts(of: body.bytes) {
            #expect(read(framing, pieces) == Reading(content: content, isComplete: false, fault: .excess))
        }
    }

    @Test("No bytes are not too many", arguments: [ResponseFraming.none, .length(0), .length(1), .chunked])
    func nothing(framing: ResponseFraming) throws {
        var reader = ResponseBodyReader(framing)
        try reader.read([UInt8]().span) { _ in Issue.record("content out of nothing") }
    }

    @Test(
        "What is wrong with the chunked coding is told",
        arguments: [
            ("x\r\n", .sizeIsNoNumber), ("1\r\nab", .lineEnding), ("0\r\nX\r\n", .badTrailer),
            ("1;\(String(repeating: "x", count: 300))", .lineTooLong),
            ("0\r\nX:\(String(repeating: "x", count: 9000))", .trailersTooLong),
        ] as [(String, ChunkedDecoder.Fault)])
    func broken(body: String, fault: ChunkedDecoder.Fault) {
        #expect(read(.chunked, [body.bytes[...]]).fault == .chunked(fault))
    }

    @Test("Trailers are there once the body is complete, of a chunked body only")
    func trailers() throws {
        var reader = ResponseBodyReader(.chunked)
        try reader.read("0\r\nX-Sum: 1\r\n\r\n".bytes.span) { _ in }
        #expect(reader.trailers.lines == ["X-Sum: 1"])
        var plain = ResponseBodyReader(.length(12))
        try plain.read("0\r\nX: 1\r\n\r\n".bytes.span) { _ in }
        #expect(plain.trailers.count == 0)
    }

    @Test("A length beyond any memory is followed")
    func hugeLength() {
        #expect(
            read(.length(.max), ["abc".bytes[...]]) == Reading(content: "abc", isComplete: false, fault: .truncated))
    }
}
