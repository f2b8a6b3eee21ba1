// SPDX-License-Identifier: Apache-2.0

import EventLoop
import Testing

@Suite("Deadlines of a loop")
struct LoopTimerTests {
    @Test func `timers fire in the order of their deadlines, never early, and are then disarmed`() throws {
        let loop = try EventLoop()
        var fired: [Int] = []
        let timers = [30, 10, 20].map { milliseconds in
            let deadline = MonotonicTime.now + .milliseconds(milliseconds)
            let timer = loop.timer(
                OnTimer { [unowned loop] timer in
                    fired.append(milliseconds)
                    #expect(MonotonicTime.now >= deadline)
                    #expect(timer.deadline == .distantFuture)
                    if fired.count == 3 { loop.stop() }
                })
            loop.arm(timer, at: deadline)
            return timer
        }
        try loop.runWithinLimit()

        #expect(fired == [10, 20, 30])
        #expect(timers.allSatisfy { $0.deadline == .distantFuture })
    }

    @Test func `a duration counts from the start of the pass`() throws {
        let loop = try EventLoop()
        let timer = loop.timer(OnTimer { [unowned loop] _ in loop.stop() })
        loop.arm(timer, after: .milliseconds(5))

        #expect(timer.deadline == loop.now + .milliseconds(5))

        try loop.runWithinLimit()
    }

    @Test func `releasing a loop's handlers also releases one that holds its own timer`() throws {
        final class Owner: TimerHandler {
            var timer: LoopTimer?
            func timerFired(_ timer: LoopTimer) {}
        }
        let loop = try EventLoop()
        weak var left: Owner?
        do {
            let owner = Owner()
            left = owner
            let timer = loop.timer(owner)
            owner.timer = timer
            loop.arm(timer, after: .seconds(60))
        }

        #expect(left != nil)

        loop.releaseHandlers()

        #expect(left == nil)
    }

    @Test(arguments: [1, 10_000])
    func `a returned timer fires only for its next owner, at that owner's deadline`(firstDeadline: Int) throws {
        let loop = try EventLoop()
        let first = loop.pooledTimer(OnTimer { _ in Issue.record("the deadline has no owner any more") })
        loop.arm(first, after: .milliseconds(firstDeadline))
        loop.release(first)
        let second = loop.pooledTimer(OnTimer { [unowned loop] _ in loop.stop() })

        #expect(second === first)

        let deadline = MonotonicTime.now + .milliseconds(10)
        loop.arm(second, at: deadline)
        try loop.runWithinLimit()

        #expect(MonotonicTime.now >= deadline)
        // A timer in use is not reused.
        #expect(loop.pooledTimer(OnTimer { _ in }) !== second)
    }

    @Test func `a handler can arm its own timer again`() throws {
        let loop = try EventLoop()
        var count = 0
        let timer = loop.timer(
            OnTimer { [unowned loop] timer in
                count += 1
                if count < 5 { loop.arm(timer, after: .milliseconds(1)) } else { loop.stop() }
            })
        loop.arm(timer, after: .zero)
        try loop.runWithinLimit()

        #expect(count == 5)
    }

    @Test(arguments: [true, false])
    func `a timer that another timer with the same deadline cancels or disarms does not fire`(cancels: Bool) throws {
        let loop = try EventLoop()
        let deadline = MonotonicTime.now
        var fired = 0
        var timers: [LoopTimer] = []
        for index in 0..<3 {
            let handler = OnTimer { [unowned loop] _ in
                fired += 1
                for other in timers.indices where other != index {
                    if cancels { loop.cancel(timers[other]) } else { timers[other].disarm() }
                }
                loop.stop()
            }
            timers.append(loop.timer(handler))
        }
        for timer in timers { loop.arm(timer, at: deadline) }
        try loop.runWithinLimit()

        #expect(fired == 1)

        for timer in timers { loop.cancel(timer) }
    }

    @Test func `a cancelled timer releases its handler`() throws {
        let loop = try EventLoop()
        weak var handler: OnTimer?
        let timer: LoopTimer
        do {
            let own = OnTimer { _ in }
            handler = own
            timer = loop.timer(own)
        }
        loop.arm(timer, after: .seconds(3600))

        #expect(handler != nil)

        loop.cancel(timer)

        #expect(handler == nil)
    }
}
