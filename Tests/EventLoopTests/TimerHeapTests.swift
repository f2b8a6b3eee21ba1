// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

@testable import EventLoop

@Suite("A heap of deadlines")
struct TimerHeapTests {
    private final class Nobody: TimerHandler {
        func timerFired(_ timer: LoopTimer) {}
    }

    private func time(_ nanoseconds: Int) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(nanoseconds)) }
    private func timer() -> LoopTimer { LoopTimer(handler: Nobody()) }

    private func popAll(_ heap: inout TimerHeap, at now: Int) -> [LoopTimer] {
        var due: [LoopTimer] = []
        while let timer = heap.popDue(at: time(now)) { due.append(timer) }
        return due
    }

    @Test func `an empty heap has no next deadline`() {
        var heap = TimerHeap()

        #expect(heap.next == nil)
        #expect(heap.popDue(at: .distantFuture) == nil)
    }

    @Test func `timers become due in the order of their deadlines and never early`() {
        var heap = TimerHeap()
        let timers = (0..<50).map { _ in timer() }
        // 7 and 50 have no common divisor, so each deadline from 10 to 59 occurs once, in mixed order.
        for (index, timer) in timers.enumerated() { heap.arm(timer, at: time(10 + index * 7 % 50)) }

        #expect(heap.next == time(10))
        #expect(popAll(&heap, at: 9).isEmpty)
        #expect(heap.popDue(at: time(10)) === timers[0])
        #expect(heap.popDue(at: time(10)) == nil)
        #expect(heap.next == time(11))

        let remainder = popAll(&heap, at: 1_000)
        let expected = timers.indices.dropFirst().sorted { $0 * 7 % 50 < $1 * 7 % 50 }

        #expect(remainder.map { timer in timers.firstIndex { $0 === timer } } == expected)
        #expect(heap.count == 0)
        #expect(heap.next == nil)
    }

    @Test func `a timer that became due is disarmed and can be armed again`() {
        var heap = TimerHeap()
        let timer = timer()
        heap.arm(timer, at: time(10))

        #expect(timer.deadline == time(10))
        #expect(heap.popDue(at: time(10)) === timer)
        #expect(timer.deadline == .distantFuture)
        #expect(timer.handler != nil)

        heap.arm(timer, at: time(20))

        #expect(popAll(&heap, at: 19).isEmpty)
        #expect(popAll(&heap, at: 20).count == 1)
    }

    @Test func `a timer that is moved to a later deadline wakes the heap once at the old deadline`() {
        var heap = TimerHeap()
        let moved = timer()
        let other = timer()
        heap.arm(moved, at: time(10))
        heap.arm(other, at: time(30))
        for deadline in 11...50 { heap.arm(moved, at: time(deadline)) }

        #expect(moved.deadline == time(50))
        #expect(heap.count == 2)
        // Moving a deadline does not change the heap, which still wakes up once for the old deadline.
        #expect(heap.next == time(10))
        #expect(heap.popDue(at: time(10)) == nil)
        #expect(heap.next == time(30))
        #expect(popAll(&heap, at: 49).map { $0 === other } == [true])
        #expect(popAll(&heap, at: 50).map { $0 === moved } == [true])
    }

    @Test func `a timer that is moved to an earlier deadline becomes due at that deadline`() {
        var heap = TimerHeap()
        let timers = (0..<10).map { _ in timer() }
        for (index, timer) in timers.enumerated() { heap.arm(timer, at: time(100 + index)) }
        heap.arm(timers[9], at: time(5))

        #expect(heap.next == time(5))
        #expect(popAll(&heap, at: 99).map { $0 === timers[9] } == [true])

        // The deadline is moved away and back again before the first one is due.
        heap.arm(timers[4], at: time(500))
        heap.arm(timers[4], at: time(50))

        #expect(popAll(&heap, at: 60).map { $0 === timers[4] } == [true])
    }

    @Test func `a disarmed timer does not become due, and its entry is removed at its deadline`() {
        var heap = TimerHeap()
        let timer = timer()
        heap.arm(timer, at: time(10))
        timer.disarm()

        #expect(timer.deadline == .distantFuture)
        #expect(popAll(&heap, at: 10).isEmpty)
        #expect(heap.count == 0)

        heap.arm(timer, at: time(20))
        timer.disarm()
        heap.arm(timer, at: time(30))

        #expect(popAll(&heap, at: 29).isEmpty)
        #expect(popAll(&heap, at: 30).count == 1)
    }

    @Test(arguments: 0..<20)
    func `a cancelled timer leaves the heap from any position, and the others keep their order`(index: Int) {
        var heap = TimerHeap()
        let timers = (0..<20).map { _ in timer() }
        for (index, timer) in timers.enumerated() { heap.arm(timer, at: time(index * 7 % 20)) }
        heap.cancel(timers[index])

        #expect(heap.count == 19)
        #expect(timers[index].handler == nil)

        let expected = timers.indices.filter { $0 != index }.sorted { $0 * 7 % 20 < $1 * 7 % 20 }

        #expect(popAll(&heap, at: 100).map { timer in timers.firstIndex { $0 === timer } } == expected)
    }

    @Test func `a withdrawn timer leaves the heap and can be armed again`() {
        var heap = TimerHeap()
        let (first, second) = (timer(), timer())
        heap.arm(first, at: time(10))
        heap.arm(second, at: time(20))
        heap.withdraw(first)
        heap.withdraw(first)

        #expect(heap.next == time(20))
        #expect(heap.count == 1)
        #expect(first.deadline == .distantFuture)

        heap.arm(first, at: time(30))

        #expect(popAll(&heap, at: 30).map { $0 === first } == [false, true])
    }

    @Test func `a cancelled timer releases its handler, cannot be armed again and can be cancelled again`() {
        var heap = TimerHeap()
        weak var handler: Nobody?
        let timer: LoopTimer
        do {
            let own = Nobody()
            handler = own
            timer = LoopTimer(handler: own)
        }
        heap.arm(timer, at: time(10))

        #expect(handler != nil)

        heap.cancel(timer)

        #expect(handler == nil)

        heap.cancel(timer)
        heap.arm(timer, at: time(20))

        #expect(heap.count == 0)
        #expect(heap.next == nil)
        #expect(timer.deadline == .distantFuture)
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `after random operations, exactly the timers whose deadline has passed become due`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var heap = TimerHeap()
        var timers = (0..<60).map { _ in timer() }
        var model: [Int: Int] = [:]
        var now = 0

        for _ in 0..<5_000 {
            let index = Int.random(in: timers.indices, using: &generator)
            switch Int.random(in: 0..<20, using: &generator) {
            case 0:
                heap.cancel(timers[index])
                timers[index] = timer()
                model[index] = nil
            case 1:
                timers[index].disarm()
                model[index] = nil
            case 2..<8:
                now += Int.random(in: 0...40, using: &generator)
                let due = Set(popAll(&heap, at: now).compactMap { timer in timers.firstIndex { $0 === timer } })
                let expected = Set(model.filter { $0.value <= now }.keys)
                #expect(due == expected)
                for index in expected { model[index] = nil }
            default:
                let deadline = now + Int.random(in: -5...200, using: &generator)
                heap.arm(timers[index], at: time(deadline))
                model[index] = deadline
            }
            for (index, deadline) in model where timers[index].deadline != time(deadline) {
                Issue.record("timer \(index) says \(timers[index].deadline) instead of \(deadline)")
            }
            // A loop that sleeps until `next` must never oversleep, and no cancelled timer may stay in the heap.
            if let earliest = model.values.min() { #expect(heap.next.map { $0 <= time(earliest) } == true) }
            #expect(heap.count >= model.count)
            #expect(heap.count <= timers.count)
        }
    }
}
