import Logging

/// The table of all settings. Help, parsing and the order of printing follow it.
package enum Settings {
    /// Every setting, grouped as help shows them.
    package static let table: [Setting] =
        general + projects + access + instances + events + chat + log + timeouts + sizes

    /// Those of that name, in the table's order.
    static func named(_ names: Set<String>) -> [Setting] { table.filter { names.contains($0.name) } }

    /// The longest time that can be set.
    static let longest = Duration.seconds(30 * 86_400)

    private static let general: [Setting] = [
        Setting(
            "listen", "VIBE_LISTEN", .address, \.listen, default: .text("0.0.0.0:4000"),
            "Address and port to accept clients on. Port 0 picks a free one and says which."),
        Setting(
            "public-url", "VIBE_PUBLIC_URL", .publicURL, \.publicURL, default: .unset(description: "none"),
            """
            Address that clients use, such as `https://gateway.example.com`. `check` then looks at the gateway from there: \
            certificate, key, and whether event streams pass unbuffered.
            """
        ).reloaded,
        Setting(
            "home", "HOME_DIR", .directory, \.home,
            default: .system(description: "your home folder") { $0.home },
            "Folder whose sub-folders are the projects."),
        Setting(
            "state-dir", "VIBE_STATE_DIR", .directory, \.stateFolder,
            default: .system(description: "~/.local/state/viberemote-gateway") { $0.stateFolder },
            """
            Folder for what the gateway keeps over restarts (`state.db`: the history of instances; `events`: what they have \
            said), which it makes itself. \
            One gateway at a time can use it. In a unit with `StateDirectory=` it is that one.
            """),
        Setting(
            "opencode", "VIBE_OPENCODE", .command, \.opencode, default: .text("opencode"),
            """
            Command that serves a project; the gateway adds `serve --port 0 --hostname 127.0.0.1`. Split into words as a \
            shell does, with quotes and backslashes, but nothing is expanded. A project's own environment file may name \
            another.
            """),
        Setting(
            "supervisor", "VIBE_SUPERVISOR", .cases, \.supervisor, default: .text("auto"),
            """
            Who runs OpenCode instances: `systemd` as units `opencode@NAME.service`, which outlive the gateway; `process` \
            the gateway itself, as its children; `auto` systemd where its manager answers and has that unit.
            """),
        Setting(
            "scope", "VIBE_SCOPE", .cases, \.scope, default: .text("user"),
            "Whose service manager runs the units: the `user`'s own or the `system`'s."),
        Setting(
            "threads", "VIBE_THREADS", .number(in: 1...64), \.threads,
            default: .system(description: "number of cores, at most 4") { "\(max(1, min($0.processors, 4)))" },
            "Threads that carry requests, 1 to 64."),
        Setting(
            "config", "VIBE_CONFIG", .file, \.configurationFile,
            default: .unset(description: ConfigurationFile.defaultText),
            """
            File that sets what neither flag nor environment does: lines `NAME=VALUE` with the environment's names. \
            `none` reads none.
            """
        ).notFromFile.reloaded,
    ]

    private static let log: [Setting] = [
        Setting(
            "access-log", "VIBE_ACCESS_LOG", .onOff, \.accessLog, default: .text("on"), group: .log,
            "Whether each request gets a log line."
        ).reloaded,
        Setting(
            "log-format", "VIBE_LOG_FORMAT", .cases, \.logFormat, default: .text("auto"), group: .log,
            "Form of log lines. `auto`: the journal where stderr is the journal, text on a terminal, else JSON lines."),
        Setting(
            "log-level", "VIBE_LOG_LEVEL",
            .choice(LogLevel.allCases.reversed().map { ($0.name, $0) }, text: \.name), \.logLevel,
            default: .text("info"), group: .log, "The least grave level that is logged."),
    ]

    // A reload changes those of the data plane; instances keep those that they were started with.
    private static let timeouts: [Setting] = [
        time("head", \.limits.headTimeout, "10s", "Time for a request's line and header fields to arrive.").reloaded,
        time("idle", \.limits.idleTimeout, "75s", "Time that a kept-alive connection may stay without a request.")
            .reloaded,
        time("body", \.limits.bodyTimeout, "60s", "Time without a byte of a request's body.").reloaded,
        time(
            "answer", \.limits.answerTimeout, "15min",
            "Time until OpenCode's answer begins, and without a byte of an ordinary answer: from OpenCode, or taken by the client."
        ).reloaded,
        time(
            "stream", \.limits.streamTimeout, "24h",
            "Time without a byte on an event stream, and until an answer that comes at the end of a turn."
        ).reloaded,
        time("drain", \.limits.drainTimeout, "10s", "Time for running exchanges to finish after SIGTERM.").reloaded,
    ]

    private static let sizes: [Setting] = [
        size(
            "stream-backlog", "VIBE_STREAM_BACKLOG", \.limits.streamBacklog, "4MiB", (64 << 10)...(1 << 30),
            "Bytes that may wait for a stalled reader of an event stream before it is cut."
        ).reloaded,
        size(
            "max-head", "VIBE_MAX_HEAD", \.limits.maxHead, "16KiB", (1 << 10)...(1 << 20),
            "Bytes of a request's line and header fields together. OpenCode itself accepts 16KiB."),
        Setting(
            "max-connections", "VIBE_MAX_CONNECTIONS", .number(in: 0...1_000_000), \.limits.maxConnections,
            default: .text("0"), group: .limits,
            "Clients' connections at once. 0 takes as many as the limit on open descriptors allows."),
    ]

    private static func time(
        _ name: String, _ field: any WritableKeyPath<Configuration, Duration> & Sendable, _ defaultText: String,
        _ help: String
    ) -> Setting {
        Setting(
            "\(name)-timeout", "VIBE_\(name.uppercased())_TIMEOUT", .duration(in: .milliseconds(1)...longest),
            field, default: .text(defaultText), group: .limits, help)
    }

    private static func size(
        _ name: String, _ environment: String, _ field: any WritableKeyPath<Configuration, Int> & Sendable,
        _ defaultText: String, _ range: ClosedRange<Int>, _ help: String
    ) -> Setting {
        Setting(
            name, environment, .size(in: range), field,
            default: .text(defaultText), group: .limits, help)
    }
}
