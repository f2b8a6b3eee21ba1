/// A deadline of one object on one loop.
///
/// Moving a deadline further away, which every byte of traffic does, only stores a number: the entry in the heap finds
/// out when it comes up. So the request path pays nothing for its time-outs.
package final class LoopTimer {
    /// The object that is told; nil after ``cancel()``.
    fileprivate(set) var handler: (any TimerHandler)?
    /// When it is due, or the far future.
    package fileprivate(set) var deadline = MonotonicTime.distantFuture
    /// The time under which the heap knows it, where it does.
    fileprivate var queued: MonotonicTime?

    init(handler: any TimerHandler) { self.handler = handler }

    /// Never fires from now on and lets go of its handler.
    package func cancel() {
        handler = nil
        deadline = .distantFuture
    }

    /// Does not fire until it is armed again.
    package func disarm() { deadline = .distantFuture }
}

/// Who is told that a deadline has passed.
package protocol TimerHandler: AnyObject {
    /// The deadline has passed; the timer is disarmed.
    func timerFired(_ timer: LoopTimer)
}

/// The deadlines of a loop, earliest first: a binary heap whose entries may be out of date.
struct TimerHeap {
    private struct Entry {
        var time: MonotonicTime
        var timer: LoopTimer
    }

    private var entries: [Entry] = []

    /// The earliest time at which something may be due.
    var next: MonotonicTime? { entries.first?.time }

    /// The number of entries, for tests.
    var count: Int { entries.count }

    /// Sets a timer's deadline.
    mutating func arm(_ timer: LoopTimer, at deadline: MonotonicTime) {
        timer.deadline = deadline
        if let queued = timer.queued, queued <= deadline { return }
        timer.queued = deadline
        push(Entry(time: deadline, timer: timer))
    }

    /// The next timer that is due at `now`, disarmed; nil when none is.
    mutating func popDue(at now: MonotonicTime) -> LoopTimer? {
        while let first = entries.first, first.time <= now {
            pop()
            let timer = first.timer
            // An entry that an earlier arming has overtaken is not the one the timer knows of.
            guard timer.queued == first.time else { continue }
            timer.queued = nil
            guard timer.handler != nil, timer.deadline != .distantFuture else { continue }
            if timer.deadline > now {
                arm(timer, at: timer.deadline)
                continue
            }
            timer.deadline = .distantFuture
            return timer
        }
        return nil
    }

    private mutating func push(_ entry: Entry) {
        entries.append(entry)
        var index = entries.count - 1
        while index > 0 {
            let parent = (index - 1) / 2
            guard entries[index].time < entries[parent].time else { return }
            entries.swapAt(index, parent)
            index = parent
        }
    }

    private mutating func pop() {
        entries.swapAt(0, entries.count - 1)
        entries.removeLast()
        var index = 0
        while true {
            var smallest = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < entries.count && entries[child].time < entries[smallest].time {
                smallest = child
            }
            guard smallest != index else { return }
            entries.swapAt(index, smallest)
            index = smallest
        }
    }
}
