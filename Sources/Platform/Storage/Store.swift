// SPDX-License-Identifier: Apache-2.0

internal import Locking

/// The gateway's persistent state: one database file, one thread that writes to it, one that reads.
///
/// A caller that changes something never waits for the disk, unless it requests that. Changes are committed together
/// and in order, at most 100 ms after they arrived; a process that is killed loses at most the changes that were not
/// committed yet.
package final class Store: Sendable {
    /// An event about writes that no caller waits for.
    package enum Event: Sendable, Equatable {
        /// The file cannot be opened now; the store will try again.
        case waits(StorageError)
        /// The file has been opened after that.
        case opened
        /// Writing fails. If the problem can disappear, the batch is tried again; new writes wait, up to the queue's
        /// limit.
        case fails(StorageError)
        /// Writing works again after a failure.
        case writesAgain
        /// This many changes were discarded.
        case lost(Int)
        /// The database has refused one change.
        case refused(StorageError)
    }

    /// A closure for events that is called on the writer's thread.
    package typealias Report = @Sendable (Event) -> Void

    /// The default limit of bytes that wait to be written: 4 MiB.
    package static let defaultLimit = 4 * 1024 * 1024
    /// The default time before a batch that could not be written is tried again.
    package static let defaultPause = Duration.seconds(5)

    private let queue: WriteQueue
    private let writer: WorkerThread
    private let reader: ReaderThread
    /// Whether the store was closed in time; nil while it is open.
    private let closing = Locked<Bool?>(nil)

    /// Opens the file for this process alone, and creates it if it is missing. Blocks until that is done; throws the
    /// reason if it fails. With `keepsTrying`, a problem that can disappear is no error: opening is tried again after
    /// each `pause`. Until then writes that no caller waits for are kept, up to the limit, and all other calls throw
    /// the reason.
    package init(
        _ file: StateFile, limit: Int = Store.defaultLimit, pause: Duration = Store.defaultPause,
        keepsTrying: Bool = false, report: @escaping Report
    ) throws(StorageError) {
        let queue = WriteQueue(path: file.path, limit: limit)
        let opening = Opening()
        do throws(WorkerThread.StartError) {
            let reader = try ReaderThread(file)
            writer = try WorkerThread(name: "state-writer") {
                do throws(StorageError) {
                    if let connection = try Store.open(
                        file, queue: queue, pause: keepsTrying ? pause : nil, opening: opening, report: report)
                    {
                        reader.hold(connection.lock)
                        opening.end(nil)
                        var writer = Writer(connection, queue, pause: pause, report: report)
                        writer.run()
                    }
                } catch {
                    opening.end(error)
                }
                queue.end()
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

    /// Opens the file, at the first attempt or, with a pause, a later one; returns nil when the queue was closed
    /// meanwhile, or when a permanent problem occurred.
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
                opening.end(nil)
                guard queue.waitToOpen(pause) else {
                    queue.lose(queue.refuse(error).count)
                    break
                }
            }
        }
        queue.reportLost(report)
        return nil
    }

    /// The reason why the file is not open yet, or never will be; nil if it is open.
    package var obstacle: StorageError? { queue.obstacle }

    /// Returns whether the file is open. An open file is locked for this process as long as the store exists. If the
    /// file is not open yet, `body` is called on the writer's thread once it is.
    package func isOpen(orElse body: @escaping @Sendable () -> Void) -> Bool { queue.isOpen(orElse: body) }

    // MARK: Writing

    /// Queues a change without waiting for it; only the store's report receives the result.
    ///
    /// `change` runs on the writer's thread, within a transaction with other changes; `size`: its approximate size in
    /// bytes.
    package func write(size: Int, _ change: @escaping @Sendable (Connection) throws(StorageError) -> Void) {
        queue.append(Write(apply: change, size: size, settled: nil))
    }

    /// Writes a change and returns when it is on disk, so that not even a loss of power reverts it (`PRAGMA
    /// synchronous=FULL`); throws when that fails.
    package func writeToDisk(
        size: Int, _ change: @escaping @Sendable (Connection) throws(StorageError) -> Void
    ) async throws(StorageError) {
        let error: StorageError? = await withCheckedContinuation { continuation in
            queue.append(
                Write(apply: change, size: size, isToDisk: true) { continuation.resume(returning: $0) })
        }
        if let error { throw error }
    }

    /// Returns when all writes before the call are committed, so that a query finds them; throws when that fails.
    package func flush() async throws(StorageError) {
        let error: StorageError? = await withCheckedContinuation { continuation in
            queue.append(Write(apply: { _ in }, size: 0) { continuation.resume(returning: $0) })
        }
        if let error { throw error }
    }

    /// Calls `done` when all writes before the call are committed, or with the error if that fails: on the writer's
    /// thread, or within the call.
    package func flush(_ done: @escaping @Sendable (StorageError?) -> Void) {
        queue.append(Write(apply: { _ in }, size: 0, settled: done))
    }

    // MARK: Reading

    /// Returns the result of `query` over all committed data. It runs on the reader's thread, on its own connection.
    package func read<Found: Sendable>(
        _ query: @escaping @Sendable (Connection) throws(StorageError) -> Found
    ) async throws(StorageError) -> Found {
        // Another gateway's data in the file is not this one's.
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

    /// Stops accepting calls, writes the queue and closes the file. Returns false when `limit` passed first: the thread
    /// is then abandoned in its write or query. Waiting reads are refused. A second call immediately returns the result
    /// of the first.
    @discardableResult
    package func close(atMost limit: Duration = .seconds(5)) -> Bool {
        let isFirst = closing.withLock { closing in
            defer { closing = closing ?? false }
            return closing == nil
        }
        guard isFirst else { return closing.withLock { $0 ?? false } }
        let start = ContinuousClock.now
        // The reader closes first: the last connection to close the file cleans up, and readers cannot do that. Writes
        // are more important: half the time is reserved for them.
        let hasRead = reader.close(atMost: limit / 2)
        guard queue.close(atMost: max(limit - (ContinuousClock.now - start), .zero)) else { return false }
        writer.join()
        closing.withLock { $0 = hasRead }
        return hasRead
    }

    /// The result of opening the file, which happens on the writer's thread.
    private final class Opening: Sendable {
        private let result = Monitor<(isOver: Bool, error: StorageError?)>((false, nil))

        func end(_ error: StorageError?) {
            result.withLock { if !$0.isOver { $0 = (true, error) } }
            result.notifyAll()
        }

        /// Blocks until the result is available; returns nil when the file is open.
        func outcome() -> StorageError? { result.wait(until: { $0.isOver }, then: { $0.error }) }
    }
}
