import EventLoop

/// Waits until a loop has no connection left, or until the time is over.
final class Drain: TimerHandler {
    private static let interval = Duration.milliseconds(10)

    private let loop: EventLoop
    private let deadline: MonotonicTime
    private let isEmpty: () -> Bool
    private let finished: () -> Void
    private var timer: LoopTimer?

    init(loop: EventLoop, within limit: Duration, isEmpty: @escaping () -> Bool, finished: @escaping () -> Void) {
        self.loop = loop
        self.isEmpty = isEmpty
        self.finished = finished
        deadline = MonotonicTime.now + limit
        let timer = loop.timer(self)
        self.timer = timer
        loop.arm(timer, after: .zero)
    }

    func timerFired(_ timer: LoopTimer) {
        guard !isEmpty(), MonotonicTime.now < deadline else {
            loop.cancel(timer)
            self.timer = nil
            return finished()
        }
        loop.arm(timer, after: Self.interval)
    }
}
