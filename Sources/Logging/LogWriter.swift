internal import Clocks
package import Locking

/// The sink that does the I/O: records are encoded into a queue, and a thread of its own writes the queue out.
///
/// Whoever logs never waits for the output. While the output takes nothing, up to `limit` bytes wait; what comes then is
/// dropped and counted, and one line says how many as soon as something can be written again.
package final class LogWriter: LogSink {
    /// Bytes that wait for the output at most, unless `init` says otherwise: 8 MiB.
    package static let defaultLimit = 8 * 1024 * 1024

    private let queue: LogQueue
    private let thread: WorkerThread

    /// Starts the writer's thread. `now` is the wall clock for the line that tells of dropped ones.
    package init(
        encoder: LogEncoder, output: LogOutput, limit: Int = LogWriter.defaultLimit,
        now: @escaping @Sendable () -> Int64 = WallClock.nanoseconds
    ) throws(WorkerThread.StartError) {
        let queue = LogQueue(encoder: encoder, limit: limit)
        self.queue = queue
        thread = try WorkerThread(name: "log-writer") {
            // One buffer is written out while the other one fills.
            var batch = LogBatch()
            while queue.take(into: &batch, now: now) {
                let refused = output.write(batch.bytes, ends: batch.ends)
                queue.finish(batch, refused: refused)
            }
            queue.end()
        }
    }

    deinit {
        close()
    }

    /// Queues one record. After `close` it is dropped.
    package func write(_ record: LogRecord) {
        queue.append(record)
    }

    /// Takes no more records, writes what is queued and ends the thread. False when `limit` passed first: then what is
    /// left stays unwritten and the thread is left behind in its write. A later call gives the same answer.
    @discardableResult
    package func close(atMost limit: Duration = .seconds(2)) -> Bool {
        guard queue.close(atMost: limit) else { return false }
        thread.join()
        return true
    }
}
