// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
package import Testing

/// A pool of threads for tests that block while they wait for sockets and processes.
///
/// On Swift's own threads, of which there are as many as processors, such tests would block all asynchronous code. A
/// pool has more threads than the machine has processors, because its tests mostly wait.
package final class TestThreads: TaskExecutor {
    private let jobs = Monitor<[UnownedJob]>([])
    private let threads = Monitor<[TestThread]>([])
    private let count: Int

    /// Creates a pool with this number of threads. They start when the first test needs them.
    package init(count: Int) { self.count = count }

    /// The number of processors.
    package static var processors: Int { sysconf(Int32(_SC_NPROCESSORS_ONLN)) }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    fileprivate func start() throws {
        try threads.withLock { threads in
            while threads.count < count {
                threads.append(try TestThread(stackBytes: 8 << 20) { [unowned self] in run() })
            }
        }
    }

    private func run() {
        while true {
            let job = try? jobs.wait(for: "a test to run", within: .seconds(86_400)) { jobs in
                jobs.isEmpty ? nil : jobs.removeFirst()
            }
            job?.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}

/// Runs each case of a test on the threads of a pool.
package struct TestThreadsTrait: SuiteTrait, TestTrait, TestScoping {
    private let threads: TestThreads

    package init(_ threads: TestThreads) { self.threads = threads }

    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try threads.start()
        try await withTaskExecutorPreference(threads) { try await function() }
    }
}

extension Trait where Self == TestThreadsTrait {
    /// Marks tests that block while they wait. Swift Testing limits how many tests run at the same time
    /// (`scripts/run-tests.sh`), so the pool has a thread for each of them.
    package static var onTestThreads: Self { Self(shared) }
}

private let shared = TestThreads(count: 32)
