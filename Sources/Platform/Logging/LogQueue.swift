// SPDX-License-Identifier: Apache-2.0

import Locking

/// A bounded queue of encoded records between the logging threads and the writer thread. The queue counts the dropped
/// records.
final class LogQueue: Sendable {
    private struct State {
        var encoder: LogEncoder
        var waiting = LogBatch()
        /// The number of dropped or rejected records that no written line has reported yet.
        var dropped = 0
        /// Whether the writer waits for a first record. The thread that queues this record must wake the writer.
        var isWriterIdle = false
        /// Whether the output rejected the whole last batch.
        var isBroken = false
        var isClosed = false
        var hasEnded = false
    }

    /// The time for which the writer collects further records after the first one, and the number of bytes that ends
    /// this time early. If each line woke the writer, each line would cost the logging thread a system call.
    private static let gathering = (time: Duration.milliseconds(5), bytes: 64 * 1024)

    private let state: Monitor<State>
    private let limit: Int

    init(encoder: LogEncoder, limit: Int) {
        state = Monitor(State(encoder: encoder))
        self.limit = limit
    }

    /// Queues a record, or counts it as dropped.
    ///
    /// Encodes the record while holding the lock, so that no line needs a separate buffer. Encoding takes about a
    /// microsecond.
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

    /// Blocks until records are queued, then swaps them with `batch`, whose previous content is discarded. Returns
    /// false when the queue is closed and empty.
    func dequeue(into batch: inout LogBatch, now: () -> Int64) -> Bool {
        batch.clear()
        state.withLock { $0.isWriterIdle = $0.waiting.ends.isEmpty }
        state.wait(until: { !$0.waiting.ends.isEmpty || $0.isClosed }, then: { _ in })
        _ = state.wait(
            until: { $0.waiting.bytes.count >= Self.gathering.bytes || $0.isClosed },
            atMost: Self.gathering.time)
        return state.wait(
            until: { !$0.waiting.ends.isEmpty || $0.isClosed },
            then: { state in
                // If the queue is closed and the output accepts nothing, a report of dropped records would be lost as
                // well.
                if state.dropped > 0, !(state.isClosed && state.isBroken) { Self.reportDropped(&state, time: now()) }
                guard !state.waiting.ends.isEmpty else { return false }
                swap(&state.waiting, &batch)
                return true
            })
    }

    /// Marks a batch as processed. `refused` is the number of its records that were not written.
    func finish(_ batch: borrowing LogBatch, refused: Int) {
        let count = batch.ends.count
        let reported = batch.droppedReported
        state.withLock { state in
            state.isBroken = refused == count
            // The rejected records may include the report of dropped records. In that case, add the reported number
            // again.
            if refused > 0 { state.dropped += reported > 0 ? refused - 1 + reported : refused }
        }
    }

    /// Records that the writer has ended and will write nothing more.
    func markWriterEnded() {
        state.withLock { $0.hasEnded = true }
        state.notifyAll()
    }

    /// Rejects further records and waits until the writer has ended. Returns false if `limit` is reached first.
    func close(atMost limit: Duration) -> Bool {
        state.withLock { $0.isClosed = true }
        state.notifyAll()
        return state.wait(until: { $0.hasEnded }, atMost: limit)
    }

    /// Queues the line that reports the number of dropped records, regardless of the size limit.
    private static func reportDropped(_ state: inout State, time: Int64) {
        let record = LogRecord(
            time: time, level: .warning, message: "log lines dropped",
            fields: [LogField("count", state.dropped)])
        if state.waiting.append(record, encoder: &state.encoder, limit: .max) {
            state.waiting.droppedReported = state.dropped
            state.dropped = 0
        }
    }
}

/// Consecutive encoded records that are queued or being written.
struct LogBatch: Sendable {
    /// The bytes of all records.
    var bytes: [UInt8] = []
    /// The end offset of each record in `bytes`.
    var ends: [Int] = []
    /// The number of dropped records that the batch's last record reports; 0 if there is no such record.
    var droppedReported = 0

    /// Empties the batch. Releases a large buffer after a burst, but keeps a buffer of the usual size so that logging
    /// does not allocate memory.
    mutating func clear() {
        let isLarge = bytes.capacity > 256 * 1024
        bytes.removeAll(keepingCapacity: !isLarge)
        ends.removeAll(keepingCapacity: !isLarge)
        droppedReported = 0
    }

    /// Encodes a record and appends it. If the batch would exceed `limit` bytes, changes nothing and returns false.
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
