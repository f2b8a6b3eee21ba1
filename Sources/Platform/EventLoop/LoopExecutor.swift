// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import Locking

/// An executor that runs the jobs of actors and tasks on a loop's thread (SE-0392, SE-0417).
///
/// An actor whose tasks also prefer this executor stays on the thread. Without that preference, a task that is resumed
/// runs on Swift's pool before it returns to the actor. Objects of the loop may call such actors directly through
/// `assumeIsolated`.
package final class LoopExecutor: SerialExecutor, TaskExecutor {
    /// A call that was delayed (``call(after:_:)``).
    package struct DelayedCall: Sendable {
        fileprivate let number: Int
    }

    private struct State {
        var jobs: [UnownedJob] = []
        var thread: pthread_t?
        var lastDelay = 0
    }

    private let state = Locked(State())
    private let wake: Mailbox<Void>
    private let delays: Mailbox<LoopDelays.Message>

    /// Creates the executor of a loop.
    package init(_ loop: EventLoop) throws(SystemCallError) {
        let reader = JobReader()
        let delays = LoopDelays(loop) { reader.executor?.runJobs() }
        wake = try loop.mailbox { reader.executor?.runJobs() }
        self.delays = try loop.mailbox { delays.receive($0) }
        reader.executor = self
    }

    /// Records that the calling thread runs the loop. Call this method before objects of the loop call actors.
    package func useCurrentThread() { state.withLock { $0.thread = pthread_self() } }

    /// Enqueues a job. Any thread may call this method.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let wasEmpty = state.withLock { state in
            state.jobs.append(job)
            return state.jobs.count == 1
        }
        if wasEmpty { wake.post(()) }
    }

    /// The maximum number of rounds in one call of ``runJobs()``. Each round runs the jobs that were enqueued during
    /// the previous round. Without this limit, other threads could enqueue jobs as fast as the loop runs them, and the
    /// loop would do nothing else.
    private static let rounds = 64

    /// Runs all enqueued jobs, and the jobs that these jobs enqueue. Call this method only on the loop's thread, and
    /// never within a job. The loop itself calls this method in each pass in which new jobs wait.
    package func runJobs() {
        for _ in 0..<Self.rounds {
            let jobs = state.withLock { state in
                defer { state.jobs = [] }
                return state.jobs
            }
            if jobs.isEmpty { return }
            for job in jobs {
                job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
            }
        }
        // Only the first of several jobs wakes the loop.
        if state.withLock({ !$0.jobs.isEmpty }) { wake.post(()) }
    }

    /// Whether the calling thread runs the loop.
    private var isCurrent: Bool {
        state.withLock { $0.thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
    }

    /// Allows objects of the loop to call actors of this executor through `assumeIsolated`.
    package func checkIsolated() { precondition(isCurrent, "only the loop's thread may call this") }

    /// Returns whether ``checkIsolated()`` would succeed.
    package func isIsolatingCurrentContext() -> Bool? { isCurrent }

    // MARK: Delays

    /// Calls a function on the loop's thread after a delay. Any thread may call this method.
    @discardableResult
    package func call(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> DelayedCall {
        let number = state.withLock { state in
            state.lastDelay += 1
            return state.lastDelay
        }
        delays.post(.call(number: number, deadline: .now + delay, body))
        return DelayedCall(number: number)
    }

    /// Cancels a call, and releases its function. Does nothing if the function has already been called.
    package func cancel(_ call: DelayedCall) { delays.post(.cancel(number: call.number)) }
}

/// Runs an executor's jobs when its mailbox wakes the loop.
private final class JobReader {
    weak var executor: LoopExecutor?
}

/// The delayed calls of a loop, confined to the loop's thread.
private final class LoopDelays {
    enum Message: Sendable {
        case call(number: Int, deadline: MonotonicTime, @Sendable () -> Void)
        case cancel(number: Int)
    }

    private final class Handler: TimerHandler {
        private let body: () -> Void

        init(_ body: @escaping () -> Void) { self.body = body }

        func timerFired(_ timer: LoopTimer) { body() }
    }

    private unowned let loop: EventLoop
    /// Runs the jobs that a call has enqueued, before the loop processes anything else.
    private let runJobs: () -> Void
    private var timers: [Int: LoopTimer] = [:]

    init(_ loop: EventLoop, runJobs: @escaping () -> Void) {
        self.loop = loop
        self.runJobs = runJobs
    }

    func receive(_ message: Message) {
        switch message {
        case .call(let number, let deadline, let body):
            let timer = loop.timer(
                Handler { [unowned self] in
                    release(number)
                    body()
                    runJobs()
                })
            timers[number] = timer
            loop.arm(timer, at: deadline)
        case .cancel(let number): release(number)
        }
    }

    private func release(_ number: Int) {
        if let timer = timers.removeValue(forKey: number) { loop.cancel(timer) }
    }
}
