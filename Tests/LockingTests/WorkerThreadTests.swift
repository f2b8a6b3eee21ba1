// SPDX-License-Identifier: Apache-2.0

import Glibc
import Locking
import Testing

@Suite("Worker threads")
struct WorkerThreadTests {
    final class Queue: Sendable {
        let state = Monitor<[Int]>([])
        func append(_ value: Int) {
            state.withLock { $0.append(value) }
            state.notifyAll()
        }
    }

    @Test func `a waiting thread receives another thread's values in order`() throws {
        let queue = Queue()
        let taken = Queue()
        let thread = try WorkerThread(name: "taker") {
            for _ in 0..<1_000 {
                taken.append(queue.state.wait(until: { !$0.isEmpty }, then: { $0.removeFirst() }))
            }
        }
        for value in 0..<1_000 { queue.append(value) }
        thread.join()

        #expect(taken.state.withLock { $0 } == Array(0..<1_000))
    }

    @Test func `joining a thread twice is harmless`() throws {
        let queue = Queue()
        let thread = try WorkerThread(name: "once") { queue.append(7) }
        thread.join()
        thread.join()

        #expect(queue.state.withLock { $0 } == [7])
    }

    @Test func `a worker thread blocks signals and leaves its creator's mask unchanged`() throws {
        let blocked = Queue()
        var before = sigset_t()
        pthread_sigmask(SIG_SETMASK, nil, &before)
        let thread = try WorkerThread(name: "a name longer than the kernel keeps") {
            var mask = sigset_t()
            pthread_sigmask(SIG_SETMASK, nil, &mask)
            for signal in [SIGTERM, SIGINT, SIGPIPE, SIGHUP] where sigismember(&mask, signal) == 1 {
                blocked.append(Int(signal))
            }
        }
        thread.join()
        var after = sigset_t()
        pthread_sigmask(SIG_SETMASK, nil, &after)

        #expect(blocked.state.withLock { $0 } == [SIGTERM, SIGINT, SIGPIPE, SIGHUP].map(Int.init))
        #expect(sigismember(&after, SIGTERM) == sigismember(&before, SIGTERM))
    }
}
