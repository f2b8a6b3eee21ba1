// SPDX-License-Identifier: Apache-2.0

/// An item that a read of a log returns.
package enum LogItem: Sendable {
    case event(StoredEvent)
    /// Events are missing at this position.
    case gap(EventGap, after: LogPosition)

    /// The position after the item.
    package var after: LogPosition {
        switch self {
        case .event(let event): event.after
        case .gap(_, let position): position
        }
    }
}

/// A position between two records of a log. A position retains the memory of its segment, even if the segment was
/// removed from the log. A reader that stops reading must therefore drop its position.
package struct LogPosition: Sendable, Equatable {
    var segment: Segment
    /// The offset in the segment at which the next record begins.
    var offset: Int
    /// The last event before the position; nil if there is none.
    package internal(set) var last: EventID?

    /// A number that identifies the segment within its log.
    package var segmentNumber: UInt64 { segment.ordinal }

    /// Returns whether both positions have the same offset in the same memory. Positions without a record between them
    /// can be unequal. For example, the end of a segment and the beginning of the next segment are unequal. After a
    /// segment has moved to a file, positions in memory and in the file are also unequal.
    package static func == (left: LogPosition, right: LogPosition) -> Bool {
        left.segment.region === right.segment.region && left.offset == right.offset
    }

    /// Returns whether the position is before another position in the same log.
    func isBefore(_ other: LogPosition) -> Bool {
        (segment.ordinal, offset) < (other.segment.ordinal, other.offset)
    }
}

/// The result of a search for the position after an event, or for the position of the first event since a time.
package enum LogSearch: Sendable {
    /// No event is missing before the position.
    case position(LogPosition)
    /// The client receives the gap first, and then continues at the position.
    case gap(EventGap, LogPosition)
}

/// The range, size and gaps of the events in a log.
package struct LogSummary: Sendable, Equatable {
    /// The oldest stored event; nil if there is none.
    package var first: EventID?
    /// The newest event that received an id.
    package var last: EventID?
    /// The size of all segments in bytes, on the disk and in memory.
    package var bytes: Int
    /// The number of gaps that the log contains.
    package var gaps: Int

    /// Creates a summary with the given values.
    package init(first: EventID?, last: EventID?, bytes: Int, gaps: Int) {
        self.first = first
        self.last = last
        self.bytes = bytes
        self.gaps = gaps
    }
}

/// The properties of a segment that determine whether it is removed.
package struct LogSegment: Sendable, Equatable {
    /// The size of the segment on the disk or in memory, in bytes.
    package var bytes: Int
    /// The time of the segment's last record, in milliseconds since 1970.
    package var lastTime: Int64
    /// Whether the segment is a file.
    package var isFile: Bool

    /// Creates a description of a segment.
    package init(bytes: Int, lastTime: Int64, isFile: Bool) {
        self.bytes = bytes
        self.lastTime = lastTime
        self.isFile = isFile
    }
}
