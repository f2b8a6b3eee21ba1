/// Entries of the systemd journal in its native protocol (systemd.io/JOURNAL_NATIVE_PROTOCOL): one datagram an entry.
///
/// `MESSAGE` is the message with its fields as text, because `journalctl` shows nothing else by default; each field
/// also stands on its own as `VIBE_NAME`, to be matched with `journalctl VIBE_PROJECT=demo`.
package struct JournalLogEncoder: Sendable {
    private static let prefix = "VIBE_"
    /// The longest field name that journald takes; longer ones it drops without a word.
    private static let longestName = 64
    private let identifier: String

    /// `identifier` is what `journalctl -t` asks for.
    package init(identifier: String) {
        self.identifier = identifier
    }

    /// Appends one datagram's bytes. The journal puts its own time on it.
    package mutating func encode(_ record: LogRecord, into output: inout [UInt8]) {
        var message: [UInt8] = []
        message.appendJournalValue(record.message.utf8.span)
        TextLogEncoder.appendFields(record.fields, to: &message)
        Self.append("MESSAGE", message.span, to: &output)
        Self.append("PRIORITY", [ASCII.zero + record.level.rawValue].span, to: &output)
        Self.append("SYSLOG_IDENTIFIER", identifier.utf8.span, to: &output)
        for field in record.fields {
            var value: [UInt8] = []
            switch field.value {
            case .text(let text): value.appendJournalValue(text.utf8.span)
            case .bytes(let bytes): value.appendJournalValue(bytes.span)
            case .integer(let number): value.appendDecimal(number)
            case .duration(let duration): value.appendMilliseconds(duration)
            }
            Self.append(Self.name(field.name), value.span, to: &output)
        }
    }

    /// `request_id` → `VIBE_REQUEST_ID`: capital letters, digits and underscores are all that journald allows.
    private static func name(_ name: String) -> String {
        let letters = name.utf8.prefix(longestName - prefix.utf8.count).map { byte in
            switch byte {
            case 0x61...0x7A: byte - 0x20
            case 0x30...0x39, 0x41...0x5A: byte
            default: ASCII.underscore
            }
        }
        return prefix + String(decoding: letters, as: UTF8.self)
    }

    /// One field: `NAME=value`, or where the value has a line feed the name, its length (64 bits, little-endian) and the value.
    private static func append(_ name: String, _ value: Span<UInt8>, to output: inout [UInt8]) {
        output.append(contentsOf: name.utf8)
        if value.contains(ASCII.newline) {
            output.append(ASCII.newline)
            let length = UInt64(value.count)
            for shift in stride(from: 0, to: 64, by: 8) {
                output.append(UInt8(truncatingIfNeeded: length >> UInt64(shift)))
            }
        } else {
            output.append(ASCII.equals)
        }
        output.append(value, 0..<value.count)
        output.append(ASCII.newline)
    }
}

extension Span<UInt8> {
    fileprivate func contains(_ byte: UInt8) -> Bool {
        for index in indices where self[index] == byte { return true }
        return false
    }
}

extension [UInt8] {
    /// Bytes as they are, cut where they are too long: the journal stores any byte and its readers escape them.
    fileprivate mutating func appendJournalValue(_ bytes: Span<UInt8>) {
        let count = LogValue.loggedCount(bytes)
        append(bytes, 0..<count)
        if count < bytes.count { append(contentsOf: "…".utf8) }
    }
}
