internal import Access
package import EnvironmentFiles
package import OpenCode

/// What an OpenCode server finds in its environment, whoever starts it: a base without what belongs to the gateway alone,
/// then `~/.config/opencode/env`, then `~/.config/opencode/env.d/NAME.env`, then what the gateway needs.
package struct InstanceEnvironment: Sendable, Equatable {
    /// What the base gives.
    private let base: [String: String]
    /// What the files say, the project's own over the common one.
    private let fileValues: [String: String]
    /// Lines of the files that have no effect: each deserves a warning.
    package let ignoredLines: [EnvironmentFileProblem]

    /// Merges `files`, of which a later one holds over an earlier one, over `base`, the starting process's environment.
    package init(base: [String: String], files: [EnvironmentFile]) {
        self.base = base.filter { !OwnVariables.contain($0.key) }
        fileValues = files.reduce(into: [:]) { $0.merge($1.values) { $1 } }
        ignoredLines = files.flatMap(\.ignoredLines)
    }

    /// Whether two environments of one project differ in what the files say: a hash of names and values. Comments and the
    /// order of lines don't count.
    package var digest: String {
        let lines = fileValues.map { "\($0.key)=\($0.value)\0" }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        return Hash.hex(Array(lines.joined().utf8))
    }

    /// What the server is to ask for: a random password of its own; or, when that is switched off, what the environment
    /// itself makes it ask for, if anything.
    package func credentials(withOwnPassword: Bool) -> InstanceCredentials? {
        if withOwnPassword { return InstanceCredentials(password: RandomBytes.hex(16)) }
        let values = base.merging(fileValues) { $1 }
        // OpenCode takes an empty value for none.
        guard let password = values["OPENCODE_SERVER_PASSWORD"], !password.isEmpty else { return nil }
        let username = values["OPENCODE_SERVER_USERNAME"].flatMap { $0.isEmpty ? nil : $0 }
        return InstanceCredentials(username: username ?? InstanceCredentials.defaultUsername, password: password)
    }

    /// The whole environment of a server that asks for `credentials` and works in `directory`; the rest may not be
    /// overruled by files.
    package func variables(credentials: InstanceCredentials?, directory: String) -> [String: String] {
        var variables = base.merging(fileValues) { $1 }
        for name in Self.credentialNames { variables[name] = nil }
        if let credentials {
            variables["OPENCODE_SERVER_PASSWORD"] = credentials.password
            // The name that OpenCode 2 gives it.
            variables["OPENCODE_PASSWORD"] = credentials.password
            if credentials.username != InstanceCredentials.defaultUsername {
                variables["OPENCODE_SERVER_USERNAME"] = credentials.username
            }
        }
        variables["PWD"] = directory
        return variables
    }

    private static let credentialNames = [
        "OPENCODE_SERVER_PASSWORD", "OPENCODE_SERVER_USERNAME", "OPENCODE_PASSWORD",
    ]
}

/// Variables that are about the process that starts a server, not about the server.
private enum OwnVariables {
    /// Whether the variable stays with the starting process: the gateway's settings and key, and what a service manager
    /// told it about itself (systemd.exec(5), "Environment Variables in Spawned Processes").
    static func contain(_ name: String) -> Bool {
        names.contains(name) || prefixes.contains { name.hasPrefix($0) }
    }

    private static let prefixes = ["VIBE_", "LISTEN_", "WATCHDOG_", "MEMORY_PRESSURE_", "MONITOR_", "TRIGGER_"]
    private static let names: Set = [
        "HOME_DIR", "NOTIFY_SOCKET", "JOURNAL_STREAM", "INVOCATION_ID", "SYSTEMD_EXEC_PID", "MAINPID", "MANAGERPID",
        "FDSTORE", "CREDENTIALS_DIRECTORY", "RUNTIME_DIRECTORY", "STATE_DIRECTORY", "CACHE_DIRECTORY",
        "LOGS_DIRECTORY", "CONFIGURATION_DIRECTORY", "REMOTE_ADDR", "REMOTE_PORT", "OLDPWD",
        // A gateway that an agent has started is none of the agent's server's.
        RunMark.run, RunMark.projects,
    ]
}
