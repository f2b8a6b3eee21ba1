// SPDX-License-Identifier: Apache-2.0

/// The values that are read of an event: enough to know its kind and its subject. Everything else stays unchanged.
package struct EventSkeleton: Sendable, Equatable {
    /// The event's own type, `message.part.delta`; `sync` for the other content that `/global/event` wraps.
    package var type: [UInt8] = []
    /// The directory that the event names, decoded; nil where it names none.
    package var directory: [UInt8]?
    /// The session that the event is about.
    package var session: [UInt8]?
    /// The session's parent, where the event names it.
    package var parentSession: [UInt8]?
    /// The message that the event is about.
    package var message: [UInt8]?
    /// The part that the event is about.
    package var part: [UInt8]?
    /// The range of the event's own JSON in the data line: the content that `/global/event` wraps, or all of the line.
    package var payload: Range<Int> = 0..<0

    /// Creates the skeleton of an event that was not read.
    package init() {}
}
