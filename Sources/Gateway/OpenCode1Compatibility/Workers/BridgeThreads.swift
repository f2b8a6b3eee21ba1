// SPDX-License-Identifier: Apache-2.0

import Dialects
import Encodings
import EventLoop
import GatewayCore
import Locking

/// A job for a worker, which computes a run's next step.
struct BridgeJob: Sendable {
    /// The number of the run on its loop.
    let run: Int
    let loop: Mailbox<LoopMessage>
    /// Whether the job may take so long that other jobs should not wait for it.
    let isLong: Bool
    let next: BridgeAction.Next
}

/// The threads on which the bridge reads and writes JSON, with the state that the requests of all loops share.
package final class BridgeThreads: Sendable {
    /// The number of threads. With two threads, a page of a long list does not delay other requests.
    private static let count = 2

    /// The home directory of the user who runs OpenCode.
    let home: String
    let turns = SessionTurnQueue()
    let instanceDefaults = KnownInstanceDefaults()
    let bodies = BodyBudget()
    private let queue: Queue
    private let threads: [WorkerThread]

    /// Starts the threads.
    ///
    /// - Parameter home: The home directory of the user who runs OpenCode.
    package init(home: String) throws {
        self.home = home
        let queue = Queue()
        self.queue = queue
        threads = try (0..<Self.count).map { index in
            try WorkerThread(name: "bridge-\(index)") { Self.work(queue) }
        }
    }

    /// Adds jobs after all earlier jobs. A loop must call this once at the end of a pass, because waking a thread costs
    /// as much as translating a small answer.
    func enqueue(_ jobs: [BridgeJob]) {
        queue.monitor.withLock { $0.jobs.append(contentsOf: jobs) }
        if jobs.count > 1, jobs.contains(where: \.isLong) {
            queue.monitor.notifyAll()
        } else {
            queue.monitor.notifyOne()
        }
    }

    /// Stops the threads without running the pending jobs. Must not be called on one of these threads.
    package func stop() {
        queue.monitor.withLock { $0.isEnding = true }
        queue.monitor.notifyAll()
        for thread in threads { thread.join() }
    }

    /// The loop of one thread. Steps are sent to their loops when no jobs are left, or when the first step has waited
    /// long enough.
    private static func work(_ queue: Queue) {
        var results = Results()
        while true {
            switch queue.next(waits: results.isEmpty) {
            case .job(let job):
                if job.isLong { results.post() }
                results.add(BridgeAction(job.next()), job)
                if results.isDue { results.post() }
            case .nothing: results.post()
            case .stop: return
            }
        }
    }
}

/// The queue of pending jobs.
private final class Queue: Sendable {
    struct State {
        var jobs: [BridgeJob] = []
        var isEnding = false
    }

    enum Next {
        case job(BridgeJob)
        case nothing
        case stop
    }

    let monitor = Monitor(State())

    /// Returns the next job.
    ///
    /// - Parameter waits: Whether to wait for a job.
    func next(waits: Bool) -> Next {
        monitor.wait(
            until: { !waits || !$0.jobs.isEmpty || $0.isEnding },
            then: { state in
                if state.isEnding { return .stop }
                return state.jobs.isEmpty ? .nothing : .job(state.jobs.removeFirst())
            })
    }
}

/// The steps that have not been sent yet, grouped into one message for each loop.
private struct Results {
    private static let most = 16
    private static let longest = Duration.microseconds(500)

    private var steps: [(loop: Mailbox<LoopMessage>, steps: [BridgeMessage.Step])] = []
    private var count = 0
    private var since = MonotonicTime(nanoseconds: 0)

    var isEmpty: Bool { count == 0 }

    var isDue: Bool { count >= Self.most || MonotonicTime.now >= since + Self.longest }

    mutating func add(_ action: BridgeAction, _ job: BridgeJob) {
        if isEmpty { since = .now }
        count += 1
        let step = (job.run, action)
        if let index = steps.firstIndex(where: { $0.loop === job.loop }) {
            steps[index].steps.append(step)
        } else {
            steps.append((job.loop, [step]))
        }
    }

    mutating func post() {
        for (loop, steps) in steps { loop.post(.feature(BridgeMessage.steps(steps))) }
        steps.removeAll(keepingCapacity: true)
        count = 0
    }
}
