// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import Testing

/// Threads for the lab's tests. There are more threads than processors, because a test mostly waits for its machine. On
/// Swift's own threads, the tests would block the few threads that run everything else.
final class LabThreads: TaskExecutor {
    /// The threads for most tests: as many machines as a small computer can run at the same time.
    static let shared = LabThreads(max(4, 3 * sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    /// The threads for tests that take longer than all others. These tests begin at once.
    static let long = LabThreads(LabRoot.allCases.count)

    private let jobs = Monitor<[UnownedJob]>([])
    private let threads = Monitor<[TestThread]>([])

    private let count: Int

    private init(_ count: Int) { self.count = count }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    /// Starts the threads when the first test needs them.
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

/// Runs each case of a test on the lab's own threads.
struct LabThreadsTrait: SuiteTrait, TestTrait, TestScoping {
    let threads: LabThreads
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try threads.start()
        try await withTaskExecutorPreference(threads) { try await function() }
    }
}

extension Trait where Self == LabThreadsTrait {
    /// Marks a test that waits for machines; see ``LabThreads``.
    static var onLabThreads: Self { Self(threads: .shared) }
    /// Marks a test that waits for a machine for minutes; see ``LabThreads``.
    static var onLongLabThreads: Self { Self(threads: .long) }
}
