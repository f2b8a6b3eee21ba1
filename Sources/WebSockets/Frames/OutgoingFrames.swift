/// Frames on their way to the peer, first in, first out. Empty, it has no memory of its own.
package struct OutgoingFrames: Sendable {
    private var frames: [Frame] = []
    /// The frames before this one have left.
    private var first = 0
    private var sentOfFirst = 0
    /// The bytes of all frames from the first on, what was sent of that included.
    private var total = 0

    /// Nothing.
    package init() {}

    /// Whether everything has been sent.
    package var isEmpty: Bool { first == frames.count }

    /// Bytes that wait behind the frame that is being sent.
    package var waiting: Int { isEmpty ? 0 : total - frames[first].bytes.count }

    /// Adds a frame.
    mutating func append(_ frame: Frame) {
        guard !frame.bytes.isEmpty else { return }
        frames.append(frame)
        total += frame.bytes.count
    }

    /// Lends what is to be sent next of up to three frames.
    package func withNext<Result>(_ body: (Span<UInt8>, Span<UInt8>, Span<UInt8>) -> Result) -> Result {
        let none: [UInt8] = []
        let next = (isEmpty ? none : frames[first].bytes, bytes(at: first + 1), bytes(at: first + 2))
        return body(next.0.span.extracting(droppingFirst: sentOfFirst), next.1.span, next.2.span)
    }

    private func bytes(at index: Int) -> [UInt8] { index < frames.count ? frames[index].bytes : [] }

    /// So many bytes of that were sent.
    package mutating func sent(_ count: Int) {
        var count = count
        while !isEmpty, count > 0 {
            let size = frames[first].bytes.count
            let rest = size - sentOfFirst
            guard count >= rest else {
                sentOfFirst += count
                return
            }
            count -= rest
            total -= size
            frames[first] = Self.gone
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

    private static let gone = Frame(.pong, [])
}
