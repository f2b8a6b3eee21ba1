internal import Locking

/// What the gateway keeps over restarts: one database file, one thread that writes to it, one that reads.
///
/// Whoever changes something never waits for the disk, unless it asks to. Changes are committed together, at most 100 ms
/// after they came and in their order; a process that is killed loses at most what was not committed yet.
package final class Store: Sendable {
    /// What becomes of writes that nobody waits for.
    package enum Event: Sendable, Equatable {
        /// The file can't be opened now, and is tried again.
        case waits(StorageError)
        /// The file has been opened after that.
        case opened
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
    /// How the store was closed; nil while it is open.
    private let closing = Locked<Bool?>(nil)

    /// Opens the file, making it where it is missing, for this process alone. Blocks until that is done; throws why it can't
    /// be. With `keepsTrying` what can pass is no error: it is tried again after each `pause`. Until then writes that nobody
    /// waits for are kept, up to the limit, and all else throws why.
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
                    if let connection = try Store.open(file, queue, keepsTrying ? pause : nil, opening, report) {
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
            throw .system("used by a thread", file.path, error.code)
        }
        self.queue = queue
        if let error = opening.outcome() {
            reader.close(atMost: .seconds(1))
            writer.join()
            throw error
        }
    }

    deinit { close() }

    /// Opens the file, at the first try or, with a pause, a later one; nil when the queue was closed meanwhile, or there came
    /// what doesn't pass.
    private static func open(
        _ file: StateFile, _ queue: WriteQueue, _ pause: Duration?, _ opening: Opening, _ report: Report
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

    /// Why the file is not open yet, or never will be; nil: it is.
    package var obstacle: StorageError? { queue.obstacle }

    /// Whether the file is open, and this process's alone for as long as the store is; where it is not yet, `body` is called once
    /// it is, on the writer's thread.
    package func isOpen(orElse body: @escaping @Sendable () -> Void) -> Bool { queue.isOpen(orElse: body) }

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

    /// Calls `done` when all that was written before the call is committed, or why it can't be: on the writer's thread, or
    /// within the call.
    package func flush(_ done: @escaping @Sendable (StorageError?) -> Void) {
        queue.append(Write(apply: { _ in }, size: 0, settled: done))
    }

    // MARK: Reading

    /// What `query` finds among all that is committed. It runs on the reader's thread, on a connection of its own.
    package func read<Found: Sendable>(
        _ query: @escaping @Sendable (Connection) throws(StorageError) -> Found
    ) async throws(StorageError) -> Found {
        // What another gateway keeps there is not this one's.
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

    /// Takes nothing more, writes what is queued and closes the file. False when `limit` passed first: the thread is then
    /// left behind in its write or query. What waits to be read is refused. A second call says at once what the first has.
    @discardableResult
    package func close(atMost limit: Duration = .seconds(5)) -> Bool {
        let isFirst = closing.withLock { closing in
            defer { closing = closing ?? false }
            return closing == nil
        }
        guard isFirst else { return closing.withLock { $0 ?? false } }
        let start = ContinuousClock.now
        // First: the last one to close the file is to clean up, and readers can't. Writes matter more: half the time is theirs.
        let hasRead = reader.close(atMost: limit / 2)
        guard queue.close(atMost: max(limit - (ContinuousClock.now - start), .zero)) else { return false }
        writer.join()
        closing.withLock { $0 = hasRead }
        return hasRead
    }

    /// The outcome of opening the file, which happens on the writer's thread.
    private final class Opening: Sendable {
        private let result = Monitor<(isOver: Bool, error: StorageError?)>((false, nil))

        func end(_ error: StorageError?) {
            result.withLock { if !$0.isOver { $0 = (true, error) } }
            result.notifyAll()
        }

        /// Blocks until it is there; nil when the file is open.
        func outcome() -> StorageError? { result.wait(until: { $0.isOver }, then: { $0.error }) }
    }
}
