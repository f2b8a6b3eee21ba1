import EventLoop

/// Whether a client whose socket takes nothing more still reads. A value.
///
/// What the kernel holds for it tells: its buffers have room again only after much was read, which a slow reader may need
/// minutes for.
struct StallWatch {
    /// How often it is looked before a client is cut.
    private static let looks = 4

    private let limit: Duration
    private var since: MonotonicTime?
    private var held = 0

    /// A client may take nothing for so long.
    init(limit: Duration) { self.limit = limit }

    /// The socket takes nothing more; the kernel holds so many bytes for the client.
    mutating func begin(held: Int, at now: MonotonicTime) {
        guard since == nil else { return }
        since = now
        self.held = held
    }

    /// Something was sent again.
    mutating func end() { since = nil }

    /// Whether the client has taken nothing for too long; `held` is what the kernel holds now.
    mutating func isOver(held: Int, at now: MonotonicTime) -> Bool {
        guard let since else { return false }
        if held < self.held {
            self.held = held
            self.since = now
            return false
        }
        return now - since >= limit
    }

    /// When it is to be looked at again.
    func nextLook(_ now: MonotonicTime) -> MonotonicTime {
        min((since ?? now) + limit, now + limit / Self.looks)
    }
}
