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
