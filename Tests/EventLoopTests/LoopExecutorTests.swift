// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Glibc
import Locking
import Testing

@Suite("Actors and tasks on a loop's thread")
struct LoopExecutorTests {
    /// An actor that records the threads on which it runs.
    private actor Recorder {
        private let executor: LoopExecutor
        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
        private(set) var threads: [pthread_t] = []
        private var continuation: UnsafeContinuation<Void, Never>?

        init(_ executor: LoopExecutor) { self.executor = executor }

        func record() { threads.append(pthread_self()) }

        /// Suspends the task until ``resume()``.
        func suspend() async {
            record()
            await withUnsafeContinuation { continuation = $0 }
            record()
        }

        func resume() { continuation?.resume() }
    }

    /// Enqueues a job that enqueues the next job, until the condition is met.
    private static func enqueueJobs(on executor: LoopExecutor, until isMet: @escaping @Sendable () -> Bool) {
        Task(executorPreference: executor) {
            if !isMet() { enqueueJobs(on: executor, until: isMet) }
        }
    }

    @Test func `an actor and its tasks run on the thread that runs the loop`() throws {
        let loop = try EventLoop()
        let executor = try LoopExecutor(loop)
        executor.useCurrentThread()
        let recorder = Recorder(executor)
        let stop = try loop.mailbox { [unowned loop] in loop.stop() }

        let task = Task(executorPreference: executor) {
            await recorder.suspend()
            stop.post(())
        }
        executor.call(after: .milliseconds(1)) { recorder.assumeIsolated { $0.resume() } }
        try loop.runWithinLimit()
        let threads = recorder.assumeIsolated { $0.threads }

        #expect(threads == [pthread_self(), pthread_self()])
        #expect(!task.isCancelled)
    }

    @Test func `jobs that enqueue jobs without an end do not stop the loop's timers`() throws {
        let loop = try EventLoop()
        let executor = try LoopExecutor(loop)
        executor.useCurrentThread()
        let hasFired = Locked(false)
        let deadline = MonotonicTime.now + .seconds(60)

        Self.enqueueJobs(on: executor) { hasFired.withLock { $0 } || MonotonicTime.now >= deadline }
        let stop = try loop.mailbox { [unowned loop] in loop.stop() }
        executor.call(after: .milliseconds(1)) {
            hasFired.withLock { $0 = true }
            stop.post(())
        }
        try loop.runWithinLimit()

        #expect(MonotonicTime.now < deadline)
    }

    @Test func `jobs that jobs enqueue are run in the same call`() throws {
        let loop = try EventLoop()
        let executor = try LoopExecutor(loop)
        executor.useCurrentThread()
        let recorder = Recorder(executor)

        Task(executorPreference: executor) {
            await recorder.record()
            Task(executorPreference: executor) { await recorder.record() }
        }
        executor.runJobs()
        let threads = recorder.assumeIsolated { $0.threads }

        #expect(threads.count == 2)
    }

    @Test func `delayed calls are made in the order of their deadlines`() throws {
        let loop = try EventLoop()
        let executor = try LoopExecutor(loop)
        let called = Locked<[Int]>([])
        let stop = try loop.mailbox { [unowned loop] in loop.stop() }

        executor.call(after: .milliseconds(20)) {
            called.withLock { $0.append(2) }
            stop.post(())
        }
        executor.call(after: .milliseconds(1)) { called.withLock { $0.append(1) } }
        try loop.runWithinLimit()

        #expect(called.withLock { $0 } == [1, 2])
    }

    @Test func `a cancelled call is not made, and its function is released`() throws {
        let loop = try EventLoop()
        let executor = try LoopExecutor(loop)
        let called = Locked<[Int]>([])
        let stop = try loop.mailbox { [unowned loop] in loop.stop() }
        weak var captured: Captured?

        do {
            let object = Captured()
            captured = object
            let call = executor.call(after: .milliseconds(5)) {
                withExtendedLifetime(object) { called.withLock { $0.append(1) } }
            }
            executor.cancel(call)
        }
        executor.call(after: .milliseconds(20)) { stop.post(()) }
        try loop.runWithinLimit()

        #expect(called.withLock { $0 }.isEmpty)
        #expect(captured == nil)
    }

    private final class Captured: Sendable {}
}
