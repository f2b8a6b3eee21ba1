/// One frame of an event stream: everything up to and including a blank line. All ranges are offsets from the
/// beginning of the stream's body; the bytes themselves stay with whoever read them.
package struct EventFrame: Sendable, Equatable {
    /// The whole frame. The frames of a stream follow each other without a gap.
    package var bytes: Range<Int>
    /// The values of its `data` lines, in order; the event's data is these, joined by LF.
    package var data: [Range<Int>] = []
    /// The value of the last `event` line.
    package var event: Range<Int>?
    /// The value of the last `id` line that holds no NUL.
    package var id: Range<Int>?
    /// The reconnection time, milliseconds, of the last `retry` line that is a number.
    package var retry: Int?
    /// There were more `data` lines than the scanner keeps.
    package var isTruncated = false

    /// Whether a client sees an event: a frame without data, such as a comment that keeps the connection alive, is
    /// none.
    package var isEvent: Bool { !data.isEmpty }
}
