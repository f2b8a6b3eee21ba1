// SPDX-License-Identifier: Apache-2.0

import Logging

/// The table of all settings. Help, parsing and the order of printing follow it.
package enum Settings {
    /// All settings, in the groups of help.
    package static let table: [Setting] =
        general + projects + access + instances + events + chat + log + timeouts + sizes

    /// Returns the settings with these names, in the table's order.
    static func named(_ names: Set<String>) -> [Setting] { table.filter { names.contains($0.name) } }

    /// The longest time that can be set.
    static let longest = Duration.seconds(30 * 86_400)

    private static let general: [Setting] = [
        Setting(
            "listen", "VIBE_LISTEN", .address, \.listen, default: .text("0.0.0.0:4000"),
            "Address and port on which the gateway accepts clients. Port 0 selects a free port and prints it."),
        Setting(
            "public-url", "VIBE_PUBLIC_URL", .publicURL, \.publicURL, default: .unset(description: "none"),
            """
            Address that clients use, such as `https://gateway.example.com`. `check` then also tests the gateway through this \
            address: certificate, key, and unbuffered event streams.
            """
        ).reloaded,
        Setting(
            "home", "HOME_DIR", .directory, \.home,
            default: .system(description: "your home folder") { $0.home },
            "Directory whose subdirectories are the projects."),
        Setting(
            "state-dir", "VIBE_STATE_DIR", .directory, \.stateFolder,
            default: .system(description: "~/.local/state/viberemote-gateway") { $0.stateFolder },
            """
            Directory for data that outlasts the gateway (`state.db`: the history of instances; `events`: their events). The \
            gateway creates it. One gateway at a time can use it. In a unit with `StateDirectory=` the default is that directory.
            """),
        Setting(
            "opencode", "VIBE_OPENCODE", .command, \.opencode, default: .text("opencode"),
            """
            Command that serves a project. The gateway appends `serve --port 0 --hostname 127.0.0.1`. It splits the command \
            into words as a shell does, with quotes and backslashes, but expands nothing. A project's own environment file can \
            set another command.
            """),
        Setting(
            "supervisor", "VIBE_SUPERVISOR", .cases, \.supervisor, default: .text("auto"),
            """
            How OpenCode instances run: `systemd`, as units `opencode@NAME.service`, which outlive the gateway; `process`, as \
            child processes of the gateway; `auto`, as units if the service manager answers and has that unit, else as child \
            processes.
            """),
        Setting(
            "scope", "VIBE_SCOPE", .cases, \.scope, default: .text("user"),
            "Service manager that runs the units: that of the `user` or that of the `system`."),
        Setting(
            "threads", "VIBE_THREADS", .number(in: 1...64), \.threads,
            default: .system(description: "number of cores, at most 4") { "\(max(1, min($0.processors, 4)))" },
            "Number of threads that carry requests, 1 to 64."),
        Setting(
            "config", "VIBE_CONFIG", .file, \.configurationFile,
            default: .unset(description: ConfigurationFile.defaultText),
            """
            Configuration file: lines `NAME=VALUE` with the names of the environment, for settings that neither a flag nor the \
            environment sets. `none` reads no file.
            """
        ).notFromFile.reloaded,
    ]

    private static let log: [Setting] = [
        Setting(
            "access-log", "VIBE_ACCESS_LOG", .onOff, \.accessLog, default: .text("on"), group: .log,
            "Log one line for each request."
        ).reloaded,
        Setting(
            "log-format", "VIBE_LOG_FORMAT", .cases, \.logFormat, default: .text("auto"), group: .log,
            "Log format. `auto`: the journal if stderr is the journal, text on a terminal, else JSON lines."),
        Setting(
            "log-level", "VIBE_LOG_LEVEL",
            .choice(LogLevel.allCases.reversed().map { ($0.name, $0) }, text: \.name), \.logLevel,
            default: .text("info"), group: .log, "Minimum log level."),
    ]

    // A reload changes those of the data plane; instances keep the values that they were started with.
    private static let timeouts: [Setting] = [
        time(
            "head", \.limits.headTimeout, "10s",
            """
            Time within which a request's line and header fields must arrive. Until a valid key has come on the connection, \
            also for the body and for taking the answer.
            """
        )
        .reloaded,
        time(
            "idle", \.limits.idleTimeout, "75s", "Time after which a kept-alive connection without a request is closed."
        )
        .reloaded,
        time("body", \.limits.bodyTimeout, "60s", "Maximum time between two bytes of a request's body.").reloaded,
        time(
            "answer", \.limits.answerTimeout, "15min",
            "Maximum time until OpenCode's answer begins, and between two bytes of an ordinary answer, from OpenCode or to the client."
        ).reloaded,
        time(
            "stream", \.limits.streamTimeout, "24h",
            "Maximum time between two bytes of an event stream, and until an answer that OpenCode sends at the end of a turn."
        ).reloaded,
        time("drain", \.limits.drainTimeout, "10s", "Time for running requests to finish after SIGTERM.").reloaded,
    ]

    private static let sizes: [Setting] = [
        size(
            "stream-backlog", "VIBE_STREAM_BACKLOG", \.limits.streamBacklog, "4MiB", (64 << 10)...(1 << 30),
            "Maximum number of bytes that wait for a slow client of an event stream. A client beyond it is disconnected."
        ).reloaded,
        size(
            "max-head", "VIBE_MAX_HEAD", \.limits.maxHead, "16KiB", (1 << 10)...(1 << 20),
            "Maximum size of a request's line and header fields together. OpenCode itself accepts 16KiB."),
        Setting(
            "max-connections", "VIBE_MAX_CONNECTIONS", .number(in: 0...1_000_000), \.limits.maxConnections,
            default: .text("4096"), group: .limits,
            """
            Clients' connections at once; beyond it the oldest one on which no valid key has come is closed. 0 takes as many as the \
            limit on open descriptors allows.
            """),
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
