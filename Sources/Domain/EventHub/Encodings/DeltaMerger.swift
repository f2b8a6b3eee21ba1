// SPDX-License-Identifier: Apache-2.0

internal import Encodings
package import OpenCodeFamilies

/// Merges adjacent deltas of one text (``EventDelta``) into one frame. The merged frame has the id and the JSON of the
/// last delta, but contains the merged text. No other frames are merged or reordered.
package struct DeltaMerger: Sendable {
    /// A sequence of adjacent deltas of one text.
    private struct Run: Sendable {
        var frame: EncodedFrame
        var skeleton: EventSkeleton
        let subject: [UInt8]
        /// The JSON of the last event.
        var payload: [UInt8]
        var range: Range<Int>
        /// The text of all deltas before the last delta.
        var before: [UInt8] = []
    }

    private let limit: Int
    private var run: Run?

    /// Creates a merger whose merged texts have at most `limit` bytes of JSON.
    package init(limit: Int = 1 << 20) { self.limit = limit }

    /// Adds the next frame with its skeleton and the JSON of its event, and returns the frames that can be sent now.
    /// The merger may keep the added frame, in order to merge it with the following frame.
    package mutating func merge(
        _ frame: EncodedFrame, _ skeleton: EventSkeleton, payload: borrowing Span<UInt8>
    ) -> [EncodedFrame] {
        guard let delta = EventDelta(skeleton, payload: payload) else { return finish() + [frame] }
        var next = Run(frame: frame, skeleton: skeleton, subject: delta.subject, payload: [], range: delta.range)
        next.payload.append(copying: payload)
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

    /// Returns the frame that the merger has kept; nil if it has kept none.
    package mutating func finish() -> [EncodedFrame] {
        guard let run else { return [] }
        self.run = nil
        guard !run.before.isEmpty else { return [run.frame] }
        let start = run.range.lowerBound
        let payload = run.payload[..<start] + run.before + run.payload[start...]
        return [
            EncodedFrame(
                id: run.frame.id,
                made: EncodedFrame.Made(
                    String(decoding: run.skeleton.type, as: UTF8.self), about: run.skeleton, payload: Array(payload)))
        ]
    }
}
