// SPDX-License-Identifier: Apache-2.0

/// The state that the writer of a log shares with its readers, in addition to the records themselves.
struct LogState: Sendable {
    /// The segments that are kept, oldest first.
    var segments: [Segment]
    /// The segment that represents the end of the log if no segment is kept.
    var origin: Segment
    /// The newest generation; 0 if there is none.
    var generation: UInt64
    /// The newest event that received an id.
    var last: EventID?
    /// The size of all segments together, in bytes.
    var bytes: Int
    var gaps: Int
    var warning: String?
    /// Whether events stay in memory until the disk can be used.
    var isWaitingForDisk: Bool

    /// Returns the kept segment with the same ordinal, which may have moved from memory to a file. A segment that was
    /// removed, or that represents the end of an empty log, is returned unchanged.
    func current(_ segment: Segment) -> Segment {
        guard segment.header.capacity > SegmentHeader.count, let newest = segments.last,
            newest.ordinal >= segment.ordinal
        else { return segment }
        if newest.ordinal == segment.ordinal { return newest }
        return segments.first { $0.ordinal == segment.ordinal } ?? segment
    }

    var beginning: LogPosition { segments.first?.beginning ?? origin.beginning }
}
