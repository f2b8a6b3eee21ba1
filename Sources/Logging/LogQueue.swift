import Locking

/// What stands between those who log and the thread that writes: encoded records, bounded, and the count of dropped ones.
final class LogQueue: Sendable {
    private struct State {
        var encoder: LogEncoder
        var waiting = LogBatch()
        /// Records that were dropped or refused and of which no written line has told yet.
        var dropped = 0
        /// The writer waits for a first record: whoever queues it must wake the writer.
        var isWriterIdle = false
        /// The output refused the whole last batch.
        var isBroken = false
        var isClosed = false
        var hasEnded = false
    }

    /// How long the writer waits for more once a record is there, and the bytes that end that wait: waking a thread for
    /// each line would cost whoever logs a system call a line.
    private static let gathering = (time: Duration.milliseconds(5), bytes: 64 * 1024)

    private let state: Monitor<State>
    private let limit: Int

    init(encoder: LogEncoder, limit: Int) {
        state = Monitor(State(encoder: encoder))
        self.limit = limit
    }

    /// Queues a record, or counts it as dropped. Encoding happens under the lock: it takes about a microsecond, and so
    /// needs no buffer of its own per line.
    func append(_ record: LogRecord) {
        let mustWake = state.withLock { state in
            guard !state.isClosed else { return false }
            let before = state.waiting.bytes.count
            guard state.waiting.append(record, encoder: &state.encoder, limit: limit) else {
                state.dropped += 1
                return false
            }
            let isEnough = before < Self.gathering.bytes && state.waiting.bytes.count >= Self.gathering.bytes
            defer { state.isWriterIdle = false }
            return state.isWriterIdle || isEnough
        }
        if mustWake { state.notifyAll() }
    }

    /// Blocks until records wait, then swaps them for `batch`, whose old contents must be done with. False once the queue
    /// is closed and empty.
    func take(into batch: inout LogBatch, now: () -> Int64) -> Bool {
        batch.clear()
        state.withLock { $0.isWriterIdle = $0.waiting.ends.isEmpty }
        state.wait(until: { !$0.waiting.ends.isEmpty || $0.isClosed }, then: { _ in })
        _ = state.wait(
            until: { $0.waiting.bytes.count >= Self.gathering.bytes || $0.isClosed },
            atMost: Self.gathering.time)
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
            state.isBroken = refused == count
            // Where the line that told of dropped ones may be among the refused, its count is told again.
            if refused > 0 { state.dropped += told > 0 ? refused - 1 + told : refused }
        }
    }

    /// The writer's last word: nothing is written from now on.
    func end() {
        state.withLock { $0.hasEnded = true }
        state.notifyAll()
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
        }
    }
}

/// Encoded records, one behind the other: what waits in the queue, or what is being written out.
struct LogBatch: Sendable {
    /// The records' bytes.
    var bytes: [UInt8] = []
    /// Where each record ends in `bytes`.
    var ends: [Int] = []
    /// How many dropped records the batch's last one tells of; 0 where there is no such line.
    var droppedTold = 0

    /// Empties the batch. A burst's memory is given back; the ordinary amount is kept so that logging does not allocate.
    mutating func clear() {
        let isLarge = bytes.capacity > 256 * 1024
        bytes.removeAll(keepingCapacity: !isLarge)
        ends.removeAll(keepingCapacity: !isLarge)
        droppedTold = 0
    }

    /// Encodes a record behind the others; false where they would be longer than `limit` together, and then nothing changes.
    mutating func append(_ record: LogRecord, encoder: inout LogEncoder, limit: Int) -> Bool {
        let start = bytes.count
        encoder.encode(record, into: &bytes)
        guard bytes.count <= limit else {
            bytes.removeSubrange(start...)
            return false
        }
        ends.append(bytes.count)
        return true
    }
}
