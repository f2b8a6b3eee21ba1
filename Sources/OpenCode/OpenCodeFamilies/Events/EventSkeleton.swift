// SPDX-License-Identifier: Apache-2.0

/// The values of an event that identify the event's type and subject. The remaining values are not parsed.
package struct EventSkeleton: Sendable, Equatable {
    /// The type of the event itself, such as `message.part.delta`. The type is `sync` for the content that
    /// `/global/event` wraps in addition to events.
    package var type: [UInt8] = []
    /// The decoded path of the directory that the event names; nil if the event names no directory.
    package var directory: [UInt8]?
    /// The id of the session that the event concerns.
    package var session: [UInt8]?
    /// The id of the session's parent; nil if the event does not name it.
    package var parentSession: [UInt8]?
    /// The id of the message that the event concerns.
    package var message: [UInt8]?
    /// The id of the part that the event concerns.
    package var part: [UInt8]?
    /// The range of the event's own JSON in the `data:` line: the content that `/global/event` wraps, or the whole
    /// line.
    package var payload: Range<Int> = 0..<0

    /// Creates the skeleton of an event before any of its bytes have been read.
    package init() {}
}
