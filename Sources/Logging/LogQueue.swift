import Locking

/// What stands between those who log and the thread that writes: encoded records, bounded, and the count of dropped ones.
final class LogQueue: Sendable {
    private struct State {
        var encoder: LogEncoder
        var waiting = LogBatch()
        /// Records that were dropped or refused and of which no written line has told yet.
        var dropped = 0
        /// Records queued, and records done with, since the beginning: what `waitUntilWritten` compares.
        var queued = 0
        var finished = 0
        /// The output refused the whole last batch.
        var isBroken = false
        var isClosed = false
        var hasEnded = false
    }

    private let state: Monitor<State>
    private let limit: Int

    init(encoder: LogEncoder, limit: Int) {
        state = Monitor(State(encoder: encoder))
        self.limit = limit
    }

    /// Queues a record, or counts it as dropped. Encoding happens under the lock: it takes about a microsecond, and so
    /// needs no buffer of its own per line.
    func append(_ record: LogRecord) {
        let isFirst = state.withLock { state in
            guard !state.isClosed else { return false }
            let wasEmpty = state.waiting.ends.isEmpty
            guard state.waiting.append(record, encoder: &state.encoder, limit: limit) else {
                state.dropped += 1
                return false
            }
            state.queued += 1
            return wasEmpty
        }
        if isFirst { state.notifyAll() }
    }

    /// Blocks until records wait, then swaps them for `batch`, whose old contents must be done with. False once the queue
    /// is closed and empty.
    func take(into batch: inout LogBatch, now: () -> Int64) -> Bool {
        batch.clear()
        return state.wait(
            until: { !$0.waiting.ends.isEmpty || $0.isClosed },
            then: { state in
                // A closed queue does not go on telling an output that takes nothing.
                if state.dropped > 0, !(state.isClosed && state.isBroken) { Self.tellOfDropped(&state, time: now()) }
                guard !state.waiting.ends.isEmpty else { return false }
                swap(&state.waiting, &batch)
                return true
            })
    }

    /// Counts a batch as done with, `refused` of its records unwritten.
    func finish(_ batch: borrowing LogBatch, refused: Int) {
        let (count, told) = (batch.ends.count, batch.droppedTold)
        state.withLock { state in
            state.finished += count
            state.isBroken = refused == count
            // Where the line that told of dropped ones may be among the refused, its count is told again.
            if refused > 0 { state.dropped += told > 0 ? refused - 1 + told : refused }
        }
        state.notifyAll()
    }

    /// The writer's last word: nothing is written from now on.
    func end() {
        state.withLock { $0.hasEnded = true }
        state.notifyAll()
    }

    /// Blocks until all that was queued before the call is done with; false when `limit` passed first.
    func waitUntilWritten(atMost limit: Duration) -> Bool {
        let goal = state.withLock { $0.queued }
        return state.wait(until: { $0.finished >= goal }, atMost: limit)
    }

    /// Takes no more records and waits for the writer's end; false when `limit` passed first.
    func close(atMost limit: Duration) -> Bool {
        state.withLock { $0.isClosed = true }
        state.notifyAll()
        return state.wait(until: { $0.hasEnded }, atMost: limit)
    }

    /// Queues the line that tells how many are missing, whatever room there is.
    private static func tellOfDropped(_ state: inout State, time: Int64) {
        let record = LogRecord(
            time: time, level: .warning, message: "log lines dropped: the log's reader was too slow or gone",
            fields: [LogField("count", state.dropped)])
        if state.waiting.append(record, encoder: &state.encoder, limit: .max) {
            state.waiting.droppedTold = state.dropped
            state.dropped = 0
            state.queued += 1
        }
    }
}
