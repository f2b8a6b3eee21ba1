// SPDX-License-Identifier: Apache-2.0

internal import Locking

/// A change that waits to be written.
struct Write: Sendable {
    /// Makes the change within the writer's transaction.
    let apply: @Sendable (Connection) throws(StorageError) -> Void
    /// The approximate size in bytes while the change waits.
    let size: Int
    /// Whether the commit must be on disk before the write is complete.
    var isToDisk = false
    /// The closure that is called after the commit, or with an error if the write fails; nil if no caller waits.
    let settled: (@Sendable (StorageError?) -> Void)?

    /// Whether a caller waits for the write.
    var isAwaited: Bool { settled != nil }
}

/// A bounded, ordered queue of changes from callers to the writer's thread.
final class WriteQueue: Sendable {
    private struct State {
        var waiting: [Write] = []
        /// The size in bytes of all writes that have not been settled, whether they wait or the writer has fetched
        /// them.
        var size = 0
        /// The number of writes that were discarded since the last report.
        var lost = 0
        var isClosed = false
        var hasEnded = false
        /// The reason why no more writes are accepted.
        var refusal: StorageError?
        /// The reason why the file is not open yet. Until the file is open, callers cannot wait for a write.
        var obstacle: StorageError?
        /// The closures that are called once the file is open.
        var opened: [@Sendable () -> Void] = []
    }

    /// The time for which a first write waits for further writes that share its commit, and the number of bytes that
    /// ends this wait early. Together with the commit, the wait stays below the limit of 100 ms for all writes.
    private static let gathering = (time: Duration.milliseconds(50), bytes: 256 * 1024)

    private let state = Monitor(State())
    private let limit: Int
    private let path: String

    /// Creates an empty queue for the file at `path`. At most `limit` bytes wait.
    init(path: String, limit: Int) {
        self.path = path
        self.limit = limit
    }

    /// Queues a write, or discards it. A caller that waits for a discarded write is notified immediately.
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

    /// Blocks until there are writes, and adds them to `batch`. A failed batch is tried again after `pause`, or as soon
    /// as a caller waits for another write. Returns false once the queue is closed and every write has been tried,
    /// including a last attempt for failed writes.
    func dequeue(into batch: inout [Write], retryAfter pause: Duration?) -> Bool {
        // A closed queue accepts no more writes, so the writes fetched now are the last.
        let wasClosed = state.withLock { $0.isClosed }
        if let pause {
            _ = state.wait(until: { $0.isClosed || $0.waiting.contains(where: \.isAwaited) }, atMost: pause)
        } else {
            state.wait(until: { $0.isClosed || !$0.waiting.isEmpty }, then: { _ in })
            _ = state.wait(
                until: { $0.isClosed || $0.size >= Self.gathering.bytes || $0.waiting.contains(where: \.isAwaited) },
                atMost: Self.gathering.time)
        }
        let dequeued = state.withLock { state in
            defer { state.waiting.removeAll() }
            return state.waiting
        }
        batch += dequeued
        return !wasClosed || !dequeued.isEmpty
    }

    /// The reason why the file is not open; nil after it is opened.
    var obstacle: StorageError? { state.withLock { $0.obstacle } }

    /// Records the reason why the file cannot be opened now.
    func setObstacle(_ error: StorageError) { state.withLock { $0.obstacle = error } }

    /// Records that the file is open, and returns the closures to call.
    func removeObstacle() -> [@Sendable () -> Void] {
        state.withLock { state in
            state.obstacle = nil
            defer { state.opened.removeAll() }
            return state.opened
        }
    }

    /// Returns whether the file is open. If the file is not open, calls `body` after the file is opened.
    func isOpen(orElse body: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            if state.obstacle != nil { state.opened.append(body) }
            return state.obstacle == nil
        }
    }

    /// Blocks for `pause`, or until the queue is closed. Returns false if the queue is closed.
    func waitToOpen(_ pause: Duration) -> Bool { !state.wait(until: { $0.isClosed }, atMost: pause) }

    /// Blocks until the queue is closed.
    func waitUntilClosed() { state.wait(until: { $0.isClosed }, then: { _ in }) }

    /// Subtracts the size of writes that are on disk or discarded, to make room for others.
    func settle(size: Int) { state.withLock { $0.size -= size } }

    /// Adds `count` to the number of discarded writes.
    func lose(_ count: Int) { state.withLock { $0.lost += count } }

    /// Reports the number of writes that were discarded since the last call, if any.
    func reportLost(_ report: Store.Report) {
        let lost = state.withLock { state in
            defer { state.lost = 0 }
            return state.lost
        }
        if lost > 0 { report(.lost(lost)) }
    }

    /// Stops accepting writes, with the given reason. Returns the waiting writes.
    func refuse(_ error: StorageError) -> [Write] {
        state.withLock { state in
            state.refusal = error
            state.opened.removeAll()
            defer { state.waiting.removeAll() }
            return state.waiting
        }
    }

    /// Marks the writer as ended.
    func markWriterEnded() {
        state.withLock { $0.hasEnded = true }
        state.notifyAll()
    }

    /// Stops accepting writes and waits until the remaining writes are written. Returns false if `limit` is reached
    /// first.
    func close(atMost limit: Duration) -> Bool {
        state.withLock { $0.isClosed = true }
        state.notifyAll()
        return state.wait(until: { $0.hasEnded }, atMost: limit)
    }
}
