// SPDX-License-Identifier: Apache-2.0

/// Bytes for a client, and the end of each frame in them.
package struct EventBatch: Sendable {
    struct FrameEnd: Sendable {
        /// The offset of the end of the frame in the bytes.
        var end: Int
        /// The position after the frame in the log; nil if the frame has no position of its own.
        let position: LogPosition?
        /// The event from which the frame can be made again.
        let event: StoredEvent?
        /// The number of bytes of the frame that were sent before these bytes.
        var base = 0
        /// The id of the frame, if frames are made.
        var emitted: EventID?
        /// Whether a reader that starts before the frame makes the same frame again.
        var isMadeAgain = false
    }

    /// The bytes of the frames.
    package internal(set) var bytes: [UInt8] = []
    /// Whether nothing followed the batch when it was read.
    package internal(set) var isAtEnd = false
    /// The position after the whole batch, including events that the client did not select.
    package internal(set) var end: LogPosition?
    /// The last frame that the batch contains or omits, if frames are made.
    var emitted: EventID?
    /// The time of the next frame that no event causes, in milliseconds since 1970.
    package var deadline: Int64?
    /// The query whose result is needed before more frames can be made; nil if there is none, or if there are bytes
    /// that must be sent first.
    package internal(set) var query: TranslationQuery?
    /// The frame before which the batch ends, because it must not be sent yet; nil if there is none.
    package internal(set) var blockedFrame: EventID?
    private(set) var frameEnds: [FrameEnd] = []

    /// Returns the first frames of the batch. A frame that begins with `separator` is either the first frame or left
    /// out.
    ///
    /// - Parameters:
    ///   - most: The maximum number of frames.
    ///   - limit: The maximum size in bytes. At least one frame is returned.
    ///   - separator: The beginning of a frame that may only be the first frame of a batch.
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

    /// Records bytes that belong to the frame `emitted`, which was read last, but that are not made again with it.
    ///
    /// - Parameter isWithLast: Whether that frame is in the batch. The frame is then sent together with these bytes.
    mutating func extendLastFrame(_ end: Int, emitted: EventID, isWithLast: Bool) {
        guard isWithLast, let last = frameEnds.indices.last else {
            return appendFrame(end: end, position: nil, event: nil, emitted: emitted)
        }
        frameEnds[last].end = end
        frameEnds[last].isMadeAgain = false
    }

    /// Whether the remainder of a frame could not be made again, so that a partly sent frame cannot be continued.
    package private(set) var isBroken = false

    /// Removes the part of the first frame that was already sent.
    ///
    /// - Parameter size: The size of that frame.
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
