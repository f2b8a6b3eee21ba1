// SPDX-License-Identifier: Apache-2.0

import Locking

/// The threads on which the bridge reads and writes JSON, and the state that the requests of all loops share. Each
/// translated request is a task that prefers these threads (SE-0417).
package final class BridgeThreads: TaskExecutor {
    /// The number of threads. With two threads, a page of a long list does not delay other requests.
    private static let count = 2

    /// The home directory of the user who runs OpenCode.
    let home: String
    let locks = SessionLocks()
    let defaults = KnownInstanceDefaults()
    let bodies = BodyBudget()
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

    /// Adds a part of a task, up to its next suspension.
    package func enqueue(_ job: consuming ExecutorJob) { queue.add(UnownedJob(job), asUnownedTaskExecutor()) }

    /// Stops the threads without running the pending jobs. Must not be called on one of these threads.
    package func stop() {
        queue.stop()
        for thread in threads { thread.join() }
    }
}

/// The queue of the jobs that wait for a thread.
private final class JobQueue: Sendable {
    private struct State {
        var jobs: [(job: UnownedJob, executor: UnownedTaskExecutor)] = []
        var isEnding = false
    }

    private let monitor = Monitor(State())

    func add(_ job: UnownedJob, _ executor: UnownedTaskExecutor) {
        monitor.withLock { $0.jobs.append((job, executor)) }
        monitor.notifyOne()
    }

    func stop() {
        monitor.withLock { $0.isEnding = true }
        monitor.notifyAll()
    }

    /// Runs jobs until ``stop()``: the body of one thread.
    func work() {
        while let (job, executor) = next() { job.runSynchronously(on: executor) }
    }

    private func next() -> (job: UnownedJob, executor: UnownedTaskExecutor)? {
        monitor.wait(
            until: { !$0.jobs.isEmpty || $0.isEnding },
            then: { state in state.isEnding ? nil : state.jobs.removeFirst() })
    }
}
