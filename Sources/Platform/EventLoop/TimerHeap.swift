// SPDX-License-Identifier: Apache-2.0

/// A deadline of one object on one loop.
///
/// Traffic moves deadlines to a later time very often. Such a move only stores a number, and the heap corrects the
/// timer's entry when the entry becomes due. Time-outs therefore cost the request path almost nothing.
package final class LoopTimer {
    /// The timer's handler; nil after the timer was cancelled.
    fileprivate(set) var handler: (any TimerHandler)?
    /// The time at which the timer is due, or the distant future.
    package fileprivate(set) var deadline = MonotonicTime.distantFuture
    /// The time of the timer's entry in the heap; never later than ``deadline``.
    fileprivate var queued = MonotonicTime.distantFuture
    /// The index of the timer in the heap; -1 if it is not in the heap.
    fileprivate var index = -1

    init(handler: any TimerHandler) { self.handler = handler }

    /// Prevents the timer from firing until it is armed again.
    package func disarm() { deadline = .distantFuture }

    /// Removes the handler until ``use(for:)`` is called. The timer may stay in the heap.
    func release() {
        handler = nil
        deadline = .distantFuture
    }

    /// Assigns the timer to `handler` without arming it.
    func use(for handler: any TimerHandler) { self.handler = handler }
}

/// The handler of an expired deadline.
package protocol TimerHandler: AnyObject {
    /// Handles the expired deadline; the timer is disarmed.
    func timerFired(_ timer: LoopTimer)
}

/// The deadlines of a loop, as a binary heap with the earliest first. Each timer stores its index in the heap.
struct TimerHeap {
    private var timers: [LoopTimer] = []

    /// The earliest time at which a timer may be due.
    var next: MonotonicTime? { timers.first?.queued }

    /// The number of entries, for tests.
    var count: Int { timers.count }

    /// Sets or moves a timer's deadline.
    mutating func arm(_ timer: LoopTimer, at deadline: MonotonicTime) {
        guard timer.handler != nil else { return }
        timer.deadline = deadline
        if timer.index < 0 {
            timer.queued = deadline
            timer.index = timers.count
            timers.append(timer)
            rise(from: timer.index)
        } else if deadline < timer.queued {
            timer.queued = deadline
            rise(from: timer.index)
        }
    }

    /// Removes a timer permanently and releases its handler. The deadline of an ended exchange can be minutes away, and
    /// the exchange must not stay in memory until then.
    mutating func cancel(_ timer: LoopTimer) {
        timer.handler = nil
        withdraw(timer)
    }

    /// Disarms a timer and removes it from the heap. The timer can be armed again.
    mutating func withdraw(_ timer: LoopTimer) {
        timer.deadline = .distantFuture
        // Check that the heap contains the timer. A new heap replaces the old one when the loop releases its handlers.
        guard timer.index >= 0, timer.index < timers.count, timers[timer.index] === timer else { return }
        remove(at: timer.index)
    }

    /// Removes and returns the next timer that is due at `now`, and disarms it. Returns nil if no timer is due.
    mutating func popDue(at now: MonotonicTime) -> LoopTimer? {
        while let first = timers.first, first.queued <= now {
            if first.deadline > now, first.deadline != .distantFuture {
                // The deadline was moved to a later time after the timer had been queued, so correct the entry.
                first.queued = first.deadline
                sink(from: 0)
                continue
            }
            remove(at: 0)
            guard first.deadline != .distantFuture else { continue }
            first.deadline = .distantFuture
            return first
        }
        return nil
    }

    /// Releases the handlers of all timers. This heap must not be used afterwards.
    func releaseHandlers() {
        for timer in timers { timer.handler = nil }
    }

    private mutating func remove(at index: Int) {
        let removed = timers[index]
        let last = timers.removeLast()
        removed.index = -1
        guard last !== removed else { return }
        timers[index] = last
        last.index = index
        rise(from: index)
        sink(from: last.index)
    }

    private mutating func rise(from start: Int) {
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard timers[index].queued < timers[parent].queued else { return }
            swap(index, parent)
            index = parent
        }
    }

    private mutating func sink(from start: Int) {
        var index = start
        while true {
            var smallest = index
            let left = 2 * index + 1
            if left < timers.count, timers[left].queued < timers[smallest].queued { smallest = left }
            if left + 1 < timers.count, timers[left + 1].queued < timers[smallest].queued { smallest = left + 1 }
            guard smallest != index else { return }
            swap(index, smallest)
            index = smallest
        }
    }

    private mutating func swap(_ first: Int, _ second: Int) {
        timers.swapAt(first, second)
        timers[first].index = first
        timers[second].index = second
    }
}
