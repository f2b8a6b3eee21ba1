package import EnvironmentFiles
internal import Instances
package import OpenCode
internal import Sodium

/// What an OpenCode server finds in its environment, whoever starts it: a base without what belongs to the gateway alone,
/// then `~/.config/opencode/env`, then `~/.config/opencode/env.d/NAME.env`, then what the gateway needs.
package struct InstanceEnvironment: Sendable, Equatable {
    /// What gives values, a later one over an earlier one: the base, then the files.
    private let layers: [[String: String]]
    /// What the files say, the project's own over the common one.
    private let fileValues: [String: String]
    /// The project's own command as its file has it, and in which.
    private let ownCommand: OwnCommand?

    private struct OwnCommand: Sendable, Equatable {
        let text: String
        let path: String
    }

    /// `VIBE_EVENT_FORM` of the project's own file: how its streamed text is told; nil without one.
    package let eventForm: String?

    /// Lines of the files that have no effect: each deserves a warning.
    package let ignoredLines: [EnvironmentFileProblem]

    /// Merges `files`, of which a later one holds over an earlier one, and the project's `own` file over them over `base`,
    /// the starting process's environment.
    package init(base: [String: String], files: [EnvironmentFile], own: EnvironmentFile? = nil) {
        let base = base.filter { !OwnVariables.contain($0.key) }
        let all = files + (own.map { [$0] } ?? [])
        let values = all.map { $0.values.filter { $0.key != Self.command && $0.key != Self.eventFormName } }
        eventForm = own?.values[Self.eventFormName]
        layers = [base] + values
        ownCommand = own.flatMap { own in own.values[Self.command].map { OwnCommand(text: $0, path: own.path) } }
        fileValues = values.reduce(into: [:]) { $0.merge($1) { $1 } }
        ignoredLines = all.flatMap(\.ignoredLines) + files.flatMap(Self.misplacedCommands)
    }

    /// `VIBE_OPENCODE` of the project's own file: the command that serves it, split as `--opencode` is; nil without one.
    /// Throws one sentence that names the file.
    package var command: [String]? {
        get throws(LaunchError) {
            guard let ownCommand else { return nil }
            do throws(CommandWords.Problem) {
                return try CommandWords.parse(ownCommand.text)
            } catch {
                throw LaunchError("\(Self.command) in \(ownCommand.path) \(error.problem): \(error.fix).")
            }
        }
    }

    /// Whether two environments of one project differ in what the files say: a hash of names and values. Comments and the
    /// order of lines don't count.
    package var digest: String {
        var values = fileValues
        values[Self.command] = ownCommand?.text
        let lines = values.map { "\($0.key)=\($0.value)\0" }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        return Hash.hex(Array(lines.joined().utf8))
    }

    /// What the server is to ask for: a random password of its own; or, when that is switched off, what the environment
    /// itself makes it ask for. Where that is nothing, OpenCode 1 asks for nothing, and 2, which always asks for something,
    /// for a random password.
    package func credentials(withOwnPassword: Bool) -> InstanceCredentials {
        if withOwnPassword { return InstanceCredentials(password: RandomBytes.hex(16)) }
        guard let password = configured(["OPENCODE_PASSWORD", "OPENCODE_SERVER_PASSWORD"]) else {
            return InstanceCredentials(password: RandomBytes.hex(16), isForTwoOnly: true)
        }
        let username = configured(["OPENCODE_SERVER_USERNAME"])
        return InstanceCredentials(username: username ?? InstanceCredentials.defaultUsername, password: password)
    }

    /// What the last layer that has one of the variables gives it, the first of them over the others. OpenCode takes an
    /// empty value for none.
    private func configured(_ names: [String]) -> String? {
        for layer in layers.reversed() {
            for name in names {
                if let value = layer[name], !value.isEmpty { return value }
            }
        }
        return nil
    }

    /// The whole environment of a server that asks for `credentials` and works in `directory`; the rest may not be
    /// overruled by files.
    package func variables(credentials: InstanceCredentials?, directory: String) -> [String: String] {
        var variables = layers.first ?? [:]
        // A server that replaces itself is another one than was started; who installs programs is the administrator.
        variables["OPENCODE_DISABLE_AUTOUPDATE"] = "1"
        variables.merge(fileValues) { $1 }
        for name in Self.credentialNames { variables[name] = nil }
        if let credentials {
            variables["OPENCODE_PASSWORD"] = credentials.password
            if !credentials.isForTwoOnly {
                // The names that OpenCode 1 reads.
                variables["OPENCODE_SERVER_PASSWORD"] = credentials.password
                if credentials.username != InstanceCredentials.defaultUsername {
                    variables["OPENCODE_SERVER_USERNAME"] = credentials.username
                }
            }
        }
        variables["PWD"] = directory
        return variables
    }

    /// The variable with which a project's own file names its command; it is not the server's business.
    private static let command = "VIBE_OPENCODE"
    /// The variable with which it names the form of its streams; likewise.
    private static let eventFormName = "VIBE_EVENT_FORM"

    private static func misplacedCommands(_ file: EnvironmentFile) -> [EnvironmentFileProblem] {
        file.assignments.filter { $0.name == command || $0.name == eventFormName }.map {
            EnvironmentFileProblem(
                path: file.path, line: $0.line,
                problem:
                    "sets \($0.name), which counts in a project's own file only: move it to env.d/NAME.env beside it")
        }
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
