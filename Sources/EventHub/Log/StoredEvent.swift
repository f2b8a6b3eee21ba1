internal import MappedFiles
package import OpenCode

/// An event that was kept. It holds the memory that it stands in, also when its segment was removed from the log.
package struct StoredEvent: Sendable {
    private let region: MappedRegion
    private let record: EventRecord
    /// Which it is.
    package let id: EventID
    /// When the gateway heard it, milliseconds since 1970.
    package let time: Int64
    /// The place behind it in its log. Of one that was too large to be kept: where the log goes on.
    package let behind: LogPosition

    init(_ region: MappedRegion, _ record: EventRecord, behind: LogPosition) {
        self.region = region
        self.record = record
        self.behind = behind
        id = record.id
        time = record.time
    }

    /// Bytes of the upstream's data line.
    package var size: Int { record.line.count }

    /// Where the event's own JSON stands in the line.
    package var payload: Range<Int> { record.payload(in: region) }

    /// Runs `body` on the upstream's data line, byte for byte.
    package func withLine<Result, Failure: Error>(
        _ body: (borrowing Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try region.withSpan(record.line, body)
    }

    /// What is known of it, decoded each time.
    package var skeleton: EventSkeleton { record.skeleton(in: region) }

    /// Runs `body` on the event's type.
    package func withType<Result>(_ body: (borrowing Span<UInt8>) -> Result) -> Result {
        region.withSpan(record.range(of: .type, in: region) ?? 0..<0, body)
    }

    /// Runs `body` on the session that it is about; nil where it is about none.
    package func withSession<Result>(_ body: (borrowing Span<UInt8>) -> Result) -> Result? {
        record.range(of: .session, in: region).map { region.withSpan($0, body) }
    }

    /// Runs `body` on the directory that it names; nil where it names none.
    package func withDirectory<Result>(_ body: (borrowing Span<UInt8>) -> Result) -> Result? {
        record.range(of: .directory, in: region).map { region.withSpan($0, body) }
    }
}
