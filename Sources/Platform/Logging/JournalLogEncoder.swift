// SPDX-License-Identifier: Apache-2.0

internal import Encodings

/// An encoder for the native protocol of the systemd journal (systemd.io/JOURNAL_NATIVE_PROTOCOL), with one datagram
/// for each entry.
///
/// `MESSAGE` contains the message and its fields as text, because `journalctl` shows nothing else by default. Each
/// field is also sent separately as `VIBE_NAME`, so that it can be matched with `journalctl VIBE_PROJECT=demo`.
package struct JournalLogEncoder: Sendable {
    private static let prefix = "VIBE_"
    /// The maximum length of a field name that journald accepts. journald drops longer fields without a message.
    private static let longestName = 64
    private let identifier: String

    /// Creates an encoder.
    ///
    /// - Parameter identifier: The identifier that `journalctl -t` matches.
    package init(identifier: String) {
        self.identifier = identifier
    }

    /// Appends the bytes of one datagram. The journal adds its own timestamp.
    package mutating func encode(_ record: LogRecord, into output: inout [UInt8]) {
        output.append(contentsOf: "MESSAGE=".utf8)
        Self.appendValue(to: &output) { output in
            output.appendJournalText(record.message.utf8.span, record.message.utf8)
            TextLogEncoder.appendFields(record.fields, to: &output)
        }
        output.append(contentsOf: "PRIORITY=".utf8)
        Self.appendValue(to: &output) { $0.append(ASCII.zero + record.level.rawValue) }
        output.append(contentsOf: "SYSLOG_IDENTIFIER=".utf8)
        Self.appendValue(to: &output) { $0.append(contentsOf: identifier.utf8) }
        for field in record.fields {
            Self.appendName(field.name, to: &output)
            Self.appendValue(to: &output) { output in
                switch field.value {
                case .text(let text): output.appendJournalText(text.utf8.span, text.utf8)
                case .bytes(let bytes): output.appendJournalText(bytes.span, bytes)
                case .integer(let number): output.append(decimal: Int64(number))
                case .duration(let duration): output.append(milliseconds: duration)
                }
            }
        }
    }

    /// Appends a field's name, such as `VIBE_REQUEST_ID=` for `request_id`. journald allows only capital letters,
    /// digits and underscores.
    private static func appendName(_ name: String, to output: inout [UInt8]) {
        output.append(contentsOf: prefix.utf8)
        for byte in name.utf8.prefix(longestName - prefix.utf8.count) {
            switch byte {
            case 0x61...0x7A: output.append(byte - 0x20)
            case 0x30...0x39, 0x41...0x5A: output.append(byte)
            default: output.append(ASCII.underscore)
            }
        }
        output.append(ASCII.equals)
    }

    /// Appends the value after `NAME=`. If the value contains a line feed, uses the journal's binary format instead:
    /// name, line feed, length (64 bits, little-endian), value.
    private static func appendValue(to output: inout [UInt8], _ append: (inout [UInt8]) -> Void) {
        let start = output.count
        append(&output)
        if output[start...].contains(ASCII.newline) {
            let length = UInt64(output.count - start)
            output[start - 1] = ASCII.newline
            let bytes = stride(from: 0, to: 64, by: 8).map { UInt8(truncatingIfNeeded: length >> UInt64($0)) }
            output.insert(contentsOf: bytes, at: start)
        }
        output.append(ASCII.newline)
    }
}

extension [UInt8] {
    /// Appends bytes unescaped and shortens them if they are too long. The journal stores arbitrary bytes, and its
    /// clients escape them.
    ///
    /// - Parameter whole: The collection that `bytes` refers to, which is copied in one step.
    fileprivate mutating func appendJournalText(_ bytes: Span<UInt8>, _ whole: some Collection<UInt8>) {
        let count = LogValue.loggedCount(bytes)
        append(contentsOf: whole.prefix(count))
        if count < bytes.count { append(contentsOf: "…".utf8) }
    }
}
