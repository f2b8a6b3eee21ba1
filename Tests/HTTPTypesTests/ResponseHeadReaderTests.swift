import HTTPTypes
import Testing

/// An answer's head out of its lines: interim ones dropped, broken ones refused.
@Suite struct ResponseHeadReaderTests {
    private enum Outcome: Equatable {
        case complete(Int, [String])
        case switching(Int)
        case unfinished
    }

    /// What the reader makes of a text, and how many interim heads it has dropped.
    private static func read(_ text: String) throws(ResponseHeadReader.Fault) -> (outcome: Outcome, interim: Int) {
        var reader = ResponseHeadReader()
        var interim = 0
        var line: [UInt8] = []
        for byte in text.utf8 {
            line.append(byte)
            guard byte == UInt8(ascii: "\n") else { continue }
            switch try reader.read(line: line.span) {
            case .needsMore: break
            case .interim: interim += 1
            case .complete(let head): return (.complete(head.status, fields(head)), interim)
            case .switching(let head): return (.switching(head.status), interim)
            }
            line = []
        }
        return (.unfinished, interim)
    }

    private static func fields(_ head: ResponseHead) -> [String] {
        (0..<head.fields.count).map {
            "\(String(decoding: head.fields.name(at: $0), as: UTF8.self))=\(String(decoding: head.fields.value(at: $0), as: UTF8.self))"
        }
    }

    @Test func aHeadIsReadAsItCame() throws {
        let (outcome, interim) = try Self.read("HTTP/1.1 200 OK\r\nA: b\r\nempty:\r\nX:  c d \t\r\na:e\r\n\r\n")
        #expect(outcome == .complete(200, ["A=b", "empty=", "X=c d", "a=e"]))
        #expect(interim == 0)
    }

    @Test(arguments: ["HTTP/1.1 200", "HTTP/1.1 200 ", "HTTP/1.0 200 Fine", "HTTP/1.1 200 a b\u{e9}"])
    func theReasonMayBeAnything(line: String) throws {
        #expect(try Self.read("\(line)\r\n\r\n").outcome == .complete(200, []))
    }

    @Test func interimHeadsAreDroppedWithTheirFields() throws {
        let text = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 201 Made\r\nA: b\r\n\r\n"
        let (outcome, interim) = try Self.read(text)
        #expect(outcome == .complete(201, ["A=b"]))
        #expect(interim == 2)
    }

    @Test func a101SwitchesProtocols() throws {
        #expect(try Self.read("HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n").outcome == .switching(101))
    }

    @Test func theVersionIsKept() throws {
        for (line, isHTTP10) in [("HTTP/1.0 200 OK\r\n", true), ("HTTP/1.1 200 OK\r\n", false)] {
            var reader = ResponseHeadReader()
            let bytes = Array(line.utf8)
            _ = try reader.read(line: bytes.span)
            #expect(reader.isHTTP10 == isHTTP10)
        }
    }

    private static let broken: [(text: String, why: ResponseHeadReader.Fault)] = [
        ("HTTP/2.0 200 OK\r\n", .badStatusLine), ("HTTP/1.2 200 OK\r\n", .badStatusLine),
        ("http/1.1 200 OK\r\n", .badStatusLine), ("HTTP/1.1 20 OK\r\n", .badStatusLine),
        ("HTTP/1.1 2000 OK\r\n", .badStatusLine), ("HTTP/1.1 099 OK\r\n", .badStatusLine),
        ("HTTP/1.1 2x0 OK\r\n", .badStatusLine), ("HTTP/1.1  200 OK\r\n", .badStatusLine),
        ("HTTP/1.1 200OK\r\n", .badStatusLine), ("HTTP/1.1\r\n", .badStatusLine), ("\r\n", .badStatusLine),
        ("HTTP/1.1 200 OK\n", .badLineEnding), ("HTTP/1.1 200 OK\r\nA: b\n", .badLineEnding),
        ("HTTP/1.1 200 OK\r\n\n", .badLineEnding), ("HTTP/1.1 200 OK\r\nA: b\r\n c\r\n", .foldedLine),
        ("HTTP/1.1 200 OK\r\n\tA: b\r\n", .foldedLine), ("HTTP/1.1 200 OK\r\nA b: c\r\n", .badField),
        ("HTTP/1.1 200 OK\r\nA : c\r\n", .badField), ("HTTP/1.1 200 OK\r\n: c\r\n", .badField),
        ("HTTP/1.1 200 OK\r\nA\r\n", .badField), ("HTTP/1.1 200 OK\r\nA: b\rc\r\n", .badField),
        ("HTTP/1.1 200 OK\r\nA: b\u{0}\r\n", .badField), ("HTTP/1.1 200 OK\r\nA: b\u{7f}\r\n", .badField),
        ("HTTP/1.1 200 OK\r\nA\u{e9}: b\r\n", .badField),
    ]

    @Test func brokenLinesAreRefused() {
        for (text, why) in Self.broken {
            #expect(throws: why, "\(text.debugDescription)") { try Self.read(text) }
        }
    }

    @Test func aHeadHasALargestSizeInterimOnesIncluded() throws {
        let field = "X: \(String(repeating: "a", count: 1000))\r\n"
        let head = "HTTP/1.1 200 OK\r\n"
        #expect(try Self.read(head + String(repeating: field, count: 60) + "\r\n").outcome != .unfinished)
        #expect(throws: ResponseHeadReader.Fault.tooLarge) { try Self.read(head + String(repeating: field, count: 70)) }
        #expect(throws: ResponseHeadReader.Fault.tooLarge) {
            try Self.read(String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 3000))
        }
    }
}
