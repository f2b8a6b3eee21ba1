// SPDX-License-Identifier: Apache-2.0

internal import Encodings

/// An encoder for log lines that a user reads in a terminal. A line contains the local time, the level unless it is
/// info, the message, and each field as `name=value`.
///
///     2026-11-21 18:04:05.123 warning: reader stalled project=demo bytes=4194304
package struct TextLogEncoder: Sendable {
    private var timestamp = Timestamp(separator: ASCII.space)
    private let offset: @Sendable (Int64) -> Int64

    /// Creates an encoder.
    ///
    /// - Parameter offset: Returns the offset of local time from UTC in seconds for a time in seconds since 1970.
    package init(offset: @escaping @Sendable (Int64) -> Int64 = WallClock.localOffset) {
        self.offset = offset
    }

    /// Appends one line and a line feed.
    package mutating func encode(_ record: LogRecord, into output: inout [UInt8]) {
        timestamp.append(record.time, offset: offset, to: &output)
        output.append(ASCII.space)
        if record.level != .info {
            output.append(contentsOf: record.level.name.utf8)
            output.append(ASCII.colon)
            output.append(ASCII.space)
        }
        output.appendTextMessage(record.message.utf8.span)
        Self.appendFields(record.fields, to: &output)
        output.append(ASCII.newline)
    }

    /// Appends ` name=value` for each field.
    static func appendFields(_ fields: [LogField], to output: inout [UInt8]) {
        for field in fields {
            output.append(ASCII.space)
            output.appendName(field.name)
            output.append(ASCII.equals)
            switch field.value {
            case .text(let text): output.appendTextValue(text.utf8.span, text.utf8)
            case .bytes(let bytes): output.appendTextValue(bytes.span, bytes)
            case .integer(let number): output.append(decimal: Int64(number))
            case .duration(let duration): output.append(milliseconds: duration)
            }
        }
    }
}
