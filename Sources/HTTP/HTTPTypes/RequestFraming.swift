// SPDX-License-Identifier: Apache-2.0

/// The way in which a request delimits its body. The framing is determined once, and only if no other implementation
/// could interpret the head differently (RFC 9112 §6, §11.2: request smuggling).
package enum RequestFraming: Sendable, Equatable {
    /// The request has no body.
    case none
    /// The body has exactly this number of bytes, which is at least 1.
    case length(UInt64)
    /// The body has the chunked transfer coding.
    case chunked

    /// Returns whether two framings are equal. The explicit implementation allows other modules to inline the
    /// comparison.
    @inlinable package static func == (left: RequestFraming, right: RequestFraming) -> Bool {
        switch (left, right) {
        case (.none, .none), (.chunked, .chunked): true
        case (.length(let left), .length(let right)): left == right
        default: false
        }
    }

    /// The reasons for rejecting a head. The connection is closed, because the start of the next request is unknown.
    package enum FramingError: String, Error, Sendable, Equatable {
        case lengthAndTransferEncoding = "A request must not have both Content-Length and Transfer-Encoding."
        case severalLengths = "A request must have only one Content-Length field."
        case lengthIsNoNumber = "Content-Length must be a decimal number."
        case lengthTooLarge = "Content-Length must be below 2^63. Send the body in parts, or correct the field."
        case unknownTransferEncoding = "Transfer-Encoding must be exactly \"chunked\". No other coding is supported."
        case transferEncodingInHTTP10 = "An HTTP/1.0 request must not have Transfer-Encoding."
        case missingHost = "An HTTP/1.1 request must have a Host field."
        case severalHosts = "A request must have only one Host field."
        case badHost = "The Host field must be a host name or address, optionally with a port."
        case badFieldName = "A field name contains a forbidden character."
        case badFieldValue = "A field value contains a control character."
        case badTarget = "The request target contains a forbidden character."
        case badMethod = "The method contains a forbidden character."
        case badLineEnding = "Every line of a request head must end with CR LF, and no line may be folded."

        /// The status of the response: 413 for a length that is impossible to send (RFC 9110 §15.5.14), and 400
        /// otherwise.
        package var status: Int { self == .lengthTooLarge ? 413 : 400 }
    }

    /// Validates a whole head, including its characters, and returns the body's framing.
    package static func of(_ head: RequestHead) throws(FramingError) -> RequestFraming {
        guard head.method != .other || isToken(head.methodName.utf8) else { throw .badMethod }
        let target = head.target
        let fields = head.fields
        guard !target.isEmpty, target.span.isTargetContent else { throw .badTarget }
        var length: UInt64?
        var isChunked = false
        var hosts = 0
        for index in 0..<fields.count {
            try checkCharacters(of: fields, at: index)
            switch fields.knownName(at: index) {
            case .host:
                hosts += 1
                guard HostValue.isValid(fields.value(at: index)) else { throw .badHost }
            case .contentLength:
                guard length == nil else { throw .severalLengths }
                length = try Self.length(fields.value(at: index))
            case .transferEncoding:
                guard !isChunked, fields.value(at: index).equalsIgnoringCase(ContentLength.chunked) else {
                    throw .unknownTransferEncoding
                }
                isChunked = true
            default: break
            }
        }
        if hosts > 1 { throw .severalHosts }
        if hosts == 0 && head.version == .http11 { throw .missingHost }
        if isChunked {
            if length != nil { throw .lengthAndTransferEncoding }
            if head.version == .http10 { throw .transferEncodingInHTTP10 }
            return .chunked
        }
        return length.map { $0 == 0 ? .none : .length($0) } ?? .none
    }

    /// Returns the announced length.
    ///
    /// A length of 2^63 or more exceeds every possible body. Many implementations count in 63 bits, and a recipient
    /// would wait forever for the end of such a body. A number of any size is recognised as a number (RFC 9110 §8.6).
    private static func length(_ value: ArraySlice<UInt8>) throws(FramingError) -> UInt64 {
        guard let number = ContentLength.parse(value) else {
            let isLarge = value.count > 19 && value.first != UInt8(ascii: "0") && value.allSatisfy { 0x30...0x39 ~= $0 }
            throw isLarge ? .lengthTooLarge : .lengthIsNoNumber
        }
        guard number <= UInt64(Int64.max) else { throw .lengthTooLarge }
        return number
    }

    /// Checks that names are tokens and that values contain no control character except HTAB (RFC 9110 §5.1, §5.5).
    private static func checkCharacters(of fields: FieldList, at index: Int) throws(FramingError) {
        guard fields.knownName(at: index).isWhole || isToken(fields.name(at: index)) else { throw .badFieldName }
        guard fields.withValue(at: index, { $0.isFieldContent }) else { throw .badFieldValue }
    }

    /// Returns whether the name is a token. Known names need no check.
    private static func isToken(_ name: some Collection<UInt8>) -> Bool {
        !name.isEmpty && name.allSatisfy(\.isTokenCharacter)
    }
}
