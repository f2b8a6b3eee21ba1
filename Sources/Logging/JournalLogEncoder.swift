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
                case .integer(let number): output.appendDecimal(number)
                case .duration(let duration): output.appendMilliseconds(duration)
                }
            }
        }
    }

    /// `request_id` → `VIBE_REQUEST_ID=`: capital letters, digits and underscores are all that journald allows.
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

    /// The value behind `NAME=`. One with a line feed turns out to need the other form: name, line feed, length (64 bits,
    /// little-endian), value.
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
    /// Bytes as they are, cut where they are too long: the journal stores any byte and its readers escape them. `whole` is
    /// what `bytes` looks at, to be copied in one piece.
    fileprivate mutating func appendJournalText(_ bytes: Span<UInt8>, _ whole: some Collection<UInt8>) {
        let count = LogValue.loggedCount(bytes)
        append(contentsOf: whole.prefix(count))
        if count < bytes.count { append(contentsOf: "…".utf8) }
    }
}
