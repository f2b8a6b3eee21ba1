internal import Locking

/// One change to be written.
struct Write: Sendable {
    /// Makes the change within the writer's transaction.
    let apply: @Sendable (Connection) throws(StorageError) -> Void
    /// About how many bytes it holds while it waits.
    let size: Int
    /// Whether its commit is to be on disk before it counts as done.
    var isToDisk = false
    /// Told once it is committed, or why it is not; nil where nobody waits for that.
    let settled: (@Sendable (StorageError?) -> Void)?

    /// Whether somebody waits for it.
    var isAwaited: Bool { settled != nil }
}

/// What stands between those who change something and the thread that writes: bounded, in order.
final class WriteQueue: Sendable {
    private struct State {
        var waiting: [Write] = []
        /// Bytes of what waits, and of what the writer has taken and not settled.
        var size = 0
        /// Writes that were given up since the last report of it.
        var lost = 0
        var isClosed = false
        var hasEnded = false
        /// Why nothing is taken any more.
        var refusal: StorageError?
        /// Why the file is not open yet: nobody waits for a write until it is.
        var obstacle: StorageError?
        /// Who is told once it is.
        var opened: [@Sendable () -> Void] = []
    }

    /// How long a first write waits for more, so that they share one commit, and the bytes that end that wait. With the commit
    /// itself this stays below the 100 ms after which all is to be committed.
    private static let gathering = (time: Duration.milliseconds(50), bytes: 256 * 1024)

    private let state = Monitor(State())
    private let limit: Int
    private let path: String

    /// An empty queue for the file at `path`; at most `limit` bytes wait.
    init(path: String, limit: Int) {
        self.path = path
        self.limit = limit
    }

    /// Queues a write, or gives it up: whoever waits for it hears of that at once.
    func append(_ write: Write) {
        let refusal = state.withLock { state -> StorageError? in
            if state.isClosed { return .closed(path) }
            if let refusal = state.refusal {
                if !write.isAwaited { state.lost += 1 }
                return refusal
            }
            if let obstacle = state.obstacle, write.isAwaited { return obstacle }
            guard state.size + write.size <= limit else {
                state.lost += 1
                return .overflow(path)
            }
            state.waiting.append(write)
            state.size += write.size
            return nil
        }
        if let refusal { write.settled?(refusal) } else { state.notifyAll() }
    }

    /// Blocks until there is something to write, and adds it to `batch`; a batch that could not be written is tried again
    /// after `pause`, or as soon as somebody waits for another write. False once the queue is closed and everything was
    /// tried, what has failed before once more.
    func take(into batch: inout [Write], retryAfter pause: Duration?) -> Bool {
        // Nothing is added to a closed queue: what is taken from it now is the last.
        let wasClosed = state.withLock { $0.isClosed }
        if let pause {
            _ = state.wait(until: { $0.isClosed || $0.waiting.contains(where: \.isAwaited) }, atMost: pause)
        } else {
            state.wait(until: { $0.isClosed || !$0.waiting.isEmpty }, then: { _ in })
            _ = state.wait(
                until: { $0.isClosed || $0.size >= Self.gathering.bytes || $0.waiting.contains(where: \.isAwaited) },
                atMost: Self.gathering.time)
        }
        let taken = state.withLock { state in
            defer { state.waiting.removeAll() }
            return state.waiting
        }
        batch += taken
        return !wasClosed || !taken.isEmpty
    }

    /// What stands in the way of opening the file; nil once it is open.
    var obstacle: StorageError? { state.withLock { $0.obstacle } }

    /// The file can't be opened now.
    func setObstacle(_ error: StorageError) { state.withLock { $0.obstacle = error } }

    /// The file is open; gives those who are to be told.
    func removeObstacle() -> [@Sendable () -> Void] {
        state.withLock { state in
            state.obstacle = nil
            defer { state.opened.removeAll() }
            return state.opened
        }
    }

    /// Whether the file is open; where it is not, `body` is among those who are told once it is.
    func isOpen(orElse body: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            if state.obstacle != nil { state.opened.append(body) }
            return state.obstacle == nil
        }
    }

    /// Blocks for `pause`, or until the queue is closed; false for that.
    func waitToOpen(_ pause: Duration) -> Bool { !state.wait(until: { $0.isClosed }, atMost: pause) }

    /// Blocks until the queue is closed.
    func waitUntilClosed() { state.wait(until: { $0.isClosed }, then: { _ in }) }

    /// Makes room for as many bytes: their writes are on disk, or given up.
    func settle(size: Int) { state.withLock { $0.size -= size } }

    /// Counts writes that are given up.
    func lose(_ count: Int) { state.withLock { $0.lost += count } }

    /// Tells how many writes were given up since this was called last, if any.
    func reportLost(_ report: Store.Report) {
        let lost = state.withLock { state in
            defer { state.lost = 0 }
            return state.lost
        }
        if lost > 0 { report(.lost(lost)) }
    }

    /// Takes nothing more, for this reason; gives what waits.
    func refuse(_ error: StorageError) -> [Write] {
        state.withLock { state in
            state.refusal = error
            state.opened.removeAll()
            defer { state.waiting.removeAll() }
            return state.waiting
        }
    }

    /// The writer's last word.
    func end() {
        state.withLock { $0.hasEnded = true }
        state.notifyAll()
    }

    /// Takes nothing more and waits until the rest is written; false when `limit` passed first.
    func close(atMost limit: Duration) -> Bool {
        state.withLock { $0.isClosed = true }
        state.notifyAll()
        return state.wait(until: { $0.hasEnded }, atMost: limit)
    }
}
