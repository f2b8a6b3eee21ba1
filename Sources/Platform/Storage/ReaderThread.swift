// SPDX-License-Identifier: Apache-2.0

internal import Locking

/// A thread with its own database connection that runs queries one after the other.
final class ReaderThread: Sendable {
    typealias Query = @Sendable (Result<Connection, StorageError>) -> Void

    private final class Queue: Sendable {
        struct State {
            var waiting: [Query] = []
            var isClosed = false
            var hasEnded = false
            /// This process's lock on the file. The queue retains the lock until the last query has ended, so that no
            /// other process can acquire it earlier.
            var lock: StateLock?
        }

        let state = Monitor(State())

        /// Returns the oldest query; nil once the queue is closed and empty.
        func next() -> Query? {
            state.wait(
                until: { $0.isClosed || !$0.waiting.isEmpty },
                then: { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() })
        }
    }

    /// The maximum number of waiting queries.
    private static let limit = 1_000

    private let queue = Queue()
    private let thread: WorkerThread
    private let path: String

    /// Starts the thread. The first query opens the file.
    init(_ file: StateFile) throws(WorkerThread.StartError) {
        path = file.path
        let queue = queue
        thread = try WorkerThread(name: "\(file.threadName)-reader") {
            var connection: Connection?
            while let query = queue.next() {
                do throws(StorageError) {
                    if connection == nil { connection = try file.openForReading() }
                    if let connection { query(.success(connection)) }
                } catch {
                    query(.failure(error))
                }
            }
            connection = nil
            queue.state.withLock {
                $0.hasEnded = true
                $0.lock = nil
            }
            queue.state.notifyAll()
        }
    }

    /// Keeps this lock on the file until the thread has ended.
    func retain(_ lock: StateLock?) { queue.state.withLock { if !$0.hasEnded { $0.lock = lock } } }

    /// Runs a query on the thread.
    func run(_ query: @escaping Query) {
        let refusal = queue.state.withLock { state -> StorageError? in
            if state.isClosed { return .closed(path) }
            guard state.waiting.count < Self.limit else { return .overflow(path) }
            state.waiting.append(query)
            return nil
        }
        if let refusal { query(.failure(refusal)) } else { queue.state.notifyAll() }
    }

    deinit { close(atMost: .zero) }

    /// Rejects the waiting queries and ends the thread. Returns false if the running query does not end within `limit`.
    /// In that case, the thread remains in the query.
    @discardableResult
    func close(atMost limit: Duration) -> Bool {
        let refused = queue.state.withLock { state in
            state.isClosed = true
            defer { state.waiting.removeAll() }
            return state.waiting
        }
        queue.state.notifyAll()
        for query in refused { query(.failure(.closed(path))) }
        guard queue.state.wait(until: { $0.hasEnded }, atMost: limit) else { return false }
        thread.join()
        return true
    }
}
