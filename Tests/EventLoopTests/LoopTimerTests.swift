import EventLoop
import Testing

@Suite("Deadlines of a loop")
struct LoopTimerTests {
    @Test("Deadlines pass in their order, none of them early; the timer is disarmed then")
    func order() throws {
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

    @Test("A duration counts from the start of the pass")
    func afterTheStartOfThePass() throws {
        let loop = try EventLoop()
        let timer = loop.timer(OnTimer { [unowned loop] _ in loop.stop() })
        loop.arm(timer, after: .milliseconds(5))
        #expect(timer.deadline == loop.now + .milliseconds(5))
        try loop.runWithinLimit()
    }

    @Test("A loop that lets go of everybody keeps nobody who holds his own timer")
    func lettingGo() throws {
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
        loop.letGo()
        #expect(left == nil)
    }

    @Test("A timer that was given back fires for its next owner only, at that one's deadline", arguments: [1, 10_000])
    func givenBack(firstDeadline: Int) throws {
        let loop = try EventLoop()
        let first = loop.spareTimer(OnTimer { _ in Issue.record("nobody waits for this deadline any more") })
        loop.arm(first, after: .milliseconds(firstDeadline))
        loop.giveBack(first)
        let second = loop.spareTimer(OnTimer { [unowned loop] _ in loop.stop() })
        #expect(second === first)
        let deadline = MonotonicTime.now + .milliseconds(10)
        loop.arm(second, at: deadline)
        try loop.runWithinLimit()
        #expect(MonotonicTime.now >= deadline)
        // A timer in use is not reused.
        #expect(loop.spareTimer(OnTimer { _ in }) !== second)
    }

    @Test("A handler may arm its own timer again")
    func armedByItsHandler() throws {
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

    @Test("A timer that another one of the same time cancels or disarms does not fire", arguments: [true, false])
    func silencedInTheSamePass(cancels: Bool) throws {
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

    @Test("A cancelled timer lets go of its handler")
    func letsGo() throws {
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
