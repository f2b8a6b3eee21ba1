// SPDX-License-Identifier: Apache-2.0

/// A first-in, first-out queue of frames to the peer. An empty queue owns no memory.
package struct OutgoingFrames: Sendable {
    private var frames: [Frame] = []
    /// The index of the first frame that is not completely sent.
    private var first = 0
    private var sentOfFirst = 0
    /// The total number of bytes of the queued frames, including the sent bytes of the first frame.
    private var total = 0

    /// Creates an empty queue of frames.
    package init() {}

    /// Whether all frames have been sent.
    package var isEmpty: Bool { first == frames.count }

    /// The number of queued bytes after the frame that is being sent.
    package var waiting: Int { isEmpty ? 0 : total - frames[first].bytes.count }

    /// Appends a frame to the queue.
    mutating func append(_ frame: Frame) {
        guard !frame.bytes.isEmpty else { return }
        frames.append(frame)
        total += frame.bytes.count
    }

    /// Calls `body` with the unsent bytes of at most the next three frames.
    package func withNext<Result>(_ body: (Span<UInt8>, Span<UInt8>, Span<UInt8>) -> Result) -> Result {
        let none: [UInt8] = []
        let next = (isEmpty ? none : frames[first].bytes, bytes(at: first + 1), bytes(at: first + 2))
        return body(next.0.span.extracting(droppingFirst: sentOfFirst), next.1.span, next.2.span)
    }

    private func bytes(at index: Int) -> [UInt8] { index < frames.count ? frames[index].bytes : [] }

    /// Removes the given number of sent bytes.
    package mutating func sent(_ count: Int) {
        var count = count
        while !isEmpty, count > 0 {
            let size = frames[first].bytes.count
            let unsent = size - sentOfFirst
            guard count >= unsent else {
                sentOfFirst += count
                return
            }
            count -= unsent
            total -= size
            frames[first] = Self.sentFrame
            first += 1
            sentOfFirst = 0
        }
        if isEmpty {
            frames = []
            first = 0
        } else if first >= 64, first >= frames.count / 2 {
            frames.removeSubrange(..<first)
            first = 0
        }
    }

    private static let sentFrame = Frame(.pong, [])
}
