// SPDX-License-Identifier: Apache-2.0

/// The time limits for an instance and the limits for its automatic restarts.
package struct InstanceLimits: Sendable {
    /// The time limit from a start until the instance is ready (`--start-timeout`).
    package var start: Duration
    /// The time limit for the response to the callers of a start (`--start-answer-timeout`). The start itself
    /// continues.
    package var startAnswer: Duration
    /// The time limit for found instances to become ready before the gateway accepts clients.
    package var found = Duration.seconds(2)
    /// The time from SIGTERM to SIGKILL (`--stop-timeout`).
    package var stop: Duration
    /// The time from SIGKILL until the stop fails. A process that still exists after this time hangs in the kernel.
    package var kill = Duration.seconds(5)
    /// The delay between the first two health checks of a start. The delay doubles after each check.
    package var firstProbeDelay = Duration.milliseconds(50)
    /// The maximum delay between two health checks of a start.
    package var longestProbeDelay = Duration.milliseconds(500)

    /// The delay before the first restart after a crash (`--restart-delay`). The delay doubles with each restart.
    package var restartDelay: Duration
    /// The maximum delay before a restart (`--max-restart-delay`). After an instance has been ready for this time, the
    /// next restart has the first delay again.
    package var longestRestartDelay: Duration
    /// The number of consecutive quick failures after which the gateway does not restart the instance
    /// (`--max-quick-failures`).
    package var quickFailures: Int
    /// The time for which an instance must be ready so that its end does not count as a quick failure.
    package var quickFailure = Duration.seconds(10)

    /// The interval between two health checks of a ready instance (`--health-interval`).
    package var healthInterval: Duration
    /// The time without a health response and without any data after which the instance is unhealthy
    /// (`--unhealthy-after`).
    package var unhealthy: Duration
    /// Whether the gateway restarts an unhealthy instance (`--restart-unhealthy`).
    package var restartsUnhealthy: Bool

    /// Creates limits from the settings. The table of settings defines the defaults.
    package init(
        start: Duration, startAnswer: Duration, stop: Duration, restartDelay: Duration, longestRestartDelay: Duration,
        quickFailures: Int, healthInterval: Duration, unhealthy: Duration, restartsUnhealthy: Bool
    ) {
        self.start = start
        self.startAnswer = startAnswer
        self.stop = stop
        self.restartDelay = restartDelay
        self.longestRestartDelay = longestRestartDelay
        self.quickFailures = quickFailures
        self.healthInterval = healthInterval
        self.unhealthy = unhealthy
        self.restartsUnhealthy = restartsUnhealthy
    }

    /// The time after which a health check is slow, and the interval at which a slow check is examined again.
    var slowHealth: Duration { min(.seconds(2), unhealthy / 4) }
}

/// The counters that limit the restarts of an instance after unrequested ends.
struct Recovery: Equatable {
    /// The stage of the current run, which depends on the time for which the run has been ready.
    enum Stage: Equatable {
        /// The end of the run would be a quick failure.
        case fresh
        case proven
        /// The run has been ready for so long that the next failure counts as the first failure.
        case steady
    }

    var stage = Stage.fresh
    /// The number of consecutive quick failures.
    private(set) var quickFailures = 0
    /// The number of consecutive restarts. The delay of the next restart depends on this number.
    private var step = 0

    /// Counts a failure. Returns the delay before the next attempt; nil if the instance must not be restarted.
    mutating func fail(_ limits: InstanceLimits) -> Duration? {
        switch stage {
        case .fresh: quickFailures += 1
        case .proven: quickFailures = 0
        case .steady:
            quickFailures = 0
            step = 0
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
