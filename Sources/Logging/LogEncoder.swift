/// How records become bytes: one of the three formats.
package enum LogEncoder: Sendable {
    /// Lines for people.
    case text(TextLogEncoder)
    /// Lines for programs.
    case json(JSONLogEncoder)
    /// Datagrams for the journal.
    case journal(JournalLogEncoder)

    /// The encoder of a format; `identifier` names the program to the journal.
    package init(_ format: LogFormat, identifier: String) {
        switch format {
        case .text: self = .text(TextLogEncoder())
        case .json: self = .json(JSONLogEncoder())
        case .journal: self = .journal(JournalLogEncoder(identifier: identifier))
        }
    }

    /// Appends the bytes of one record. Encoders remember the last second's text, hence `mutating`.
    package mutating func encode(_ record: LogRecord, into output: inout [UInt8]) {
        switch self {
        case .text(var encoder):
            encoder.encode(record, into: &output)
            self = .text(encoder)
        case .json(var encoder):
            encoder.encode(record, into: &output)
            self = .json(encoder)
        case .journal(var encoder):
            encoder.encode(record, into: &output)
        }
    }
}
