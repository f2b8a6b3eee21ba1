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

    var beginning: LogPlace { segments.first?.beginning ?? origin.beginning }
}
