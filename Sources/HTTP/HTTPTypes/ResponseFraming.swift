// SPDX-License-Identifier: Apache-2.0

/// The way in which an upstream response delimits its body (RFC 9112 §6.3).
package enum ResponseFraming: Sendable, Equatable {
    /// The response has no body, regardless of the body that its fields announce.
    case none
    /// Exactly this number of bytes follows the head.
    case length(UInt64)
    /// The body has the chunked transfer coding.
    case chunked
    /// The body ends when the connection is closed.
    case untilClose

    /// Returns whether two framings are equal. The explicit implementation allows other modules to inline the
    /// comparison.
    @inlinable package static func == (left: ResponseFraming, right: ResponseFraming) -> Bool {
        switch (left, right) {
        case (.none, .none), (.chunked, .chunked), (.untilClose, .untilClose): true
        case (.length(let left), .length(let right)): left == right
        default: false
        }
    }

    /// The reasons why a response's framing is not trustworthy. The request ends with 502 and the connection is never
    /// reused.
    package enum Fault: Error, Sendable, Equatable {
        case lengthAndTransferEncoding
        case severalLengths
        case lengthIsNoNumber
        case unknownTransferEncoding
    }

    /// Determines the framing from the head of a response to `method`.
    ///
    /// The method is stricter than RFC 9112 §6.3 where two implementations could disagree. Content-Length with
    /// Transfer-Encoding, several lengths, and any coding other than exactly `chunked` are faults.
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

/// Parses the value of Content-Length (RFC 9110 §8.6): digits only, without a sign or a list.
package enum ContentLength {
    static let chunked = Array("chunked".utf8)

    /// Returns the number; nil if the value is anything but 1 to 19 digits.
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
