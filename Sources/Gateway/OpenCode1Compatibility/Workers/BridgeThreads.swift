// SPDX-License-Identifier: Apache-2.0

import EventLoop
import GatewayCore
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
    private let outbox: BridgeOutbox
    private let threads: [WorkerThread]

    /// Starts the threads.
    ///
    /// - Parameter home: The home directory of the user who runs OpenCode.
    package init(home: String) throws {
        self.home = home
        let queue = JobQueue()
        let outbox = BridgeOutbox()
        self.queue = queue
        self.outbox = outbox
        threads = try (0..<Self.count).map { index in
            try WorkerThread(name: "bridge-\(index)") { Self.work(queue, outbox) }
        }
    }

    /// Adds a part of a task, up to its next suspension.
    package func enqueue(_ job: consuming ExecutorJob) { queue.add(UnownedJob(job), asUnownedTaskExecutor()) }

    /// Starts or resumes tasks. A loop calls this once at the end of a pass, because each wake-up of a thread costs as
    /// much as translating a small response.
    func resume(_ tasks: [BridgeResumption]) {
        queue.addTogether {
            for task in tasks where !task.isLong { task.resume() }
        }
        let longTasks = tasks.filter(\.isLong)
        if !longTasks.isEmpty {
            queue.addTogether(areLong: true) {
                for task in longTasks { task.resume() }
            }
        }
    }

    /// Sends an operation of a task to its loop, soon and together with others.
    func post(_ operation: BridgeMessage.Operation, to loop: Mailbox<LoopMessage>) { outbox.add(operation, for: loop) }

    /// Stops the threads without running the pending jobs. Must not be called on one of these threads.
    package func stop() {
        queue.stop()
        for thread in threads { thread.join() }
    }

    /// The body of one thread.
    private static func work(_ queue: JobQueue, _ outbox: BridgeOutbox) {
        while true {
            switch queue.next(waits: outbox.isEmpty) {
            case .job(let job):
                if job.isLong { outbox.post() }
                job.job.runSynchronously(on: job.executor)
                outbox.postIfDue()
            case .nothing: outbox.post()
            case .end: return
            }
        }
    }
}

/// A task that is to be started or resumed.
struct BridgeResumption {
    /// Whether other tasks should not have to wait until it suspends again.
    let isLong: Bool
    let resume: () -> Void
}

/// The queue of the jobs that wait for a thread.
private final class JobQueue: Sendable {
    struct Job {
        let job: UnownedJob
        let executor: UnownedTaskExecutor
        let isLong: Bool
    }

    enum Next {
        case job(Job)
        case nothing
        case end
    }

    private struct State {
        var jobs: [Job] = []
        /// The number of loops that are adding jobs and wake the threads afterwards.
        var additions = 0
        var areLong = false
        var isEnding = false
    }

    private let monitor = Monitor(State())

    func add(_ job: UnownedJob, _ executor: UnownedTaskExecutor) {
        let wakes = monitor.withLock { state in
            state.jobs.append(Job(job: job, executor: executor, isLong: state.areLong))
            return state.additions == 0
        }
        if wakes { monitor.notifyOne() }
    }

    /// Wakes a thread once for all jobs that `body` adds, or both threads for long jobs. Jobs that another loop adds at
    /// the same time may count as long, which only sends results earlier.
    func addTogether(areLong: Bool = false, _ body: () -> Void) {
        monitor.withLock { state in
            state.additions += 1
            if areLong { state.areLong = true }
        }
        body()
        monitor.withLock { state in
            state.additions -= 1
            if areLong { state.areLong = false }
        }
        if areLong { monitor.notifyAll() } else { monitor.notifyOne() }
    }

    func stop() {
        monitor.withLock { $0.isEnding = true }
        monitor.notifyAll()
    }

    /// Returns the next job.
    ///
    /// - Parameter waits: Whether to wait for a job.
    func next(waits: Bool) -> Next {
        monitor.wait(
            until: { !waits || !$0.jobs.isEmpty || $0.isEnding },
            then: { state in
                if state.isEnding { return .end }
                return state.jobs.isEmpty ? .nothing : .job(state.jobs.removeFirst())
            })
    }
}

/// The operations that tasks have sent and that their loops have not received, grouped into one message for each loop.
private final class BridgeOutbox: Sendable {
    private static let most = 16
    private static let longest = Duration.microseconds(500)

    private struct State {
        var batches: [(loop: Mailbox<LoopMessage>, operations: [BridgeMessage.Operation])] = []
        var count = 0
        var since = MonotonicTime(nanoseconds: 0)

        mutating func post() {
            for (loop, operations) in batches { loop.post(.feature(BridgeMessage.operations(operations))) }
            batches.removeAll(keepingCapacity: true)
            count = 0
        }
    }

    private let state = Locked(State())

    var isEmpty: Bool { state.withLock { $0.count == 0 } }

    func add(_ operation: BridgeMessage.Operation, for loop: Mailbox<LoopMessage>) {
        state.withLock { state in
            if state.count == 0 { state.since = .now }
            state.count += 1
            if let index = state.batches.firstIndex(where: { $0.loop === loop }) {
                state.batches[index].operations.append(operation)
            } else {
                state.batches.append((loop, [operation]))
            }
        }
    }

    /// Sends the operations to their loops. The lock keeps the operations of a task in their order.
    func post() { state.withLock { $0.post() } }

    /// Sends the operations if there are many, or if the first one has waited long enough.
    func postIfDue() {
        state.withLock { state in
            guard state.count > 0 else { return }
            if state.count >= Self.most || MonotonicTime.now >= state.since + Self.longest { state.post() }
        }
    }
}
