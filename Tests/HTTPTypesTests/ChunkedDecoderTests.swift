import HTTPTypes
import Testing

/// The chunked coding is taken off strictly (RFC 9112 §7.1), however the bytes are cut.
@Suite struct ChunkedDecoderTests {
    /// Decodes pieces; the content, and whether the end was read.
    private static func decode(_ pieces: [ArraySlice<UInt8>]) throws(ChunkedDecoder.Fault) -> (
        content: String, ended: Bool
    ) {
        var decoder = ChunkedDecoder()
        var content: [UInt8] = []
        for piece in pieces { try decoder.decode(Array(piece).span) { content.append($0) } }
        return (String(decoding: content, as: UTF8.self), decoder.isComplete)
    }

    private static func decode(_ text: String) throws(ChunkedDecoder.Fault) -> (content: String, ended: Bool) {
        try decode([Array(text.utf8)[...]])
    }

    private static let whole =
        "5\r\nhello\r\n00a ; x=\"y\"\r\n to all wo\r\n4;n\r\nrld\n\r\n0;last\r\nX-Sum: 1\r\nY: \r\n\r\n"

    @Test func theContentIsTheSameAtEverySplit() throws {
        let bytes = Array(Self.whole.utf8)
        for split in 0...bytes.count {
            let (content, ended) = try Self.decode([bytes[..<split], bytes[split...]])
            #expect(content == "hello to all world\n", "split at \(split)")
            #expect(ended)
        }
        let single = try Self.decode(bytes.indices.map { bytes[$0...$0] })
        #expect(single.content == "hello to all world\n")
        #expect(single.ended)
    }

    @Test func noPrefixIsWhole() throws {
        let bytes = Array(Self.whole.utf8)
        for end in 0..<bytes.count {
            let (content, ended) = try Self.decode([bytes[..<end]])
            #expect(!ended, "the first \(end) bytes")
            #expect("hello to all world\n".hasPrefix(content))
        }
    }

    @Test func trailersAreKept() throws {
        var decoder = ChunkedDecoder()
        let bytes = Array(Self.whole.utf8)
        try decoder.decode(bytes.span) { _ in }
        #expect(decoder.trailers.count == 2)
        #expect(decoder.trailers.name(at: 0).elementsEqual("X-Sum".utf8))
        #expect(decoder.trailers.value(at: 0).elementsEqual("1".utf8))
        #expect(decoder.trailers.value(at: 1).isEmpty)
    }

    private static let broken: [(text: String, why: ChunkedDecoder.Fault)] = [
        ("\r\n", .sizeIsNoNumber), ("zz\r\n", .sizeIsNoNumber), ("-1\r\n", .sizeIsNoNumber),
        ("+1\r\n", .sizeIsNoNumber),
        (" 1\r\n", .sizeIsNoNumber), ("0x1\r\n", .sizeIsNoNumber), (";x\r\n", .sizeIsNoNumber),
        ("11111111111111111\r\n", .sizeIsNoNumber), ("1\n", .lineEnding), ("1\ra", .lineEnding), ("1;x\n", .lineEnding),
        ("1;\u{0}\r\n", .lineEnding), ("1\r\naX", .lineEnding), ("1\r\na\n", .lineEnding), ("1\r\na\rb", .lineEnding),
        ("0\r\n\n", .lineEnding), ("0\r\nA: b\n", .lineEnding), ("0\r\n\r\nx", .excess), ("0\r\n\r\n\r\n", .excess),
        ("0\r\nA\r\n", .badTrailer), ("0\r\n: b\r\n", .badTrailer), ("0\r\nA : b\r\n", .badTrailer),
        ("0\r\n A: b\r\n", .badTrailer), ("0\r\nA: b\u{0}\r\n", .badTrailer),
        ("1;\(String(repeating: "x", count: 300))\r\n", .lineTooLong),
        ("0\r\nA: \(String(repeating: "x", count: 9000))\r\n", .trailersTooLong),
        ("0\r\n\(String(repeating: "A: 123456\r\n", count: 1000))", .trailersTooLong),
    ]

    @Test func whatBreaksTheCodingIsAFaultAtEverySplit() {
        for (text, why) in Self.broken {
            let bytes = Array(text.utf8)
            for split in [0, 1, 2, bytes.count / 2, bytes.count] where split <= bytes.count {
                #expect(throws: why, "\(text.prefix(20).debugDescription) at \(split)") {
                    try Self.decode([bytes[..<split], bytes[split...]])
                }
            }
        }
    }

    @Test func theLargestSizeIsTaken() throws {
        #expect(try Self.decode("ffffffffffffffff\r\nabc").content == "abc")
    }
}
