// SPDX-License-Identifier: Apache-2.0

import Logging

/// The table of all settings. The help, parsing and `check` use the table's order.
package enum Settings {
    /// All settings, in the order of their groups in the help.
    package static let table: [Setting] =
        general + projects + access + instances + events + chat + log + timeouts + sizes

    /// Returns the settings with these names, in the table's order.
    static func named(_ names: Set<String>) -> [Setting] { table.filter { names.contains($0.name) } }

    /// The maximum value of most durations.
    static let longest = Duration.seconds(30 * 86_400)

    private static let general: [Setting] = [
        Setting(
            "listen", environment: "VIBE_LISTEN", syntax: .address, field: \.listen, default: .text("0.0.0.0:4000"),
            "Address and port on which the gateway accepts clients. With port 0, the gateway selects a free port and prints it."
        ),
        Setting(
            "public-url", environment: "VIBE_PUBLIC_URL", syntax: .publicURL, field: \.publicURL,
            default: .unset(description: "none"),
            """
            Address that clients use, such as `https://gateway.example.com`. If it is set, `check` also tests the gateway \
            through this address: the certificate, the key, and whether event streams arrive without buffering.
            """
        ).reloaded,
        Setting(
            "home", environment: "HOME_DIR", syntax: .directory, field: \.home,
            default: .system(description: "your home directory") { $0.home },
            "Directory whose subdirectories are the projects."),
        Setting(
            "state-dir", environment: "VIBE_STATE_DIR", syntax: .directory, field: \.stateFolder,
            default: .system(description: "~/.local/state/viberemote-gateway") { $0.stateFolder },
            """
            Directory for data that the gateway keeps across restarts: the named keys and the history of instances \
            (`state.db`), the audit log (`audit.db`), the events (`events`), and with `--isolate-sessions on` OpenCode's data \
            (`data`). The gateway creates this directory. Only one gateway at a time can use it. In a unit with \
            `StateDirectory=`, the default is the directory that this option names.
            """),
        Setting(
            "opencode", environment: "VIBE_OPENCODE", syntax: .command, field: \.opencode, default: .text("opencode"),
            """
            Command that serves a project. The gateway appends `serve --port 0 --hostname 127.0.0.1`. It splits the command \
            into words as a shell does, including quotes and backslashes, but performs no expansions. A project's own \
            environment file can set another command.
            """),
        Setting(
            "supervisor", environment: "VIBE_SUPERVISOR", syntax: .cases, field: \.supervisor, default: .text("auto"),
            """
            Supervisor of the OpenCode instances. `systemd`: instances run as units `opencode@NAME.service`, which outlive the \
            gateway. `process`: instances run as child processes of the gateway. `auto`: instances run as units if the service \
            manager responds and has that unit, and otherwise as child processes.
            """),
        Setting(
            "scope", environment: "VIBE_SCOPE", syntax: .cases, field: \.scope, default: .text("user"),
            "Service manager that runs the units. `user`: the user's service manager. `system`: the system's service manager."
        ),
        Setting(
            "threads", environment: "VIBE_THREADS", syntax: .number(in: 1...64), field: \.threads,
            default: .system(description: "number of cores, at most 4") { "\(max(1, min($0.processors, 4)))" },
            "Number of threads that process requests, from 1 to 64."),
        Setting(
            "config", environment: "VIBE_CONFIG", syntax: .file, field: \.configurationFile,
            default: .unset(description: ConfigurationFile.defaultText),
            """
            Configuration file. Each line is `NAME=VALUE`, where NAME is the environment variable of a setting. Flags and the \
            environment override the file. `none`: read no file.
            """
        ).notFromFile.reloaded,
    ]

    private static let log: [Setting] = [
        Setting(
            "access-log", environment: "VIBE_ACCESS_LOG", syntax: .onOff, field: \.accessLog, default: .text("on"),
            group: .log,
            "Log one line for each request."
        ).reloaded,
        Setting(
            "log-format", environment: "VIBE_LOG_FORMAT", syntax: .cases, field: \.logFormat, default: .text("auto"),
            group: .log,
            "Log format. `auto`: the journal if stderr is the journal, text on a terminal, and otherwise JSON lines."),
        Setting(
            "log-level", environment: "VIBE_LOG_LEVEL",
            syntax: .choice(LogLevel.allCases.reversed().map { ($0.name, $0) }, text: \.name), field: \.logLevel,
            default: .text("info"), group: .log, "Minimum log level."),
    ]

    // A reload applies all of these time limits. The time limits of instances require a restart.
    private static let timeouts: [Setting] = [
        time(
            "head", field: \.limits.headTimeout, default: "10s",
            """
            Maximum time to receive a request's line and header fields. On a connection that has not sent a valid key yet, \
            this time also includes receiving the body and sending the response.
            """
        )
        .reloaded,
        time(
            "idle", field: \.limits.idleTimeout, default: "75s",
            "Time after which the gateway closes a kept-alive connection without a request."
        )
        .reloaded,
        time("body", field: \.limits.bodyTimeout, default: "60s", "Maximum time between two bytes of a request's body.")
            .reloaded,
        time(
            "answer", field: \.limits.answerTimeout, default: "15min",
            "Maximum time until OpenCode's response begins. Also the maximum time between two bytes of an ordinary response, both from OpenCode and to the client."
        ).reloaded,
        time(
            "stream", field: \.limits.streamTimeout, default: "24h",
            "Maximum time between two bytes of an event stream. Also the maximum time until the beginning of a response that OpenCode sends at the end of a turn."
        ).reloaded,
        time(
            "drain", field: \.limits.drainTimeout, default: "10s", "Time for running requests to finish after SIGTERM."
        ).reloaded,
    ]

    private static let sizes: [Setting] = [
        size(
            "stream-backlog", environment: "VIBE_STREAM_BACKLOG", field: \.limits.streamBacklog, default: "4MiB",
            in: (64 << 10)...(1 << 30),
            "Maximum number of bytes that wait for a slow client of an event stream. The gateway disconnects a client that exceeds this limit."
        ).reloaded,
        size(
            "max-head", environment: "VIBE_MAX_HEAD", field: \.limits.maxHead, default: "16KiB",
            in: (1 << 10)...(1 << 20),
            "Maximum size of a request's line and header fields together. OpenCode itself accepts 16KiB."),
        Setting(
            "max-connections", environment: "VIBE_MAX_CONNECTIONS", syntax: .number(in: 0...1_000_000),
            field: \.limits.maxConnections,
            default: .text("4096"), group: .limits,
            """
            Maximum number of simultaneous client connections. Beyond this number the gateway closes the oldest connection \
            that has not sent a valid key. 0 allows as many connections as the limit on open descriptors permits.
            """),
    ]

    private static func time(
        _ name: String, field: any WritableKeyPath<Configuration, Duration> & Sendable, default defaultText: String,
        _ help: String
    ) -> Setting {
        Setting(
            "\(name)-timeout", environment: "VIBE_\(name.uppercased())_TIMEOUT",
            syntax: .duration(in: .milliseconds(1)...longest),
            field: field, default: .text(defaultText), group: .limits, help)
    }

    private static func size(
        _ name: String, environment: String, field: any WritableKeyPath<Configuration, Int> & Sendable,
        default defaultText: String, in range: ClosedRange<Int>, _ help: String
    ) -> Setting {
        Setting(
            name, environment: environment, syntax: .size(in: range), field: field,
            default: .text(defaultText), group: .limits, help)
    }
}
