// SPDX-License-Identifier: Apache-2.0

import GatewayCore
import Locking

/// The threads for the parts of translated requests that read or write large amounts of JSON, and the state that the
/// requests of all loops share.
package final class BridgeThreads: Sendable {
    /// The number of threads. With two threads, a page of a long list does not delay other requests.
    private static let count = 2
    /// The maximum total size of the bodies of all translated requests, in bytes. A single body has at most
    /// ``BridgeExchange/longestBody``.
    static let limitOfBodies = 40 << 20

    /// The home directory of the user who runs OpenCode.
    let home: String
    let locks = SessionLocks()
    let defaults = KnownInstanceDefaults()
    /// The budget for the bodies of all translated requests. Reading a body takes up to 18 times the body's size in memory.
    let bodies = BodyBudget(limit: BridgeThreads.limitOfBodies)
    private let queue: JobQueue
    private let threads: [WorkerThread]

    /// Starts the threads.
    ///
    /// - Parameter home: The home directory of the user who runs OpenCode.
    package init(home: String) throws {
        self.home = home
        let queue = JobQueue()
        self.queue = queue
        threads = try (0..<Self.count).map { index in
            try WorkerThread(name: "bridge-\(index)") { queue.work() }
        }
    }

    /// Runs a part of a task on one of the threads.
    fileprivate func add(_ job: UnownedJob, of executor: BridgeExecutor) { queue.add(job, of: executor) }

    /// Stops the threads. The pending jobs do not run. Call this method on another thread.
    package func stop() {
        queue.stop()
        for thread in threads { thread.join() }
    }
}

/// The executor of the translated requests of one loop (SE-0417).
///
/// A short part of a task runs on the loop itself, because a change of threads costs more than the
/// translation of a small response. A long part runs on one of the bridge's threads, so that it does not
/// delay the loop's other requests.
final class BridgeExecutor: TaskExecutor {
    private struct State {
        var sendsToThreads = false
        var jobs: [UnownedJob] = []
    }

    private let threads: BridgeThreads
    private let state = Locked(State())

    init(_ threads: BridgeThreads) { self.threads = threads }

    /// Receives a part of a task, up to its next suspension, when the loop starts or resumes the task.
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isLong = state.withLock { state in
            if !state.sendsToThreads { state.jobs.append(job) }
            return state.sendsToThreads
        }
        if isLong { threads.add(job, of: self) }
    }

    /// Starts or resumes a task. Call this method on the loop's thread.
    ///
    /// - Parameters:
    ///   - isLong: Whether the part of the task up to its next suspension runs on one of the bridge's threads.
    ///   - start: Starts or resumes the task.
    func resume(isLong: Bool, _ start: () -> Void) {
        state.withLock { $0.sendsToThreads = isLong }
        start()
    }

    /// Runs the short parts of tasks that the loop has started or resumed. Call this method on the loop's thread.
    func runJobs() {
        while true {
            let jobs = state.withLock { state in
                defer { state.jobs = [] }
                return state.jobs
            }
            if jobs.isEmpty { return }
            for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }
}

/// The queue of the jobs that wait for a thread.
private final class JobQueue: Sendable {
    private struct State {
        var jobs: [(job: UnownedJob, executor: BridgeExecutor)] = []
        var isEnding = false
    }

    private let monitor = Monitor(State())

    func add(_ job: UnownedJob, of executor: BridgeExecutor) {
        monitor.withLock { $0.jobs.append((job, executor)) }
        monitor.notifyOne()
    }

    func stop() {
        monitor.withLock { $0.isEnding = true }
        monitor.notifyAll()
    }

    /// Runs jobs until ``stop()``. Each thread calls this method once.
    func work() {
        while let (job, executor) = next() { job.runSynchronously(on: executor.asUnownedTaskExecutor()) }
    }

    private func next() -> (job: UnownedJob, executor: BridgeExecutor)? {
        monitor.wait(
            until: { !$0.jobs.isEmpty || $0.isEnding },
            then: { state in state.isEnding ? nil : state.jobs.removeFirst() })
    }
}
