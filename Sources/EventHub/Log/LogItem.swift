/// What a reader of a log gets.
package enum LogItem: Sendable {
    case event(StoredEvent)
    /// Here something is missing.
    case gap(EventGap, behind: LogPosition)

    /// The place behind it.
    package var behind: LogPosition {
        switch self {
        case .event(let event): event.behind
        case .gap(_, let place): place
        }
    }
}

/// A place between two records of a log. It holds the memory of the segment that it stands in, also when that was removed: who
/// does not read on drops it.
package struct LogPosition: Sendable, Equatable {
    var segment: Segment
    /// Where in the segment the next record begins.
    var offset: Int
    /// The last event before it; nil: none.
    package internal(set) var last: EventID?

    /// Tells the segment from others of the same log.
    package var segmentNumber: UInt64 { segment.ordinal }

    /// Whether both stand before the same record. Two places can differ that nothing stands between: the end of a segment and
    /// the next one's beginning, or a place in memory and the same one in the file that the segment was moved to.
    package static func == (left: LogPosition, right: LogPosition) -> Bool {
        left.segment.region === right.segment.region && left.offset == right.offset
    }
}

/// Where reading goes on for somebody who names an event or a time.
package enum LogSearch: Sendable {
    /// Nothing is missing.
    case place(LogPosition)
    /// This is missing, then reading goes on there.
    case gap(EventGap, LogPosition)
}

/// What is kept, in numbers.
package struct LogSummary: Sendable, Equatable {
    /// The oldest event that is kept.
    package var first: EventID?
    /// The newest event that was ever given an id.
    package var last: EventID?
    /// Bytes of all segments, on the disk and in memory.
    package var bytes: Int
    /// Gaps among what is kept.
    package var gaps: Int

    /// Numbers of a log.
    package init(first: EventID?, last: EventID?, bytes: Int, gaps: Int) {
        self.first = first
        self.last = last
        self.bytes = bytes
        self.gaps = gaps
    }
}

/// A segment, for who decides which go.
package struct LogSegment: Sendable, Equatable {
    /// Bytes that it takes on the disk or in memory.
    package var bytes: Int
    /// When its last event was heard, milliseconds since 1970.
    package var lastTime: Int64
    /// Whether it is a file.
    package var isFile: Bool

    /// A segment of this size.
    package init(bytes: Int, lastTime: Int64, isFile: Bool) {
        self.bytes = bytes
        self.lastTime = lastTime
        self.isFile = isFile
    }
}
