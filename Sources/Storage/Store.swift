internal import Locking

/// What the gateway keeps over restarts: one database file, one thread that writes to it, one that reads.
///
/// Whoever changes something never waits for the disk, unless it asks to. Changes are committed together, at most 100 ms
/// after they came and in their order; a process that is killed loses at most what was not committed yet.
package final class Store: Sendable {
    /// What becomes of writes that nobody waits for.
    package enum Event: Sendable, Equatable {
        /// Nothing can be written. What can pass is tried again; what comes meanwhile waits, up to the queue's limit.
        case fails(StorageError)
        /// Writing works again.
        case writesAgain
        /// So many changes were given up.
        case lost(Int)
        /// The database has refused one change.
        case refused(StorageError)
    }

    /// Called on the writer's thread.
    package typealias Report = @Sendable (Event) -> Void

    /// Bytes that wait to be written at most, unless `init` says otherwise: 4 MiB.
    package static let defaultLimit = 4 * 1024 * 1024
    /// Before a batch is tried again that could not be written.
    package static let defaultPause = Duration.seconds(5)

    private let queue: WriteQueue
    private let writer: WorkerThread
    private let reader: ReaderThread

    /// Opens the file, making it where it is missing, for this process alone. Blocks until that is done; throws why it can't
    /// be.
    package init(
        _ file: StateFile, limit: Int = Store.defaultLimit, pause: Duration = Store.defaultPause,
        report: @escaping Report
    ) throws(StorageError) {
        let queue = WriteQueue(path: file.path, limit: limit)
        let opening = Opening()
        do throws(WorkerThread.StartError) {
            let reader = try ReaderThread(file)
            writer = try WorkerThread(name: "state-writer") {
                do throws(StorageError) {
                    var writer = Writer(try file.openForWriting(), queue, pause: pause, report: report)
                    opening.end(nil)
                    writer.run()
                } catch {
                    opening.end(error)
                }
                queue.end()
            }
            self.reader = reader
        } catch {
            throw .system("used by a thread", file.path, error.code)
        }
        self.queue = queue
        if let error = opening.outcome() {
            writer.join()
            throw error
        }
    }

    deinit { close() }

    // MARK: Writing

    /// Changes something, soon and behind the caller's back: what becomes of it is told to nobody but the store's report.
    ///
    /// `change` runs on the writer's thread, within a transaction with other changes; `size`: about how many bytes it holds.
    package func write(size: Int, _ change: @escaping @Sendable (Connection) throws(StorageError) -> Void) {
        queue.append(Write(apply: change, size: size, settled: nil))
    }

    /// Changes something and returns when it is on disk, so that not even a loss of power takes it back (`PRAGMA
    /// synchronous=FULL`); throws when it is not.
    package func writeToDisk(
        size: Int, _ change: @escaping @Sendable (Connection) throws(StorageError) -> Void
    ) async throws(StorageError) {
        let error: StorageError? = await withCheckedContinuation { continuation in
            queue.append(
                Write(apply: change, size: size, isToDisk: true) { continuation.resume(returning: $0) })
        }
        if let error { throw error }
    }

    /// Returns when all that was written before the call is committed, so that a query finds it; throws when it can't be.
    package func flush() async throws(StorageError) {
        let error: StorageError? = await withCheckedContinuation { continuation in
            queue.append(Write(apply: { _ in }, size: 0) { continuation.resume(returning: $0) })
        }
        if let error { throw error }
    }

    // MARK: Reading

    /// What `query` finds among all that is committed. It runs on the reader's thread, on a connection of its own.
    package func read<Found: Sendable>(
        _ query: @escaping @Sendable (Connection) throws(StorageError) -> Found
    ) async throws(StorageError) -> Found {
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

    /// Takes nothing more, writes what is queued and closes the file. False when `limit` passed first: the thread is then
    /// left behind in its write.
    @discardableResult
    package func close(atMost limit: Duration = .seconds(5)) -> Bool {
        // First: the last one to close the file is to clean up, and readers can't.
        reader.close()
        guard queue.close(atMost: limit) else { return false }
        writer.join()
        return true
    }

    /// The outcome of opening the file, which happens on the writer's thread.
    private final class Opening: Sendable {
        private let result = Monitor<(isOver: Bool, error: StorageError?)>((false, nil))

        func end(_ error: StorageError?) {
            result.withLock { $0 = (true, error) }
            result.notifyAll()
        }

        /// Blocks until it is there; nil when the file is open.
        func outcome() -> StorageError? { result.wait(until: { $0.isOver }, then: { $0.error }) }
    }
}
