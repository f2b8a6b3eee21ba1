/// What is read of an event: enough to know what kind it is and what it is about. Everything else stays as it came.
package struct EventSkeleton: Sendable, Equatable {
    /// The event's own type, `message.part.delta`; `sync` for what `/global/event` wraps besides.
    package var type: [UInt8] = []
    /// The directory that the event names, decoded; nil where it names none.
    package var directory: [UInt8]?
    /// The session that it is about.
    package var session: [UInt8]?
    /// The session's parent, where the event says so.
    package var parentSession: [UInt8]?
    /// The message that it is about.
    package var message: [UInt8]?
    /// The part that it is about.
    package var part: [UInt8]?
    /// Where the event's own JSON stands in the data line: within what `/global/event` wraps, or all of the line.
    package var payload: Range<Int> = 0..<0

    /// Of an event of which nothing was read.
    package init() {}
}
