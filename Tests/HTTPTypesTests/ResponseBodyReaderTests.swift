import HTTPTypes
import Testing

/// A body is followed to its end, and a whole one told from a broken one.
@Suite struct ResponseBodyReaderTests {
    private static func read(
        _ framing: ResponseFraming, _ pieces: [String]
    ) throws(ResponseBodyReader.Fault) -> (content: String, reader: ResponseBodyReader) {
        var reader = ResponseBodyReader(framing)
        var content: [UInt8] = []
        for piece in pieces {
            let bytes = Array(piece.utf8)
            try reader.read(bytes.span) { content.append($0) }
        }
        return (String(decoding: content, as: UTF8.self), reader)
    }

    @Test func aLengthIsKept() throws {
        var (content, reader) = try Self.read(.length(5), ["hel"])
        #expect(content == "hel")
        #expect(!reader.isComplete)
        #expect(throws: ResponseBodyReader.Fault.truncated) { try reader.closed() }
        (content, reader) = try Self.read(.length(5), ["hel", "", "lo"])
        #expect(content == "hello")
        #expect(reader.isComplete)
        try reader.closed()
        #expect(throws: ResponseBodyReader.Fault.excess) { try Self.read(.length(5), ["hello!"]) }
        #expect(throws: ResponseBodyReader.Fault.excess) { try Self.read(.length(5), ["hello", "!"]) }
    }

    @Test func whatCameBeforeTheExcessIsPassedOn() {
        var reader = ResponseBodyReader(.length(5))
        var content: [UInt8] = []
        let bytes = Array("hello!".utf8)
        #expect(throws: ResponseBodyReader.Fault.excess) { try reader.read(bytes.span) { content.append($0) } }
        #expect(content == Array("hello".utf8))
    }

    @Test func noBodyIsNoBody() throws {
        let reader = try Self.read(.none, [""]).reader
        #expect(reader.isComplete)
        try reader.closed()
        #expect(throws: ResponseBodyReader.Fault.excess) { try Self.read(.none, ["x"]) }
        #expect(try Self.read(.length(0), []).reader.isComplete)
        #expect(throws: ResponseBodyReader.Fault.excess) { try Self.read(.length(0), ["x"]) }
    }

    @Test func aBodyUntilCloseEndsByClosing() throws {
        let (content, reader) = try Self.read(.untilClose, ["a", "b"])
        #expect(content == "ab")
        #expect(!reader.isComplete)
        try reader.closed()
    }

    @Test func theChunkedCodingIsTakenOff() throws {
        let (content, reader) = try Self.read(.chunked, ["1\r", "\na\r\n0\r\n", "T: 1\r\n\r\n"])
        #expect(content == "a")
        #expect(reader.isComplete)
        #expect(reader.trailers.count == 1)
        try reader.closed()
        #expect(throws: ResponseBodyReader.Fault.excess) { try Self.read(.chunked, ["0\r\n\r\nx"]) }
        #expect(throws: ResponseBodyReader.Fault.chunked(.sizeIsNoNumber)) { try Self.read(.chunked, ["z"]) }
        let broken = try Self.read(.chunked, ["1\r\na\r\n"]).reader
        #expect(throws: ResponseBodyReader.Fault.truncated) { try broken.closed() }
    }
}
