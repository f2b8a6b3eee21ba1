/// Bytes for a client, and where each frame of them ends.
package struct EventBatch: Sendable {
    struct Mark: Sendable {
        /// Where the frame ends in the bytes.
        var end: Int
        /// The place behind it in the log; nil where there is none of its own.
        let place: LogPosition?
        /// The event that the frame can be made of again.
        let event: StoredEvent?
        /// Bytes of the frame that were sent before these.
        var base = 0
        /// The frame's id, where frames are made.
        var told: EventID?
        /// Whether the same frame is made again by who begins before it.
        var isMadeAgain = false
    }

    /// The frames.
    package internal(set) var bytes: [UInt8] = []
    /// Whether nothing stood behind it when it was read.
    package internal(set) var isAtEnd = false
    /// The place behind all of it, what the client does not want included.
    package internal(set) var end: LogPosition?
    /// The last frame that it holds or leaves out, where frames are made.
    var told: EventID?
    /// When something will be told that no event brings, milliseconds since 1970.
    package var deadline: Int64?
    /// What has to be answered before more can be made; nil: nothing, or there is something to send first.
    package internal(set) var question: TranslationQuery?
    /// The frame in front of which it ends, because that is not to be told yet; nil: there is none.
    package internal(set) var heldFrame: EventID?
    private(set) var marks: [Mark] = []

    /// Its first frames, so many and of so many bytes at most, but one at least; a frame that begins with `separator` is the
    /// first or none of them.
    package func limited(to most: Int, bytes limit: Int, separator: [UInt8]) -> EventBatch {
        var count = 0
        var start = 0
        for mark in marks {
            let isFirst = start == 0
            guard count < most, isFirst || mark.end <= limit else { break }
            guard isFirst || !bytes[start..<mark.end].starts(with: separator) else { break }
            count += 1
            start = mark.end
        }
        guard count > 0, count < marks.count else { return self }
        let last = marks[count - 1]
        var passage = self
        passage.marks.removeLast(marks.count - count)
        passage.bytes.removeLast(bytes.count - last.end)
        passage.isAtEnd = false
        passage.end = last.place
        passage.told = last.told
        return passage
    }

    mutating func note(
        _ end: Int, _ place: LogPosition?, _ event: StoredEvent?, base: Int = 0, told: EventID? = nil,
        isMadeAgain: Bool = false
    ) {
        marks.append(Mark(end: end, place: place, event: event, base: base, told: told, isMadeAgain: isMadeAgain))
    }

    /// Whether the rest of a frame could not be made again: what was sent of it can't be gone on with.
    package private(set) var isBroken = false

    /// Takes away what was sent of the first frame, which has this size, before.
    mutating func dropSent(_ sent: Int, size: Int) {
        guard let first = marks.first, first.end == size else {
            isBroken = true
            return
        }
        bytes.removeFirst(sent)
        for index in marks.indices { marks[index].end -= sent }
        marks[0].base = sent
    }
}
