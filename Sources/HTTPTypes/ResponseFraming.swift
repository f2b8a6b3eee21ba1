/// How an upstream's answer says where its body ends (RFC 9112 §6.3).
package enum ResponseFraming: Sendable, Equatable {
    /// No body, whatever the fields say.
    case none
    /// Exactly this many bytes.
    case length(UInt64)
    /// The chunked coding.
    case chunked
    /// Until the connection is closed.
    case untilClose

    /// The same framing; spelt out so that other modules compare without a call.
    @inlinable package static func == (left: ResponseFraming, right: ResponseFraming) -> Bool {
        switch (left, right) {
        case (.none, .none), (.chunked, .chunked), (.untilClose, .untilClose): true
        case (.length(let left), .length(let right)): left == right
        default: false
        }
    }

    /// Why an answer's framing cannot be trusted: the request ends with 502 and the connection is never used again.
    package enum Fault: Error, Sendable, Equatable {
        case lengthAndTransferEncoding
        case severalLengths
        case lengthIsNoNumber
        case unknownTransferEncoding
    }

    /// Decides from the head of an answer to `method`.
    ///
    /// Stricter than RFC 9112 §6.3 where two readers could differ: Content-Length with Transfer-Encoding, several
    /// lengths and any coding but exactly `chunked` are faults.
    package static func of(_ head: ResponseHead, to method: Method) throws(Fault) -> ResponseFraming {
        var length: UInt64?
        var isChunked = false
        var index = 0
        while index < head.fields.count {
            switch head.fields.knownName(at: index) {
            case .contentLength:
                guard length == nil else { throw .severalLengths }
                guard let number = ContentLength.parse(head.fields.value(at: index)) else { throw .lengthIsNoNumber }
                length = number
            case .transferEncoding:
                guard !isChunked, head.fields.value(at: index).equalsIgnoringCase(ContentLength.chunked) else {
                    throw .unknownTransferEncoding
                }
                isChunked = true
            default: break
            }
            index += 1
        }
        if length != nil && isChunked { throw .lengthAndTransferEncoding }
        if head.hasNoBody(to: method) { return .none }
        if isChunked { return .chunked }
        if let length { return .length(length) }
        return .untilClose
    }
}

/// The value of Content-Length (RFC 9110 §8.6): digits only, no sign, no list.
package enum ContentLength {
    static let chunked = Array("chunked".utf8)

    /// The number, or nil where the value is anything but 1 to 19 digits.
    package static func parse(_ value: ArraySlice<UInt8>) -> UInt64? {
        guard !value.isEmpty, value.count <= 19 else { return nil }
        var number: UInt64 = 0
        for byte in value {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            number = number * 10 + UInt64(byte - UInt8(ascii: "0"))
        }
        return number
    }
}
