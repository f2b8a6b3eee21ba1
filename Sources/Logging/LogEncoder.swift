/// How records become bytes: one of the three formats.
///
/// One of three optionals, not an enum: each encodes in its place, without being taken out and put back, and Leak
/// Sanitizer sees no pointers in an enum's cases.
package struct LogEncoder: Sendable {
    private var text: TextLogEncoder?
    private var json: JSONLogEncoder?
    private var journal: JournalLogEncoder?

    /// The encoder of a format; `identifier` names the program to the journal.
    package init(_ format: LogFormat, identifier: String) {
        switch format {
        case .text: text = TextLogEncoder()
        case .json: json = JSONLogEncoder()
        case .journal: journal = JournalLogEncoder(identifier: identifier)
        }
    }

    private init() {}

    /// Lines for people.
    package static func text(_ encoder: TextLogEncoder) -> LogEncoder {
        var result = LogEncoder()
        result.text = encoder
        return result
    }

    /// Lines for programs.
    package static func json(_ encoder: JSONLogEncoder) -> LogEncoder {
        var result = LogEncoder()
        result.json = encoder
        return result
    }

    /// Appends the bytes of one record. Encoders remember the last second's text, hence `mutating`.
    package mutating func encode(_ record: LogRecord, into output: inout [UInt8]) {
        text?.encode(record, into: &output)
        json?.encode(record, into: &output)
        journal?.encode(record, into: &output)
    }
}
