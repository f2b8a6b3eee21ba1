// SPDX-License-Identifier: Apache-2.0

/// The values of an event that identify its kind and subject. The rest of the event is not parsed.
package struct EventSkeleton: Sendable, Equatable {
    /// The type of the event itself, such as `message.part.delta`. It is `sync` for the other content that
    /// `/global/event` wraps.
    package var type: [UInt8] = []
    /// The directory that the event names, decoded; nil if it names none.
    package var directory: [UInt8]?
    /// The session that the event is about.
    package var session: [UInt8]?
    /// The parent of the session, if the event names it.
    package var parentSession: [UInt8]?
    /// The message that the event is about.
    package var message: [UInt8]?
    /// The part that the event is about.
    package var part: [UInt8]?
    /// The range of the event's own JSON in the data line: the content that `/global/event` wraps, or the whole line.
    package var payload: Range<Int> = 0..<0

    /// Creates the skeleton of an event before any of its bytes have been read.
    package init() {}
}
