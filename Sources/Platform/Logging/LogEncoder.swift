// SPDX-License-Identifier: Apache-2.0

/// An encoder for log records in one of the three formats.
///
/// The encoder uses three optionals instead of an enum, so that each format's encoder can be mutated in place. In
/// addition, Leak Sanitizer does not find pointers inside enum payloads.
package struct LogEncoder: Sendable {
    private var text: TextLogEncoder?
    private var json: JSONLogEncoder?
    private var journal: JournalLogEncoder?

    /// Creates the encoder for a format.
    ///
    /// - Parameter identifier: The program's name in the journal.
    package init(_ format: LogFormat, identifier: String) {
        switch format {
        case .text: text = TextLogEncoder()
        case .json: json = JSONLogEncoder()
        case .journal: journal = JournalLogEncoder(identifier: identifier)
        }
    }

    private init() {}

    /// Returns an encoder for human-readable lines.
    package static func text(_ encoder: TextLogEncoder) -> LogEncoder {
        var result = LogEncoder()
        result.text = encoder
        return result
    }

    /// Returns an encoder for machine-readable lines.
    package static func json(_ encoder: JSONLogEncoder) -> LogEncoder {
        var result = LogEncoder()
        result.json = encoder
        return result
    }

    /// Appends the bytes of one record. The method is `mutating`, because encoders cache the text of the last
    /// timestamp.
    package mutating func encode(_ record: LogRecord, into output: inout [UInt8]) {
        text?.encode(record, into: &output)
        json?.encode(record, into: &output)
        journal?.encode(record, into: &output)
    }
}
