/// What the writer of a log tells its readers besides the records themselves.
struct LogState: Sendable {
    /// What is kept, oldest first.
    var segments: [Segment]
    /// Stands for the end where no segment is kept.
    var origin: Segment
    /// The newest generation; 0: none.
    var generation: UInt64
    /// The newest event that was given an id.
    var last: EventID?
    /// Bytes of all segments.
    var bytes: Int
    var gaps: Int
    var warning: String?
    /// Whether events are in memory until the disk can be used.
    var isWaitingForDisk: Bool

    /// The segment as it is now: the one that is kept under its ordinal, which may be in a file meanwhile. One that was removed
    /// is as it was, and so is what stands for the end where none was kept.
    func current(_ segment: Segment) -> Segment {
        guard segment.header.capacity > SegmentHeader.count, let newest = segments.last,
            newest.ordinal >= segment.ordinal
        else { return segment }
        if newest.ordinal == segment.ordinal { return newest }
        return segments.first { $0.ordinal == segment.ordinal } ?? segment
    }

    var beginning: LogPosition { segments.first?.beginning ?? origin.beginning }
}
