/// What instances run with, and how they are watched and restarted. Durations are measured on the monotonic clock.
package struct InstanceSettings: Sendable, Equatable {
    /// Whether each run of an instance gets a random password.
    package internal(set) var givesPasswords = false
    /// For an answer to the callers of a start; the start goes on.
    package internal(set) var startAnswerTimeout = Duration.zero
    /// Before the first restart after a crash; then twice as long each time.
    package internal(set) var restartDelay = Duration.zero
    /// Before a restart at most.
    package internal(set) var maxRestartDelay = Duration.zero
    /// Quick failures in a row after which an instance is not restarted.
    package internal(set) var maxQuickFailures = 0
    /// Between two health checks of a ready instance.
    package internal(set) var healthInterval = Duration.zero
    /// Without a health answer and without a byte: unhealthy.
    package internal(set) var unhealthyAfter = Duration.zero
    /// Whether an unhealthy instance is restarted.
    package internal(set) var restartUnhealthy = false
}

/// What instances run with, and how they are started, watched and restarted.
extension Settings {
    static let instances: [Setting] = [
        Setting(
            "instance-password", "VIBE_INSTANCE_PASSWORD", .onOff, \.instances.givesPasswords, default: .text("on"),
            group: .instances,
            """
            Whether each OpenCode instance gets a random password of its own for each run, so that other users of the \
            machine can't use it. `off`: only what `OPENCODE_PASSWORD` or \
            `OPENCODE_SERVER_PASSWORD` in the environment files says.
            """),
        time(
            "start-timeout", "VIBE_START_TIMEOUT", \.limits.startTimeout, "5min",
            "Time for an OpenCode instance to become ready. A first start that migrates data or fetches plug-ins takes minutes."
        ),
        time(
            "start-answer-timeout", "VIBE_START_ANSWER_TIMEOUT", \.instances.startAnswerTimeout, "25s",
            "Time after which a start is answered with 504 while it goes on. Clients give up after 30s."),
        time(
            "stop-timeout", "VIBE_STOP_TIMEOUT", \.limits.stopTimeout, "10s",
            "Time between SIGTERM and SIGKILL when an OpenCode instance is stopped."),
        time(
            "restart-delay", "VIBE_RESTART_DELAY", \.instances.restartDelay, "1s",
            "Time before an instance that has ended by itself is started again; doubled each time."),
        time(
            "max-restart-delay", "VIBE_MAX_RESTART_DELAY", \.instances.maxRestartDelay, "60s",
            "The longest time before a restart. An instance that was ready for that long begins with the first delay again."
        ),
        Setting(
            "max-quick-failures", "VIBE_MAX_QUICK_FAILURES", .number(in: 1...1_000_000), \.instances.maxQuickFailures,
            default: .text("5"), group: .instances,
            """
            How often in a row an instance may end before it has been ready for 10s; then it is left alone as failed. \
            With 1 it is not restarted.
            """),
        time(
            "health-interval", "VIBE_HEALTH_INTERVAL", \.instances.healthInterval, "10s",
            "Time between two health checks of a ready instance."),
        time(
            "unhealthy-after", "VIBE_UNHEALTHY_AFTER", \.instances.unhealthyAfter, "60s",
            "Time without a health answer and without a byte of any other answer until an instance counts as unhealthy."
        ),
        Setting(
            "restart-unhealthy", "VIBE_RESTART_UNHEALTHY", .onOff, \.instances.restartUnhealthy, default: .text("off"),
            group: .instances,
            "Whether an instance that counts as unhealthy is restarted. Turns that run in it are lost."),
    ]

    private static func time(
        _ name: String, _ environment: String, _ field: any WritableKeyPath<Configuration, Duration> & Sendable,
        _ defaultText: String, _ help: String
    ) -> Setting {
        Setting(
            name, environment, .duration(in: .milliseconds(1)...longest), field, default: .text(defaultText),
            group: .instances, help)
    }
}
