// SPDX-License-Identifier: Apache-2.0

package import EnvironmentFiles
internal import Instances
package import OpenCodeFamilies
internal import Sodium

/// The environment of an OpenCode server, regardless of the process that starts the server.
///
/// The environment combines these sources. Later sources override earlier ones.
///
/// - the variables of the starting process, without the gateway's own variables
/// - `~/.config/opencode/env`
/// - the project's own directory for OpenCode's data, with `--isolate-sessions on`
/// - `~/.config/opencode/env.d/NAME.env`
/// - the variables that the gateway requires
package struct InstanceEnvironment: Sendable, Equatable {
    /// The values of the base, followed by the values of the files. Later layers override earlier layers.
    private let layers: [[String: String]]
    /// The values of the files. The project's own file overrides the common file.
    private let fileValues: [String: String]
    /// The project's own command, and the path of the file that contains the command.
    private let projectCommand: CommandOverride?

    private struct CommandOverride: Sendable, Equatable {
        let text: String
        let path: String
    }

    /// The project's own directory for OpenCode's data; nil if the projects share the data, or if the project's own file
    /// names another directory.
    package let dataFolder: String?

    /// `VIBE_EVENT_FORM` from the project's own file: the encoding of the project's event streams; nil if not set.
    package let eventEncoding: String?

    /// The lines of the files that have no effect. The caller should log a warning for each line.
    package let ignoredLines: [EnvironmentFileProblem]

    /// Creates an environment.
    ///
    /// - Parameters:
    ///   - base: The environment of the starting process.
    ///   - files: The common files. The values in the files override `base`, and later files override earlier files.
    ///   - dataFolder: The project's own directory for OpenCode's data; nil if the projects share the data. It overrides
    ///     the common files.
    ///   - projectFile: The project's own file, which overrides all others.
    package init(
        base: [String: String], files: [EnvironmentFile], dataFolder: String? = nil, projectFile: EnvironmentFile? = nil
    ) {
        var base = base.filter { !ReservedVariables.contain($0.key) }
        let all = files + (projectFile.map { [$0] } ?? [])
        var common = files.map(Self.variables)
        if let dataFolder {
            base[Self.databaseVariable] = nil
            // A database that all projects name would be shared.
            common = common.map { $0.filter { $0.key != Self.databaseVariable } } + [[Self.dataVariable: dataFolder]]
        }
        let values = common + (projectFile.map { [Self.variables(of: $0)] } ?? [])
        self.dataFolder = projectFile?.values[Self.dataVariable] == nil ? dataFolder : nil
        eventEncoding = projectFile?.values[Self.eventEncodingVariable]
        layers = [base] + values
        projectCommand = projectFile.flatMap { projectFile in
            projectFile.values[Self.command].map { CommandOverride(text: $0, path: projectFile.path) }
        }
        fileValues = values.reduce(into: [:]) { $0.merge($1) { $1 } }
        ignoredLines =
            all.flatMap(\.ignoredLines) + files.flatMap(Self.misplacedCommands)
            + (dataFolder == nil ? [] : files.flatMap(Self.overriddenData))
    }

    /// `VIBE_OPENCODE` from the project's own file: the command that serves the project, split like `--opencode`; nil
    /// if not set. An error contains the path of the file.
    package var command: [String]? {
        get throws(LaunchError) {
            guard let projectCommand else { return nil }
            do throws(CommandWords.Problem) {
                return try CommandWords.parse(projectCommand.text)
            } catch {
                throw LaunchError("\(Self.command) in \(projectCommand.path) \(error.problem): \(error.fix).")
            }
        }
    }

    /// A hash of the names and values in the files, which shows whether two environments of a project differ. Comments
    /// and the order of lines do not affect the hash.
    package var digest: String {
        var values = fileValues
        values[Self.command] = projectCommand?.text
        let lines = values.map { "\($0.key)=\($0.value)\0" }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        return Hash.hex(Array(lines.joined().utf8))
    }

    /// Returns the credentials that the server will require.
    ///
    /// If `withGatewayPassword` is true, the password is random. If `withGatewayPassword` is false, the password is
    /// taken from the environment. If the environment contains no password, OpenCode 1 requires none. OpenCode 2 always
    /// requires a password and receives a random one.
    package func credentials(withGatewayPassword: Bool) -> InstanceCredentials {
        let username = configured(["OPENCODE_SERVER_USERNAME"])
        let isOther = username.map { $0 != InstanceCredentials.defaultUsername } ?? false
        if withGatewayPassword {
            return InstanceCredentials(password: RandomBytes.hex(16), configuresOtherUser: isOther)
        }
        guard let password = configured(["OPENCODE_PASSWORD", "OPENCODE_SERVER_PASSWORD"]) else {
            return InstanceCredentials(password: RandomBytes.hex(16), isForTwoOnly: true, configuresOtherUser: isOther)
        }
        return InstanceCredentials(username: username ?? InstanceCredentials.defaultUsername, password: password)
    }

    /// Returns the value of one of these variables. Uses the last layer that sets any of the variables, and in this
    /// layer the first variable that is set. Ignores empty values, because OpenCode treats them as unset.
    private func configured(_ names: [String]) -> String? {
        for layer in layers.reversed() {
            for name in names {
                if let value = layer[name], !value.isEmpty { return value }
            }
        }
        return nil
    }

    /// Returns the whole environment of a server with the given credentials and working directory. Files cannot
    /// override the variables that the gateway requires.
    package func variables(credentials: InstanceCredentials?, directory: String) -> [String: String] {
        var variables = layers.first ?? [:]
        // Disable updates. A server that has updated itself is no longer the program that was started, and installing
        // programs is the administrator's task.
        variables["OPENCODE_DISABLE_AUTOUPDATE"] = "1"
        variables.merge(fileValues) { $1 }
        for name in Self.credentialNames { variables[name] = nil }
        if let credentials {
            variables["OPENCODE_PASSWORD"] = credentials.password
            if !credentials.isForTwoOnly {
                // OpenCode 1 reads the credentials from these variables.
                variables["OPENCODE_SERVER_PASSWORD"] = credentials.password
                if credentials.username != InstanceCredentials.defaultUsername {
                    variables["OPENCODE_SERVER_USERNAME"] = credentials.username
                }
            }
        }
        variables["PWD"] = directory
        return variables
    }

    /// The variable in a project's own file that sets the project's command. The variable is not passed to the server.
    private static let command = "VIBE_OPENCODE"
    /// The variable in a project's own file that sets the encoding of the project's event streams. The variable is not
    /// passed to the server.
    private static let eventEncodingVariable = "VIBE_EVENT_FORM"

    /// Returns the variables of a file that are passed to the server.
    private static func variables(of file: EnvironmentFile) -> [String: String] {
        file.values.filter { $0.key != command && $0.key != eventEncodingVariable }
    }

    /// Returns the lines of a common file that name OpenCode's data although each project has its own.
    private static func overriddenData(_ file: EnvironmentFile) -> [EnvironmentFileProblem] {
        file.assignments.filter { $0.name == dataVariable || $0.name == databaseVariable }.map {
            EnvironmentFileProblem(
                path: file.path, line: $0.line,
                problem:
                    "sets \($0.name), which has no effect with --isolate-sessions on: move the line to env.d/NAME.env")
        }
    }

    private static func misplacedCommands(_ file: EnvironmentFile) -> [EnvironmentFileProblem] {
        file.assignments.filter { $0.name == command || $0.name == eventEncodingVariable }.map {
            EnvironmentFileProblem(
                path: file.path, line: $0.line,
                problem:
                    "sets \($0.name), which has an effect only in a project's own file: move the line to env.d/NAME.env"
            )
        }
    }

    private static let credentialNames = [
        "OPENCODE_SERVER_PASSWORD", "OPENCODE_SERVER_USERNAME", "OPENCODE_PASSWORD",
    ]
}

/// The variables that concern the process that starts a server and must not be passed to the server.
private enum ReservedVariables {
    /// Returns whether a variable is reserved. Reserved variables are the gateway's settings and key, and the variables
    /// that describe the gateway's own unit (systemd.exec(5), "Environment Variables in Spawned Processes").
    static func contain(_ name: String) -> Bool {
        names.contains(name) || prefixes.contains { name.hasPrefix($0) }
    }

    private static let prefixes = ["VIBE_", "LISTEN_", "WATCHDOG_", "MEMORY_PRESSURE_", "MONITOR_", "TRIGGER_"]
    private static let names: Set = [
        "HOME_DIR", "NOTIFY_SOCKET", "JOURNAL_STREAM", "INVOCATION_ID", "SYSTEMD_EXEC_PID", "MAINPID", "MANAGERPID",
        "FDSTORE", "CREDENTIALS_DIRECTORY", "RUNTIME_DIRECTORY", "STATE_DIRECTORY", "CACHE_DIRECTORY",
        "LOGS_DIRECTORY", "CONFIGURATION_DIRECTORY", "REMOTE_ADDR", "REMOTE_PORT", "OLDPWD",
        // If an agent starts a gateway, the servers of that gateway do not belong to the agent's server. Therefore,
        // these servers must not inherit the mark of the agent's server.
        RunMarker.run, RunMarker.projects,
    ]
}
