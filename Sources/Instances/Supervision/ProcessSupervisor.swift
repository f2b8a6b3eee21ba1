internal import FoundationEssentials
package import Logging
internal import OpenCode
package import Systemd

/// Runs OpenCode servers as child processes of the gateway, each in a process group of its own.
package struct ProcessSupervisor: Supervisor {
    private let loop: SystemEventLoop
    private let command: [String]
    private let environment: [String: String]
    private let logger: Logger

    /// `command` is the program with its first arguments, such as `["opencode"]`; `environment` is the gateway's own.
    /// What the servers print goes to `logger` under their project's name.
    package init(loop: SystemEventLoop, command: [String], environment: [String: String], logger: Logger) {
        precondition(!command.isEmpty, "the command of OpenCode needs a program")
        self.loop = loop
        self.command = [Self.absolute(command[0])] + command.dropFirst()
        self.environment = environment
        self.logger = logger
    }

    /// Starts a server as a child process; throws when its program or its folder can't be used.
    package func start(
        _ launch: Launch, observer: @escaping @Sendable (SupervisedEvent) -> Void
    ) throws(LaunchError) -> any SupervisedInstance {
        let child = ChildCommand(
            // Flag and value apart: OpenCode does not know the other form (`--port=0`) at every version.
            words: command + ["serve", "--port", "0", "--hostname", "127.0.0.1"],
            environment: ChildEnvironment.make(
                from: environment, credentials: launch.credentials, directory: launch.folder.path),
            directory: launch.folder.path)
        let instance = ProcessInstance(
            secret: launch.credentials.password,
            logger: logger.with(LogField("project", launch.folder.name.string)), observer: observer)
        do {
            try instance.run(child, on: loop)
        } catch {
            throw LaunchError(
                "\(child.words[0]) could not be run in \(launch.folder.path): \(error.reason). "
                    + "Check that it is installed, on the gateway's PATH or named by --opencode with its full path, "
                    + "and that the folder can be entered.")
        }
        return instance
    }

    /// A relative path is meant from where the gateway was started, not from each project's folder. A bare name is
    /// looked for on the PATH.
    private static func absolute(_ program: String) -> String {
        guard program.contains("/"), !program.hasPrefix("/") else { return program }
        return FileManager.default.currentDirectoryPath + "/" + program
    }
}
