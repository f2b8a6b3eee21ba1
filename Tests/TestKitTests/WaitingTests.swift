// SPDX-License-Identifier: Apache-2.0

import TestThreads
import Testing

@testable import TestKit

@Suite("Waiting for events", .onTestThreads)
struct WaitingTests {
    @Test func `a recorded value wakes the waiting thread`() throws {
        let values = Recorded<Int>("a number")
        let thread = try TestThread { for value in 1...100 { values.append(value) } }

        #expect(try values.first { $0 == 100 } == 100)
        #expect(try values.wait(forCount: 100) == Array(1...100))

        thread.join()
    }

    @Test func `a wait without enough values times out with an error that names them`() {
        let values = Recorded<Int>("a number")

        #expect(throws: TestKitError.timedOut(after: .milliseconds(10), waitingFor: "2 of a number")) {
            try values.wait(forCount: 2, within: .milliseconds(10))
        }
    }

    @Test func `a wait for more values of a finished list fails at once`() throws {
        let values = Recorded<Int>("a number")
        values.append(1)
        values.finish()

        #expect(try values.first { $0 == 1 } == 1)
        #expect(throws: TestKitError.closed(waitingFor: "2 of a number")) { try values.wait(forCount: 2) }
    }

    @Test func `an opened latch stays open`() throws {
        let latch = Latch()

        #expect(!latch.isOpened(within: .milliseconds(1)))

        latch.open()
        try latch.wait(within: .zero)

        #expect(latch.isOpen)
    }

    @Test func `a deadline in the far future does not overflow`() {
        let deadline = Deadline(after: .seconds(Int64.max))

        #expect(!deadline.hasPassed)
        #expect(deadline.remaining > .seconds(1_000_000))
        #expect(Deadline(after: .zero).remaining == .zero)
    }

    @Test func `a monitor serialises concurrent writers`() throws {
        let counter = Monitor(0)
        let threads = try (0..<4).map { _ in
            try TestThread { for _ in 0..<1000 { counter.withLock { $0 += 1 } } }
        }
        for thread in threads { thread.join() }

        #expect(counter.withLock { $0 } == 4000)
    }
}
