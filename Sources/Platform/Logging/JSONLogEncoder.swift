// SPDX-License-Identifier: Apache-2.0

internal import Encodings

/// An encoder for machine-readable log lines. Each line is one JSON object that begins with `time` (RFC 3339, UTC),
/// `level` and `message`, followed by the fields.
///
///     {"time":"2026-11-21T17:04:05.123Z","level":"info","message":"request","status":200}
package struct JSONLogEncoder: Sendable {
    private var timestamp = Timestamp(separator: ASCII.upperT)

    /// Creates an encoder without a cached timestamp.
    package init() {}

    /// Appends one object and a line feed.
    package mutating func encode(_ record: LogRecord, into output: inout [UInt8]) {
        output.append(contentsOf: #"{"time":""#.utf8)
        timestamp.append(record.time, to: &output)
        output.append(contentsOf: #"Z","level":""#.utf8)
        output.append(contentsOf: record.level.name.utf8)
        output.append(contentsOf: #"","message":"#.utf8)
        output.appendJSONString(record.message.utf8.span, record.message.utf8)
        for field in record.fields {
            output.append(ASCII.comma)
            output.append(ASCII.quote)
            output.appendName(field.name)
            if Self.isReserved(field.name) { output.append(ASCII.underscore) }
            output.append(ASCII.quote)
            output.append(ASCII.colon)
            switch field.value {
            case .text(let text): output.appendJSONString(text.utf8.span, text.utf8)
            case .bytes(let bytes): output.appendJSONString(bytes.span, bytes)
            case .integer(let number): output.append(decimal: Int64(number))
            case .duration(let duration): output.append(milliseconds: duration)
            }
        }
        output.append(ASCII.closeBrace)
        output.append(ASCII.newline)
    }

    /// Returns whether every line already has a member with this name. If a field has such a name, the encoder appends
    /// a `_` to it.
    private static func isReserved(_ name: String) -> Bool {
        switch name.utf8.count {
        case 4: name == "time"
        case 5: name == "level"
        case 7: name == "message"
        default: false
        }
    }
}
