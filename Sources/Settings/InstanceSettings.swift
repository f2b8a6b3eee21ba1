// SPDX-License-Identifier: Apache-2.0

/// The options for instances, and for monitoring and restarting them. Durations are measured on the monotonic clock.
package struct InstanceSettings: Sendable, Equatable {
    /// Whether each run of an instance gets a random password.
    package internal(set) var givesPasswords = false
    /// The time after which callers of a start receive a response; the start continues.
    package internal(set) var startAnswerTimeout = Duration.zero
    /// The delay before the first restart after a crash; it doubles each time.
    package internal(set) var restartDelay = Duration.zero
    /// The maximum delay before a restart.
    package internal(set) var maxRestartDelay = Duration.zero
    /// The number of quick failures in a row after which an instance is not restarted.
    package internal(set) var maxQuickFailures = 0
    /// The interval between two health checks of a ready instance.
    package internal(set) var healthInterval = Duration.zero
    /// The time without a health response and without a byte after which an instance is unhealthy.
    package internal(set) var unhealthyAfter = Duration.zero
    /// Whether an unhealthy instance is restarted.
    package internal(set) var restartUnhealthy = false
}

/// The settings for instances, and for starting, monitoring and restarting them.
extension Settings {
    static let instances: [Setting] = [
        Setting(
            "instance-password", "VIBE_INSTANCE_PASSWORD", .onOff, \.instances.givesPasswords, default: .text("on"),
            group: .instances,
            """
            Give each OpenCode instance a random password for each run, so that other users of the machine cannot use it. \
            `off`: use only the value of `OPENCODE_PASSWORD` or `OPENCODE_SERVER_PASSWORD` in the environment files.
            """),
        time(
            "start-timeout", "VIBE_START_TIMEOUT", \.limits.startTimeout, "5min",
            "Time within which an OpenCode instance must become ready. A first start that migrates data or installs plug-ins takes minutes."
        ),
        time(
            "start-answer-timeout", "VIBE_START_ANSWER_TIMEOUT", \.instances.startAnswerTimeout, "25s",
            "Time after which the gateway answers a start request with 504. The start itself continues. Clients time out after 30s."
        ),
        time(
            "stop-timeout", "VIBE_STOP_TIMEOUT", \.limits.stopTimeout, "10s",
            "Time between SIGTERM and SIGKILL when the gateway stops an OpenCode instance."),
        time(
            "restart-delay", "VIBE_RESTART_DELAY", \.instances.restartDelay, "1s",
            "Delay before the gateway restarts an instance that exited by itself. It doubles each time."),
        time(
            "max-restart-delay", "VIBE_MAX_RESTART_DELAY", \.instances.maxRestartDelay, "60s",
            "Maximum delay before a restart. An instance that was ready for that long starts with the first delay again."
        ),
        Setting(
            "max-quick-failures", "VIBE_MAX_QUICK_FAILURES", .number(in: 1...1_000_000), \.instances.maxQuickFailures,
            default: .text("5"), group: .instances,
            """
            Number of times in a row that an instance may exit before it was ready for 10s. After that the gateway does not \
            restart it and reports it as failed. With 1 it is never restarted.
            """),
        time(
            "health-interval", "VIBE_HEALTH_INTERVAL", \.instances.healthInterval, "10s",
            "Interval between two health checks of a ready instance."),
        time(
            "unhealthy-after", "VIBE_UNHEALTHY_AFTER", \.instances.unhealthyAfter, "60s",
            "Time without a health answer and without a byte of any other answer after which an instance is unhealthy."
        ),
        Setting(
            "restart-unhealthy", "VIBE_RESTART_UNHEALTHY", .onOff, \.instances.restartUnhealthy, default: .text("off"),
            group: .instances,
            "Restart an unhealthy instance. Its running turns are lost."),
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
