import HTTPTypes
import Testing

/// How a request's body is framed, decided only where no other reader could see it differently.
@Suite struct RequestFramingTests {
    private static func framing(
        _ fields: [(String, String)], version: Version = .http11, method: String = "POST", target: String = "/"
    ) throws(RequestFraming.Refusal) -> RequestFraming {
        var head = RequestHead()
        head.methodName = method
        head.method = Method(name: method)
        head.target = Array(target.utf8)
        head.version = version
        for (name, value) in fields { head.fields.append(name, value) }
        return try RequestFraming.of(head)
    }

    private static let host = ("Host", "x")

    @Test func theProperFramings() throws {
        #expect(try Self.framing([Self.host]) == .none)
        #expect(try Self.framing([Self.host, ("Content-Length", "0")]) == .none)
        #expect(try Self.framing([Self.host, ("content-LENGTH", "17")]) == .length(17))
        #expect(try Self.framing([Self.host, ("Content-Length", "000017")]) == .length(17))
        #expect(
            try Self.framing([Self.host, ("Content-Length", "9999999999999999999")])
                == .length(9_999_999_999_999_999_999))
        #expect(try Self.framing([Self.host, ("Transfer-Encoding", "Chunked")]) == .chunked)
        #expect(try Self.framing([], version: .http10) == .none)
        #expect(try Self.framing([("Content-Length", "5")], version: .http10) == .length(5))
    }

    private static let refused: [(fields: [(String, String)], why: RequestFraming.Refusal)] = [
        ([("Content-Length", "5"), ("Transfer-Encoding", "chunked")], .lengthAndTransferEncoding),
        ([("Transfer-Encoding", "chunked"), ("Content-Length", "5")], .lengthAndTransferEncoding),
        ([("Content-Length", "0"), ("Transfer-Encoding", "chunked")], .lengthAndTransferEncoding),
        ([("Content-Length", "5"), ("Content-Length", "5")], .severalLengths),
        ([("Content-Length", "5"), ("content-length", "6")], .severalLengths),
        ([("Content-Length", "5, 5")], .lengthIsNoNumber), ([("Content-Length", "")], .lengthIsNoNumber),
        ([("Content-Length", "+5")], .lengthIsNoNumber), ([("Content-Length", "-5")], .lengthIsNoNumber),
        ([("Content-Length", "0x5")], .lengthIsNoNumber), ([("Content-Length", "5 ")], .lengthIsNoNumber),
        ([("Content-Length", "5.0")], .lengthIsNoNumber),
        ([("Content-Length", "10000000000000000000")], .lengthIsNoNumber),
        ([("Transfer-Encoding", "gzip, chunked")], .unknownTransferEncoding),
        ([("Transfer-Encoding", "chunked, chunked")], .unknownTransferEncoding),
        ([("Transfer-Encoding", "chunked"), ("Transfer-Encoding", "chunked")], .unknownTransferEncoding),
        ([("Transfer-Encoding", "xchunked")], .unknownTransferEncoding),
        ([("Transfer-Encoding", "identity")], .unknownTransferEncoding),
        ([("Transfer-Encoding", "")], .unknownTransferEncoding),
        ([("Transfer-Encoding", "chunked;x=y")], .unknownTransferEncoding), ([("Host", "y")], .severalHosts),
        ([("Transfer-Encoding ", "chunked")], .badFieldName), ([("", "x")], .badFieldName),
        ([("A B", "x")], .badFieldName), ([("A\u{0}", "x")], .badFieldName), ([("caf\u{e9}", "x")], .badFieldName),
        ([("A", "x\u{0}")], .badFieldValue), ([("A", "x\ry")], .badFieldValue), ([("A", "x\ny")], .badFieldValue),
        ([("A", "x\u{7f}")], .badFieldValue), ([("A", "\u{1b}x")], .badFieldValue),
    ]

    @Test func whatCouldBeReadInTwoWaysIsRefused() {
        for (fields, why) in Self.refused {
            #expect(throws: why, "\(fields)") { try Self.framing([Self.host] + fields) }
        }
    }

    @Test func theHostIsNeededFromHTTP11On() {
        #expect(throws: RequestFraming.Refusal.missingHost) { try Self.framing([]) }
        #expect(throws: RequestFraming.Refusal.severalHosts) {
            try Self.framing([Self.host, Self.host], version: .http10)
        }
    }

    @Test func aTransferCodingIsNoPartOfHTTP10() {
        #expect(throws: RequestFraming.Refusal.transferEncodingInHTTP10) {
            try Self.framing([("Transfer-Encoding", "chunked")], version: .http10)
        }
    }

    @Test func methodsAreTokensAndTargetsHoldNoControls() throws {
        for method in ["", "GE T", "GET\t", "G(T", "\u{e9}"] {
            #expect(throws: RequestFraming.Refusal.badMethod) { try Self.framing([Self.host], method: method) }
        }
        for target in ["", "/a b", "/\u{0}", "/\t", "/\u{7f}"] {
            #expect(throws: RequestFraming.Refusal.badTarget) { try Self.framing([Self.host], target: target) }
        }
        #expect(try Self.framing([Self.host], method: "M-SEARCH!", target: "/%00?caf\u{e9}") == .none)
    }

    @Test func bytesAbove127AndTabsMayStandInValues() throws {
        #expect(try Self.framing([Self.host, ("A", "caf\u{e9}\tx")]) == .none)
    }
}
