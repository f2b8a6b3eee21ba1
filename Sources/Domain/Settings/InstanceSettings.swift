// SPDX-License-Identifier: Apache-2.0

/// The options for instances, and for monitoring and restarting them. Durations are measured on the monotonic clock.
package struct InstanceSettings: Sendable, Equatable {
    /// Whether each run of an instance gets a random password.
    package internal(set) var setsPasswords = false
    /// Whether each instance gets its own directory for OpenCode's database and the logins of providers.
    package internal(set) var isolatesSessions = false
    /// The time after which the gateway responds to a start request even if the instance is not ready. The start
    /// continues.
    package internal(set) var startAnswerTimeout = Duration.zero
    /// The delay before the first restart after a crash. The delay doubles with each restart.
    package internal(set) var restartDelay = Duration.zero
    /// The maximum delay before a restart.
    package internal(set) var maxRestartDelay = Duration.zero
    /// The number of consecutive quick failures after which the gateway does not restart an instance.
    package internal(set) var maxQuickFailures = 0
    /// The interval between two health checks of a ready instance.
    package internal(set) var healthInterval = Duration.zero
    /// The time after which an instance is unhealthy if it has sent neither a health response nor any other byte.
    package internal(set) var unhealthyAfter = Duration.zero
    /// Whether the gateway restarts an unhealthy instance.
    package internal(set) var restartUnhealthy = false
}

/// The settings for starting, monitoring and restarting instances, with their help texts.
extension Settings {
    static let instances: [Setting] = [
        Setting(
            "instance-password", environment: "VIBE_INSTANCE_PASSWORD", syntax: .onOff,
            field: \.instances.setsPasswords,
            default: .text("on"),
            group: .instances,
            """
            Give each OpenCode instance a random password for each run, so that other users of the machine cannot use it. \
            `off`: use only the value of `OPENCODE_PASSWORD` or `OPENCODE_SERVER_PASSWORD` in the environment files.
            """),
        Setting(
            "isolate-sessions", environment: "VIBE_ISOLATE_SESSIONS", syntax: .onOff,
            field: \.instances.isolatesSessions, default: .text("off"), group: .instances,
            """
            Give each OpenCode instance its own directory for OpenCode's database and the logins of providers (`XDG_DATA_HOME`), \
            below `data` in `--state-dir`. Each project then needs its own `opencode auth login`, and the existing sessions are \
            not listed. A running instance keeps its directory until it is restarted. For units, set the value in the \
            configuration file.
            """),
        time(
            "start-timeout", environment: "VIBE_START_TIMEOUT", field: \.limits.startTimeout, default: "5min",
            "Time within which an OpenCode instance must become ready. A first start that migrates data or installs plug-ins takes minutes."
        ),
        time(
            "start-answer-timeout", environment: "VIBE_START_ANSWER_TIMEOUT", field: \.instances.startAnswerTimeout,
            default: "25s",
            "Time after which the gateway responds to a start request with 504. The start itself continues. Keep this time below 30s, because clients time out after 30s."
        ),
        time(
            "stop-timeout", environment: "VIBE_STOP_TIMEOUT", field: \.limits.stopTimeout, default: "10s",
            "Time between SIGTERM and SIGKILL when the gateway stops an OpenCode instance."),
        time(
            "restart-delay", environment: "VIBE_RESTART_DELAY", field: \.instances.restartDelay, default: "1s",
            "Delay before the gateway restarts an instance that exited by itself. The delay doubles with each exit."),
        time(
            "max-restart-delay", environment: "VIBE_MAX_RESTART_DELAY", field: \.instances.maxRestartDelay,
            default: "60s",
            "Maximum delay before a restart. An instance that stays ready for this time resets the delay to `--restart-delay`."
        ),
        Setting(
            "max-quick-failures", environment: "VIBE_MAX_QUICK_FAILURES", syntax: .number(in: 1...1_000_000),
            field: \.instances.maxQuickFailures,
            default: .text("5"), group: .instances,
            """
            Number of consecutive quick exits after which the gateway reports an instance as failed and does not restart it. \
            An exit is quick if the instance was ready for less than 10s. With 1, the first quick exit is final.
            """),
        time(
            "health-interval", environment: "VIBE_HEALTH_INTERVAL", field: \.instances.healthInterval, default: "10s",
            "Interval between two health checks of a ready instance."),
        time(
            "unhealthy-after", environment: "VIBE_UNHEALTHY_AFTER", field: \.instances.unhealthyAfter, default: "60s",
            "Time after which an instance is unhealthy if it has sent neither a health response nor any byte of another response."
        ),
        Setting(
            "restart-unhealthy", environment: "VIBE_RESTART_UNHEALTHY", syntax: .onOff,
            field: \.instances.restartUnhealthy, default: .text("off"),
            group: .instances,
            "Restart an unhealthy instance. Its running turns are lost."),
    ]

    private static func time(
        _ name: String, environment: String, field: any WritableKeyPath<Configuration, Duration> & Sendable,
        default defaultText: String, _ help: String
    ) -> Setting {
        Setting(
            name, environment: environment, syntax: .duration(in: .milliseconds(1)...longest), field: field,
            default: .text(defaultText),
            group: .instances, help)
    }
}
