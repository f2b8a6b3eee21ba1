// SPDX-License-Identifier: Apache-2.0

/// The state that the writer of a log shares with the readers, in addition to the records.
struct LogState: Sendable {
    /// The stored segments, oldest first.
    var segments: [Segment]
    /// The segment that represents the end of the log if there are no stored segments.
    var origin: Segment
    /// The newest generation; 0 if there is none.
    var generation: UInt64
    /// The newest event that received an id.
    var last: EventID?
    /// The total size of all segments, in bytes.
    var bytes: Int
    var gaps: Int
    var warning: String?
    /// Whether events remain in memory until the disk can be used.
    var isWaitingForDisk: Bool

    /// Returns the stored segment with the same ordinal as a segment. The two differ if the segment has moved from
    /// memory to a file. If the segment was removed or represents the end of an empty log, returns it unchanged.
    func current(_ segment: Segment) -> Segment {
        guard segment.header.capacity > SegmentHeader.count, let newest = segments.last,
            newest.ordinal >= segment.ordinal
        else { return segment }
        if newest.ordinal == segment.ordinal { return newest }
        return segments.first { $0.ordinal == segment.ordinal } ?? segment
    }

    var beginning: LogPosition { segments.first?.beginning ?? origin.beginning }
}
