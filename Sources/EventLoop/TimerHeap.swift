/// A deadline of one object on one loop.
///
/// Moving a deadline further away, which every byte of traffic does, only stores a number: the entry in the heap finds
/// out when it comes up. So the request path pays next to nothing for its time-outs.
package final class LoopTimer {
    /// Who is told; nil after it was cancelled.
    fileprivate(set) var handler: (any TimerHandler)?
    /// When it is due, or the far future.
    package fileprivate(set) var deadline = MonotonicTime.distantFuture
    /// The time under which the heap knows it; never later than ``deadline``.
    fileprivate var queued = MonotonicTime.distantFuture
    /// Where it stands in the heap, -1 where it does not.
    fileprivate var index = -1

    init(handler: any TimerHandler) { self.handler = handler }

    /// Does not fire until it is armed again.
    package func disarm() { deadline = .distantFuture }

    /// Belongs to nobody until ``use(for:)``; the heap may still know it.
    func rest() {
        handler = nil
        deadline = .distantFuture
    }

    /// Belongs to `handler` from now on; it is not armed.
    func use(for handler: any TimerHandler) { self.handler = handler }
}

/// Who is told that a deadline has passed.
package protocol TimerHandler: AnyObject {
    /// The deadline has passed; the timer is disarmed.
    func timerFired(_ timer: LoopTimer)
}

/// The deadlines of a loop, earliest first: a binary heap in which each timer knows its place.
struct TimerHeap {
    private var timers: [LoopTimer] = []

    /// The earliest time at which something may be due.
    var next: MonotonicTime? { timers.first?.queued }

    /// The number of entries, for tests.
    var count: Int { timers.count }

    /// Sets a timer's deadline.
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

    /// Takes a timer out for good; it lets go of its handler. An exchange's deadline lies minutes ahead and its end
    /// moments: what has ended must not stay.
    mutating func cancel(_ timer: LoopTimer) {
        timer.handler = nil
        withdraw(timer)
    }

    /// Disarms a timer and takes it out; it can be armed again.
    mutating func withdraw(_ timer: LoopTimer) {
        timer.deadline = .distantFuture
        // A loop that has let go of everybody knows none of its timers any more.
        guard timer.index >= 0, timer.index < timers.count, timers[timer.index] === timer else { return }
        remove(at: timer.index)
    }

    /// The next timer that is due at `now`, disarmed; nil when none is.
    mutating func popDue(at now: MonotonicTime) -> LoopTimer? {
        while let first = timers.first, first.queued <= now {
            if first.deadline > now, first.deadline != .distantFuture {
                // It was moved away after it had been queued.
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

    /// Every timer lets go of its handler: nobody looks at this heap again.
    func letGo() {
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
