// SPDX-License-Identifier: Apache-2.0

internal import Locking

/// The gateway's persistent state: one database file, with one thread that writes to it and one that reads from it.
///
/// A caller that changes data waits for the disk only if the caller requests the wait. The store commits changes
/// together and in order, at most 100 ms after they arrive. If the process is killed, only the changes that were not
/// committed yet are lost.
package final class Store: Sendable {
    /// An event about writes without a waiting caller.
    package enum Event: Sendable, Equatable {
        /// The file cannot be opened now. The store will try again.
        case waits(StorageError)
        /// The file was opened after an earlier attempt had failed.
        case opened
        /// Writing fails. If the problem may be temporary, the store retries the batch, and queues new writes up to the
        /// queue's limit.
        case fails(StorageError)
        /// Writing works again after a failure.
        case writesAgain
        /// The number of changes that were discarded.
        case lost(Int)
        /// The database rejected one change.
        case refused(StorageError)
    }

    /// A closure that receives events on the writer's thread.
    package typealias Report = @Sendable (Event) -> Void

    /// The default maximum size of the waiting writes: 4 MiB.
    package static let defaultLimit = 4 * 1024 * 1024
    /// The default delay before a failed batch is tried again.
    package static let defaultPause = Duration.seconds(5)

    private let queue: WriteQueue
    private let writer: WorkerThread
    private let reader: ReaderThread
    /// Whether the store was closed within the time limit; nil while the store is open.
    private let closing = Locked<Bool?>(nil)

    /// Opens the file for this process alone, and creates it if it is missing. Blocks until the file is open, and
    /// throws the reason if the file cannot be opened.
    ///
    /// With `keepsTrying`, a temporary problem is not an error. Instead, the store tries again after each `pause`.
    /// Until the file is open, the store queues writes without a waiting caller, up to the limit, and all other calls
    /// throw the reason.
    package init(
        _ file: StateFile, limit: Int = Store.defaultLimit, pause: Duration = Store.defaultPause,
        keepsTrying: Bool = false, report: @escaping Report
    ) throws(StorageError) {
        let queue = WriteQueue(path: file.path, limit: limit)
        let opening = Opening()
        do throws(WorkerThread.StartError) {
            let reader = try ReaderThread(file)
            writer = try WorkerThread(name: "\(file.threadName)-writer") {
                do throws(StorageError) {
                    if let connection = try Store.open(
                        file, queue: queue, pause: keepsTrying ? pause : nil, opening: opening, report: report)
                    {
                        reader.retain(connection.lock)
                        opening.complete(nil)
                        var writer = Writer(connection, queue, pause: pause, report: report)
                        writer.run()
                    }
                } catch {
                    opening.complete(error)
                }
                queue.markWriterEnded()
            }
            self.reader = reader
        } catch {
            throw .system("used, because no thread can be started", path: file.path, code: error.code)
        }
        self.queue = queue
        if let error = opening.outcome() {
            reader.close(atMost: .seconds(1))
            writer.join()
            throw error
        }
    }

    deinit { close() }

    /// Opens the file. If `pause` is not nil, tries again after each temporary problem. Throws if the first
    /// attempt fails permanently. Returns nil if a later attempt fails permanently or the queue is closed in the
    /// meantime.
    private static func open(
        _ file: StateFile, queue: WriteQueue, pause: Duration?, opening: Opening, report: Report
    ) throws(StorageError) -> Connection? {
        while true {
            do throws(StorageError) {
                let connection = try file.openForWriting()
                if queue.obstacle != nil {
                    let waiting = queue.removeObstacle()
                    report(.opened)
                    for body in waiting { body() }
                }
                return connection
            } catch {
                let isFirst = queue.obstacle == nil
                guard let pause, error.kind.mayPassAtOpening else {
                    if isFirst { throw error }
                    queue.setObstacle(error)
                    queue.lose(queue.refuse(error).count)
                    report(.fails(error))
                    queue.reportLost(report)
                    queue.waitUntilClosed()
                    break
                }
                queue.setObstacle(error)
                if isFirst { report(.waits(error)) }
                opening.complete(nil)
                guard queue.waitToOpen(pause) else {
                    queue.lose(queue.refuse(error).count)
                    break
                }
            }
        }
        queue.reportLost(report)
        return nil
    }

    /// The reason why the file is not open yet or can never be opened; nil if it is open.
    package var obstacle: StorageError? { queue.obstacle }

    /// Returns whether the file is open. An open file is locked for this process as long as the store exists. If the
    /// file is not open yet, the writer's thread calls `body` when it opens the file.
    package func isOpen(orElse body: @escaping @Sendable () -> Void) -> Bool { queue.isOpen(orElse: body) }

    // MARK: Writing

    /// Queues a change without waiting for its commit. The store reports errors only to its `report` closure.
    ///
    /// - Parameters:
    ///   - size: The approximate size of the change in bytes.
    ///   - change: Runs on the writer's thread, within a transaction that it shares with other changes.
    package func write(size: Int, _ change: @escaping @Sendable (Connection) throws(StorageError) -> Void) {
        queue.append(Write(apply: change, size: size, settled: nil))
    }

    /// Writes a change and returns after it is on disk, so that not even a loss of power reverts it (`PRAGMA
    /// synchronous=FULL`). Throws if the write fails.
    package func writeToDisk(
        size: Int, _ change: @escaping @Sendable (Connection) throws(StorageError) -> Void
    ) async throws(StorageError) {
        let error: StorageError? = await withCheckedContinuation { continuation in
            queue.append(
                Write(apply: change, size: size, isToDisk: true) { continuation.resume(returning: $0) })
        }
        if let error { throw error }
    }

    /// Returns after all earlier writes are committed, so that a query finds them. Throws if the writes cannot be
    /// committed.
    package func flush() async throws(StorageError) {
        let error: StorageError? = await withCheckedContinuation { continuation in
            queue.append(Write(apply: { _ in }, size: 0) { continuation.resume(returning: $0) })
        }
        if let error { throw error }
    }

    /// Calls `done` after all earlier writes are committed, or with an error if the commit fails. `done` is called on
    /// the writer's thread or before this method returns.
    package func flush(_ done: @escaping @Sendable (StorageError?) -> Void) {
        queue.append(Write(apply: { _ in }, size: 0, settled: done))
    }

    // MARK: Reading

    /// Returns the result of `query` over all committed data. The query runs on the reader's thread with its own
    /// connection.
    package func read<Found: Sendable>(
        _ query: @escaping @Sendable (Connection) throws(StorageError) -> Found
    ) async throws(StorageError) -> Found {
        // As long as this process has not locked the file, another gateway may be using it, so do not read it.
        if let obstacle = queue.obstacle { throw obstacle }
        let result: Result<Found, StorageError> = await withCheckedContinuation { continuation in
            reader.run { connection in
                continuation.resume(
                    returning: connection.flatMap { connection in
                        Result { () throws(StorageError) in try query(connection) }
                    })
            }
        }
        return try result.get()
    }

    // MARK: Ending

    /// Rejects further calls, writes the queue and closes the file. Rejects waiting reads.
    ///
    /// Returns false if `limit` is reached first. The blocked thread then remains in its write or query. A second call
    /// immediately returns the result of the first.
    @discardableResult
    package func close(atMost limit: Duration = .seconds(5)) -> Bool {
        let isFirst = closing.withLock { closing in
            defer { closing = closing ?? false }
            return closing == nil
        }
        guard isFirst else { return closing.withLock { $0 ?? false } }
        let start = ContinuousClock.now
        // Close the reader first. The connection that closes last cleans up the file, and only the writer's connection
        // can do so. Reserve half of the time for the writes, which are more important.
        let hasRead = reader.close(atMost: limit / 2)
        guard queue.close(atMost: max(limit - (ContinuousClock.now - start), .zero)) else { return false }
        writer.join()
        closing.withLock { $0 = hasRead }
        return hasRead
    }

    /// The result of opening the file on the writer's thread.
    private final class Opening: Sendable {
        private let result = Monitor<(isOver: Bool, error: StorageError?)>((false, nil))

        func complete(_ error: StorageError?) {
            result.withLock { if !$0.isOver { $0 = (true, error) } }
            result.notifyAll()
        }

        /// Blocks until the result is available. Returns nil if the file is open.
        func outcome() -> StorageError? { result.wait(until: { $0.isOver }, then: { $0.error }) }
    }
}
