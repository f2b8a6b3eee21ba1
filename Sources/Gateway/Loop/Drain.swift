import EventLoop

/// Waits until a loop has no connection left, or until the time is over; then what is left is ended and has a moment for its
/// last words.
final class Drain: TimerHandler {
    private static let interval = Duration.milliseconds(10)
    private static let lastWords = Duration.milliseconds(500)

    private let loop: EventLoop
    private var deadline: MonotonicTime
    private let isEmpty: () -> Bool
    private var expired: (() -> Void)?
    private let finished: () -> Void
    private var timer: LoopTimer?

    init(
        loop: EventLoop, within limit: Duration, isEmpty: @escaping () -> Bool, expired: @escaping () -> Void,
        finished: @escaping () -> Void
    ) {
        self.loop = loop
        self.isEmpty = isEmpty
        self.expired = expired
        self.finished = finished
        deadline = MonotonicTime.now + limit
        let timer = loop.timer(self)
        self.timer = timer
        loop.arm(timer, after: .zero)
    }

    func timerFired(_ timer: LoopTimer) {
        if !isEmpty(), MonotonicTime.now >= deadline, let expired {
            self.expired = nil
            deadline = MonotonicTime.now + Self.lastWords
            expired()
        }
        guard !isEmpty(), MonotonicTime.now < deadline else {
            loop.cancel(timer)
            self.timer = nil
            return finished()
        }
        loop.arm(timer, after: Self.interval)
    }
}
