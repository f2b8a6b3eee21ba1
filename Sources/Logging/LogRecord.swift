/// One log line before it is encoded.
package struct LogRecord: Sendable, Equatable {
    /// Wall-clock time in nanoseconds since 1970-01-01 00:00 UTC.
    package var time: Int64
    /// How grave it is.
    package var level: LogLevel
    /// One sentence or phrase for a person, without the values that are fields.
    package var message: String
    /// Named values in the order in which they are written.
    package var fields: [LogField]

    /// A record of that moment.
    package init(time: Int64, level: LogLevel, message: String, fields: [LogField] = []) {
        self.time = time
        self.level = level
        self.message = message
        self.fields = fields
    }
}

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

/// How grave a log line is. The raw values are syslog's priorities (syslog(3), RFC 5424 §6.2.1): smaller is graver.
package enum LogLevel: UInt8, Sendable, CaseIterable, Comparable {
    case error = 3
    case warning = 4
    case notice = 5
    case info = 6
    case debug = 7

    /// The level's name as settings and log lines spell it, such as `warning`.
    package var name: String {
        switch self {
        case .error: "error"
        case .warning: "warning"
        case .notice: "notice"
        case .info: "info"
        case .debug: "debug"
        }
    }

    /// The level of that name; nil for any other word.
    package init?(name: some StringProtocol) {
        guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = level
    }

    /// Less means less grave: `.debug < .error`.
    package static func < (left: LogLevel, right: LogLevel) -> Bool {
        left.rawValue > right.rawValue
    }
}

/// Where log records go. `write` is called on any thread, loops of the data plane included: it must not wait for I/O.
package protocol LogSink: Sendable {
    /// Takes one record.
    func write(_ record: LogRecord)
}
