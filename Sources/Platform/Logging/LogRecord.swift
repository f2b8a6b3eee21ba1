// SPDX-License-Identifier: Apache-2.0

/// A log line before it is encoded.
package struct LogRecord: Sendable, Equatable {
    /// The wall-clock time in nanoseconds since 1970-01-01 00:00 UTC.
    package var time: Int64
    /// The severity of the record.
    package var level: LogLevel
    /// A human-readable sentence or phrase, which does not repeat the values of the fields.
    package var message: String
    /// The named values, in the order in which they are written.
    package var fields: [LogField]

    /// Creates a record with the given time, severity, message and fields.
    package init(time: Int64, level: LogLevel, message: String, fields: [LogField] = []) {
        self.time = time
        self.level = level
        self.message = message
        self.fields = fields
    }
}

/// A named value of a log line.
package struct LogField: Sendable, Equatable {
    /// The name in lower case with underscores, such as `request_id`. The encoders replace any other character with
    /// `_`.
    package let name: String
    /// The value that is logged under the name.
    package let value: LogValue

    /// Creates a field with a value of any kind.
    package init(_ name: String, _ value: LogValue) {
        self.name = name
        self.value = value
    }

    /// Creates a field with a text value.
    package init(_ name: String, _ value: String) {
        self.init(name, .text(value))
    }

    /// Creates a field with a whole number.
    package init(_ name: String, _ value: some BinaryInteger) {
        self.init(name, .integer(Int(clamping: value)))
    }
}

/// The value of a log field. Texts and bytes may come from outside the gateway, so the encoders escape them.
package enum LogValue: Sendable, Equatable {
    /// A text from the gateway or from outside.
    case text(String)
    /// Untrusted bytes that are not necessarily valid UTF-8, such as a request's path.
    case bytes(ArraySlice<UInt8>)
    /// A whole number in decimal digits.
    case integer(Int)
    /// A duration, written in milliseconds with three decimals. The name of its field ends in `_ms`.
    case duration(Duration)
}

extension LogValue {
    /// The maximum size of one logged value or message in bytes. The encoders shorten a longer value and append `…`.
    package static let longest = 16 * 1024

    /// Returns the number of bytes to log: all bytes, or as many as fit without splitting a character.
    static func loggedCount(_ bytes: Span<UInt8>) -> Int {
        guard bytes.count > longest else { return bytes.count }
        var count = longest
        while count > longest - 4, bytes[count] & 0xC0 == 0x80 { count -= 1 }
        return count
    }
}

/// The severity of a log line. The raw values are syslog's priorities (syslog(3), RFC 5424 §6.2.1): a smaller value is
/// more severe.
package enum LogLevel: UInt8, Sendable, CaseIterable, Comparable {
    case error = 3
    case warning = 4
    case notice = 5
    case info = 6
    case debug = 7

    /// The level's name in settings and log lines, such as `warning`.
    package var name: String {
        switch self {
        case .error: "error"
        case .warning: "warning"
        case .notice: "notice"
        case .info: "info"
        case .debug: "debug"
        }
    }

    /// Creates the level with this name; nil for any other word.
    package init?(name: some StringProtocol) {
        guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = level
    }

    /// Returns whether the left level is less severe than the right one: `.debug < .error`.
    package static func < (left: LogLevel, right: LogLevel) -> Bool {
        left.rawValue > right.rawValue
    }
}

/// A destination for log records. Any thread may call `write`, including the event loops of the data plane. `write`
/// must not wait for I/O.
package protocol LogSink: Sendable {
    /// Writes one record without waiting for I/O.
    func write(_ record: LogRecord)
}
