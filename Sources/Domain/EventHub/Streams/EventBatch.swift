// SPDX-License-Identifier: Apache-2.0

/// Bytes to send to a client, with the position at which each frame ends.
package struct EventBatch: Sendable {
    struct FrameEnd: Sendable {
        /// The offset in the bytes at which the frame ends.
        var end: Int
        /// The position after the frame in the log; nil if the frame has no position of its own.
        let position: LogPosition?
        /// The event from which the frame can be made again; nil if there is none.
        let event: StoredEvent?
        /// The number of the frame's bytes that were sent before this batch.
        var base = 0
        /// The id of the frame, if the cursor encodes events (``EventCursor/isEncoded``).
        var emitted: EventID?
        /// Whether a read from the position before the frame makes the same frame again.
        var isMadeAgain = false
    }

    /// The bytes of the frames.
    package internal(set) var bytes: [UInt8] = []
    /// Whether the log had no further records when the batch was read.
    package internal(set) var isAtEnd = false
    /// The position after the whole batch, including events that the client did not select.
    package internal(set) var end: LogPosition?
    /// The last frame that the batch contains or omits, if the cursor encodes events.
    var emitted: EventID?
    /// The time at which the next frame is due without another event, in milliseconds since 1970.
    package var deadline: Int64?
    /// The query whose result is needed before more frames can be made. The value is nil if no query is needed, or if
    /// the batch's bytes must be sent first.
    package internal(set) var query: TranslationQuery?
    /// The first frame that must not be sent yet; nil if there is none. The batch ends before this frame.
    package internal(set) var blockedFrame: EventID?
    private(set) var frameEnds: [FrameEnd] = []

    /// Returns the first frames of the batch. If a later frame begins with `separator`, the result ends before that
    /// frame.
    ///
    /// - Parameters:
    ///   - most: The maximum number of frames.
    ///   - limit: The maximum size in bytes. The first frame is returned regardless of its size.
    ///   - separator: The beginning of a frame that must be the first frame of a batch.
    package func limited(to most: Int, bytes limit: Int, separator: [UInt8]) -> EventBatch {
        var count = 0
        var start = 0
        for frame in frameEnds {
            let isFirst = start == 0
            guard count < most, isFirst || frame.end <= limit else { break }
            guard isFirst || !bytes[start..<frame.end].starts(with: separator) else { break }
            count += 1
            start = frame.end
        }
        guard count > 0, count < frameEnds.count else { return self }
        let last = frameEnds[count - 1]
        var batch = self
        batch.frameEnds.removeLast(frameEnds.count - count)
        batch.bytes.removeLast(bytes.count - last.end)
        batch.isAtEnd = false
        batch.end = last.position
        batch.emitted = last.emitted
        return batch
    }

    mutating func appendFrame(
        end: Int, position: LogPosition?, event: StoredEvent?, base: Int = 0, emitted: EventID? = nil,
        isMadeAgain: Bool = false
    ) {
        frameEnds.append(
            FrameEnd(end: end, position: position, event: event, base: base, emitted: emitted, isMadeAgain: isMadeAgain)
        )
    }

    /// Records bytes that belong to the frame `emitted`, which was processed last. If the frame is made again, these
    /// bytes are missing.
    ///
    /// - Parameter isWithLast: Whether the frame is in the batch. If true, the frame and the bytes are sent together.
    mutating func extendLastFrame(_ end: Int, emitted: EventID, isWithLast: Bool) {
        guard isWithLast, let last = frameEnds.indices.last else {
            return appendFrame(end: end, position: nil, event: nil, emitted: emitted)
        }
        frameEnds[last].end = end
        frameEnds[last].isMadeAgain = false
    }

    /// Whether a partly sent frame cannot be continued, because its remainder could not be made again.
    package private(set) var isBroken = false

    /// Removes the part of the first frame that was already sent.
    ///
    /// - Parameter size: The size of the first frame.
    mutating func dropSent(_ sent: Int, size: Int) {
        guard let first = frameEnds.first, first.end == size else {
            isBroken = true
            return
        }
        bytes.removeFirst(sent)
        for index in frameEnds.indices { frameEnds[index].end -= sent }
        frameEnds[0].base = sent
    }
}
