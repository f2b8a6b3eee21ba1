// SPDX-License-Identifier: Apache-2.0

/// The loop of the writer's thread, which writes batches as long as the queue is open.
struct Writer {
    private let connection: Connection
    private let queue: WriteQueue
    private let pause: Duration
    private let report: Store.Report
    /// Whether the last batch could not be written.
    private var isFailing = false

    /// Creates a writer.
    ///
    /// - Parameter pause: The time before a failed batch is tried again.
    init(_ connection: Connection, _ queue: WriteQueue, pause: Duration, report: @escaping Store.Report) {
        self.connection = connection
        self.queue = queue
        self.pause = pause
        self.report = report
    }

    /// Writes batches until the queue is closed. If writing becomes impossible, waits until the queue is closed. Counts
    /// the writes that are discarded.
    mutating func run() {
        var batch: [Write] = []
        while queue.dequeue(into: &batch, retryAfter: batch.isEmpty ? nil : pause) {
            guard !batch.isEmpty else { continue }
            do throws(StorageError) {
                let refused = try commit(batch)
                written(batch, refused)
                batch.removeAll()
            } catch {
                guard failed(&batch, error) else {
                    queue.waitUntilClosed()
                    break
                }
            }
        }
        // If the queue was closed while the disk could not be written, the remaining writes are lost.
        queue.lose(batch.count)
        queue.reportLost(report)
    }

    /// Commits all writes in one transaction. Returns the indices of the writes that the database rejected
    /// individually, with their errors.
    private func commit(_ batch: [Write]) throws(StorageError) -> [Int: StorageError] {
        var refused: [Int: StorageError] = [:]
        let isToDisk = batch.contains(where: \.isToDisk)
        // With FULL, the commit waits until it is on disk (SQLite, PRAGMA synchronous).
        if isToDisk { try connection.execute("PRAGMA synchronous = FULL") }
        defer { if isToDisk { try? connection.execute("PRAGMA synchronous = NORMAL") } }
        try connection.transaction { () throws(StorageError) in
            for (index, write) in batch.enumerated() {
                try connection.run("SAVEPOINT change")
                do throws(StorageError) {
                    try write.apply(connection)
                } catch {
                    guard error.kind == .refused, connection.isInTransaction else { throw error }
                    // An error in one write affects only that write, so roll back to its savepoint.
                    try connection.run("ROLLBACK TO change")
                    refused[index] = error
                }
                try connection.run("RELEASE change")
            }
        }
        return refused
    }

    private mutating func written(_ batch: [Write], _ refused: [Int: StorageError]) {
        queue.settle(size: batch.reduce(0) { $0 + $1.size })
        for (index, write) in batch.enumerated() {
            if let error = refused[index] { report(.refused(error)) }
            write.settled?(refused[index])
        }
        if isFailing { report(.writesAgain) }
        queue.reportLost(report)
        isFailing = false
    }

    /// Reports the error to the callers that wait. If the problem may be temporary, keeps the other writes for another
    /// attempt and returns true. If the problem is permanent, discards them and returns false.
    private mutating func failed(_ batch: inout [Write], _ error: StorageError) -> Bool {
        if !isFailing { report(.fails(error)) }
        isFailing = true
        let tried = batch + (error.kind.mayPass ? [] : queue.refuse(error))
        for write in tried where write.isAwaited { write.settled?(error) }
        let unawaited = tried.filter { !$0.isAwaited }
        batch = error.kind.mayPass ? unawaited : []
        queue.settle(size: tried.reduce(0) { $0 + $1.size } - batch.reduce(0) { $0 + $1.size })
        guard !error.kind.mayPass else { return true }
        queue.lose(unawaited.count)
        queue.reportLost(report)
        return false
    }
}
