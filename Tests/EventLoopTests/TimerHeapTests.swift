import Testing

@testable import EventLoop

/// Deadlines come up in order; moving one away costs nothing until it would have come up.
@Suite struct TimerHeapTests {
    private final class Handler: TimerHandler {
        func timerFired(_ timer: LoopTimer) {}
    }

    private let handler = Handler()

    private func time(_ nanoseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: nanoseconds) }

    private func timer() -> LoopTimer { LoopTimer(handler: handler) }

    @Test func deadlinesComeUpInOrder() {
        var heap = TimerHeap()
        var timers: [ObjectIdentifier: Int64] = [:]
        for index in 0..<500 {
            let timer = timer()
            let deadline = Int64(index &* 7_919 % 1_009)
            timers[ObjectIdentifier(timer)] = deadline
            heap.arm(timer, at: time(deadline))
        }
        var last: Int64 = -1
        var count = 0
        while let timer = heap.popDue(at: time(2_000)) {
            let deadline = timers[ObjectIdentifier(timer)] ?? -2
            #expect(deadline >= last)
            last = deadline
            count += 1
        }
        #expect(count == 500)
        #expect(heap.count == 0)
    }

    @Test func nothingIsDueBeforeItsTime() {
        var heap = TimerHeap()
        let timer = timer()
        heap.arm(timer, at: time(10))
        #expect(heap.next == time(10))
        #expect(heap.popDue(at: time(9)) == nil)
        #expect(heap.popDue(at: time(10)) === timer)
        #expect(timer.deadline == .distantFuture)
        #expect(heap.popDue(at: time(100)) == nil)
    }

    @Test func aDeadlineThatIsMovedAwayFindsOutWhenItComesUp() {
        var heap = TimerHeap()
        let (moved, other) = (timer(), timer())
        heap.arm(moved, at: time(10))
        heap.arm(other, at: time(20))
        heap.arm(moved, at: time(30))
        #expect(heap.count == 2)
        #expect(heap.next == time(10))
        #expect(heap.popDue(at: time(15)) == nil)
        #expect(heap.next == time(20))
        #expect(heap.popDue(at: time(40)) === other)
        #expect(heap.popDue(at: time(40)) === moved)
    }

    @Test func aDeadlineThatIsMovedCloserComesUpThen() {
        var heap = TimerHeap()
        let (moved, other) = (timer(), timer())
        heap.arm(other, at: time(20))
        heap.arm(moved, at: time(30))
        heap.arm(moved, at: time(10))
        #expect(heap.popDue(at: time(10)) === moved)
        #expect(heap.popDue(at: time(50)) === other)
        #expect(heap.popDue(at: time(50)) == nil)
    }

    @Test func aDisarmedTimerDoesNotComeUpUntilItIsArmedAgain() {
        var heap = TimerHeap()
        let timer = timer()
        heap.arm(timer, at: time(10))
        timer.disarm()
        #expect(heap.popDue(at: time(20)) == nil)
        heap.arm(timer, at: time(30))
        timer.disarm()
        heap.arm(timer, at: time(40))
        #expect(heap.popDue(at: time(39)) == nil)
        #expect(heap.popDue(at: time(40)) === timer)
    }

    @Test func aCancelledTimerLeavesAtOnceAndForGood() {
        var heap = TimerHeap()
        let timers = (0..<100).map { _ in timer() }
        for (index, timer) in timers.enumerated() { heap.arm(timer, at: time(Int64(index * 37 % 100))) }
        for timer in timers where timer.deadline.nanoseconds % 2 == 0 { heap.cancel(timer) }
        #expect(heap.count == 50)
        heap.arm(timers[0], at: time(1))
        heap.cancel(timers[0])
        #expect(heap.count == 50)
        var deadlines: [Int64] = []
        while let next = heap.next, heap.popDue(at: time(1_000)) != nil { deadlines.append(next.nanoseconds) }
        #expect(deadlines == stride(from: 1, to: 100, by: 2).map { Int64($0) })
    }

    @Test func anExchangeThatComesAndGoesLeavesNothing() {
        var heap = TimerHeap()
        for index in 0..<10_000 {
            let timer = timer()
            heap.arm(timer, at: time(Int64(1_000_000 + index)))
            heap.cancel(timer)
        }
        #expect(heap.count == 0)
    }
}
