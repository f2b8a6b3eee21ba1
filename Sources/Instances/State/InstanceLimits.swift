/// How long an instance may take, and how often it is started again by itself.
package struct InstanceLimits: Sendable {
    /// From the start until it is ready (`--start-timeout`).
    package var start: Duration
    /// For the callers of a start: they get an answer by then, and the start goes on (`--start-answer-timeout`).
    package var startAnswer: Duration
    /// For what runs already when the gateway begins, to be ready before clients are let in.
    package var found = Duration.seconds(2)
    /// From SIGTERM until SIGKILL (`--stop-timeout`).
    package var stop: Duration
    /// From SIGKILL until the stop is given up: the kernel holds the process.
    package var kill = Duration.seconds(5)
    /// Between the first two health checks of a start; then twice as long each time.
    package var firstProbeDelay = Duration.milliseconds(50)
    /// Between two health checks of a start at most.
    package var longestProbeDelay = Duration.milliseconds(500)

    /// Before the first restart after a crash; then twice as long each time (`--restart-delay`).
    package var restartDelay: Duration
    /// Before a restart at most; an instance that was ready for that long begins with the first delay again (`--max-restart-delay`).
    package var longestRestartDelay: Duration
    /// Quick failures in a row after which it is not restarted any more (`--max-quick-failures`).
    package var quickFailures: Int
    /// An end is a quick failure until the instance has been ready for that long.
    package var quickFailure = Duration.seconds(10)

    /// Between two health checks of a ready instance (`--health-interval`).
    package var healthInterval: Duration
    /// Without a health answer and without a byte: unhealthy (`--unhealthy-after`).
    package var unhealthy: Duration
    /// Whether an unhealthy instance is restarted (`--restart-unhealthy`).
    package var restartsUnhealthy: Bool

    /// What the settings say; their table alone has defaults.
    package init(
        start: Duration, startAnswer: Duration, stop: Duration, restartDelay: Duration, longestRestartDelay: Duration,
        quickFailures: Int, healthInterval: Duration, unhealthy: Duration, restartsUnhealthy: Bool
    ) {
        (self.start, self.startAnswer, self.stop) = (start, startAnswer, stop)
        (self.restartDelay, self.longestRestartDelay) = (restartDelay, longestRestartDelay)
        (self.quickFailures, self.healthInterval) = (quickFailures, healthInterval)
        (self.unhealthy, self.restartsUnhealthy) = (unhealthy, restartsUnhealthy)
    }

    /// A health answer that takes longer is slow; how long that lasts is then looked at that often.
    var slowHealth: Duration { min(.seconds(2), unhealthy / 4) }
}

/// How patient the gateway still is with an instance that ends by itself.
struct Recovery: Equatable {
    /// How long the current run has been ready.
    enum Stage: Equatable {
        /// Its end would be a quick failure.
        case fresh
        case proven
        /// So long that the next failure is the first again.
        case steady
    }

    var stage = Stage.fresh
    /// Quick failures in a row.
    private(set) var quickFailures = 0
    /// Restarts in a row, for the delay.
    private var step = 0

    /// Counts a failure; the delay before the next try, nil when there is to be none.
    mutating func fail(_ limits: InstanceLimits) -> Duration? {
        switch stage {
        case .fresh: quickFailures += 1
        case .proven: quickFailures = 0
        case .steady: (quickFailures, step) = (0, 0)
        }
        stage = .fresh
        guard quickFailures < limits.quickFailures else { return nil }
        var delay = min(limits.restartDelay, limits.longestRestartDelay)
        for _ in 0..<step where delay < limits.longestRestartDelay {
            delay = min(delay * 2, limits.longestRestartDelay)
        }
        step += 1
        return delay
    }
}
