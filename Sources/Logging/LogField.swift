/// One named value of a log line.
package struct LogField: Sendable, Equatable {
    /// Lower case with underscores, such as `request_id`; any other character is written as `_`.
    package let name: String
    /// What is logged under the name.
    package let value: LogValue

    /// A field of any kind of value.
    package init(_ name: String, _ value: LogValue) {
        self.name = name
        self.value = value
    }

    /// A field of text.
    package init(_ name: String, _ value: String) {
        self.init(name, .text(value))
    }

    /// A field that holds a whole number.
    package init(_ name: String, _ value: some BinaryInteger) {
        self.init(name, .integer(Int(clamping: value)))
    }
}

/// What a log field can hold. Bytes and text may come from outside: the encoders escape them.
package enum LogValue: Sendable, Equatable {
    /// Text of the gateway's own or from outside.
    case text(String)
    /// Bytes from outside that should be UTF-8 but need not be, such as a request's path.
    case bytes(ArraySlice<UInt8>)
    /// A whole number.
    case integer(Int)
    /// A span of time, written as milliseconds with three decimals; its field's name ends in `_ms`.
    case duration(Duration)
}

extension LogValue {
    /// Bytes of one value or message that are logged at most; the rest is cut and `…` takes its place.
    package static let longest = 16 * 1024

    /// How many of `bytes` are logged: all, or as many as fit without cutting a character in two.
    static func loggedCount(_ bytes: Span<UInt8>) -> Int {
        guard bytes.count > longest else { return bytes.count }
        var count = longest
        while count > longest - 4, bytes[count] & 0xC0 == 0x80 { count -= 1 }
        return count
    }
}
