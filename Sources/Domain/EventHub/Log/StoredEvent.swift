// SPDX-License-Identifier: Apache-2.0

internal import MappedFiles
package import OpenCodeFamilies

/// An event in a log. The value retains the memory that contains the event, even if the event's segment was removed.
package struct StoredEvent: Sendable {
    private let region: MappedRegion
    private let record: EventRecord
    /// The id of the event in its log.
    package let id: EventID
    /// The time at which the gateway received the event, in milliseconds since 1970.
    package let time: Int64
    /// The position after the event in its log. If the event was too large to be stored, this is the position after the
    /// gap that replaces it.
    package let after: LogPosition

    init(_ region: MappedRegion, _ record: EventRecord, after: LogPosition) {
        self.region = region
        self.record = record
        self.after = after
        id = record.id
        time = record.time
    }

    /// The size of the instance's data line, in bytes.
    package var size: Int { record.line.count }

    /// The range of the event's own JSON in the line.
    package var payload: Range<Int> { record.payload(in: region) }

    /// Calls `body` with the instance's data line, byte for byte.
    package func withLine<Result, Failure: Error>(
        _ body: (borrowing Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try region.withSpan(record.line, body)
    }

    /// The event's skeleton, which is decoded on each access.
    package var skeleton: EventSkeleton { record.skeleton(in: region) }

    /// Calls `body` with the event's type.
    package func withType<Result>(_ body: (borrowing Span<UInt8>) -> Result) -> Result {
        region.withSpan(record.range(of: .type, in: region) ?? 0..<0, body)
    }

    /// Calls `body` with the id of the event's session; returns nil if the event has no session.
    package func withSession<Result>(_ body: (borrowing Span<UInt8>) -> Result) -> Result? {
        record.range(of: .session, in: region).map { region.withSpan($0, body) }
    }

    /// Calls `body` with the event's directory; returns nil if the event has no directory.
    package func withDirectory<Result>(_ body: (borrowing Span<UInt8>) -> Result) -> Result? {
        record.range(of: .directory, in: region).map { region.withSpan($0, body) }
    }
}
