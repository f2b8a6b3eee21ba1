// SPDX-License-Identifier: Apache-2.0

internal import Encodings
package import Locking

/// The log sink that performs I/O. The writer encodes records into a queue, which a dedicated thread writes out.
///
/// Threads that log never wait for the output. While the output blocks, up to `limit` bytes are queued. Further records
/// are dropped and counted, and one line reports their number once the output accepts data again.
package final class LogWriter: LogSink {
    /// The default maximum size of the queue: 8 MiB.
    package static let defaultLimit = 8 * 1024 * 1024

    private let queue: LogQueue
    private let thread: WorkerThread

    /// Starts the writer thread.
    ///
    /// - Parameters:
    ///   - encoder: The encoder for the log's format.
    ///   - output: The destination of the encoded records.
    ///   - limit: The maximum number of queued bytes.
    ///   - now: The wall clock, which timestamps the line about dropped records.
    package init(
        encoder: LogEncoder, output: LogOutput, limit: Int = LogWriter.defaultLimit,
        now: @escaping @Sendable () -> Int64 = WallClock.nanoseconds
    ) throws(WorkerThread.StartError) {
        let queue = LogQueue(encoder: encoder, limit: limit)
        self.queue = queue
        thread = try WorkerThread(name: "log-writer") {
            // Use a second buffer, so that the queue can fill one buffer while the thread writes out the other one.
            var batch = LogBatch()
            while queue.dequeue(into: &batch, now: now) {
                let refused = output.write(batch.bytes, ends: batch.ends)
                queue.finish(batch, refused: refused)
            }
            queue.markWriterEnded()
        }
    }

    deinit {
        close()
    }

    /// Queues one record. Ignores the record if the writer is closed.
    package func write(_ record: LogRecord) {
        queue.append(record)
    }

    /// Rejects further records, writes the queued records and ends the thread.
    ///
    /// Returns false if `limit` is reached first. The remaining records are then lost, and the thread remains blocked
    /// in its write. A further call waits again for at most its own `limit`.
    @discardableResult
    package func close(atMost limit: Duration = .seconds(2)) -> Bool {
        guard queue.close(atMost: limit) else { return false }
        thread.join()
        return true
    }
}
