package import OpenCode

/// Merges neighbouring pieces of one text (``EventDelta``) into one, with the last one's id and the rest of its JSON;
/// nothing else is merged or put in another order.
package struct DeltaMerger: Sendable {
    /// A run of pieces of one text.
    private struct Run: Sendable {
        var frame: EncodedFrame
        var skeleton: EventSkeleton
        let subject: [UInt8]
        /// The last one's JSON, and where its piece stands in it.
        var payload: [UInt8]
        var range: Range<Int>
        /// What the pieces before the last one say.
        var before: [UInt8] = []
    }

    private let limit: Int
    private var run: Run?

    /// A merger that makes pieces of at most `limit` bytes of JSON out of several.
    package init(limit: Int = 1 << 20) { self.limit = limit }

    /// Takes the next frame, what it is and its event's own JSON. Answers the frames that go on: the last may still wait.
    package mutating func take(
        _ frame: EncodedFrame, _ skeleton: EventSkeleton, payload: borrowing Span<UInt8>
    ) -> [EncodedFrame] {
        guard let delta = EventDelta(skeleton, payload: payload) else { return finish() + [frame] }
        var next = Run(frame: frame, skeleton: skeleton, subject: delta.subject, payload: [], range: delta.range)
        next.payload.append(payload, 0..<payload.count)
        guard var last = run, last.subject == next.subject, last.skeleton.directory == skeleton.directory,
            last.frame.id.generation == frame.id.generation,
            last.before.count + last.range.count + delta.range.count <= limit
        else {
            defer { run = next }
            return finish()
        }
        run = nil
        next.before = last.before
        last.before = []
        next.before += last.payload[last.range]
        run = next
        return []
    }

    /// The frame that waits, if there is one.
    package mutating func finish() -> [EncodedFrame] {
        guard let run else { return [] }
        self.run = nil
        guard !run.before.isEmpty else { return [run.frame] }
        let piece = run.range.lowerBound
        let payload = run.payload[..<piece] + run.before + run.payload[piece...]
        return [
            EncodedFrame(
                id: run.frame.id,
                made: EncodedFrame.Made(
                    String(decoding: run.skeleton.type, as: UTF8.self), about: run.skeleton, payload: Array(payload)))
        ]
    }
}
