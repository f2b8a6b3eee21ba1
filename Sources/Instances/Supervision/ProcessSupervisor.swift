internal import Access
internal import FoundationEssentials
package import Logging
internal import OpenCode
package import Systemd

/// Runs OpenCode servers as child processes of the gateway, each in a process group of its own.
package actor ProcessSupervisor: Supervisor {
    /// The control loop.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// `process`.
    package nonisolated var name: String { "process" }
    /// Children end with the gateway.
    package nonisolated var outlivesGateway: Bool { false }

    private let loop: SystemEventLoop
    private let command: [String]
    private let environment: [String: String]
    private let logger: Logger
    private weak var observer: (any SupervisorObserver)?
    private var instances: [ProjectName: ProcessInstance] = [:]
    private var asked: Set<ProjectName> = []

    /// `command` is the program with its first arguments, such as `["opencode"]`; `environment` is the gateway's own.
    /// What the servers print goes to `logger` under their project's name.
    package init(loop: SystemEventLoop, command: [String], environment: [String: String], logger: Logger) {
        precondition(!command.isEmpty, "the command of OpenCode needs a program")
        self.loop = loop
        self.command = [Self.absolute(command[0])] + command.dropFirst()
        self.environment = environment
        self.logger = logger
    }

    /// What the servers print is in the gateway's own log.
    package nonisolated func logCommand(of project: ProjectName) -> String? { nil }

    /// Begins to report; there are no servers yet.
    package func open(_ observer: any SupervisorObserver) async throws(LaunchError) { self.observer = observer }

    /// Starts a server as a child process.
    package nonisolated func start(_ folder: ProjectFolder) { assumeIsolated { $0.spawn(folder) } }

    /// Sends SIGTERM to the child's group.
    package nonisolated func terminate(_ project: ProjectName) {
        assumeIsolated {
            $0.asked.insert(project)
            $0.instances[project]?.terminate()
        }
    }

    /// Sends SIGKILL to the child's group.
    package nonisolated func kill(_ project: ProjectName) {
        assumeIsolated {
            $0.asked.insert(project)
            $0.instances[project]?.kill()
        }
    }

    /// The last lines of the running child.
    package nonisolated func tail(of project: ProjectName) -> [String] {
        assumeIsolated { $0.instances[project]?.tail ?? [] }
    }

    private func spawn(_ folder: ProjectFolder) {
        let credentials = InstanceCredentials(password: RandomBytes.hex(16))
        let child = ChildCommand(
            // Flag and value apart: OpenCode does not know the other form (`--port=0`) at every version.
            words: command + ["serve", "--port", "0", "--hostname", "127.0.0.1"],
            environment: ChildEnvironment.make(
                from: environment, credentials: credentials, directory: folder.path),
            directory: folder.path)
        let id = RandomBytes.hex(16)
        let project = folder.name
        do {
            let process = try ChildProcess(child, on: loop) { [weak self] event in
                self?.assumeIsolated { $0.receive(event, from: id, of: project) }
            }
            let run = Run(
                id: id, processIdentifier: process.identifier, credentials: credentials,
                started: WallClock.nanoseconds())
            instances[project] = ProcessInstance(
                run: run, child: process, logger: logger.with(LogField("project", project.string)))
            asked.remove(project)
            observer?.supervised(project, .launched(run))
        } catch {
            observer?.supervised(
                project,
                .launchFailed(
                    reason: "\(child.words[0]) could not be run in \(folder.path): \(error.reason). "
                        + "Check that it is installed, on the gateway's PATH or named by --opencode with its full "
                        + "path, and that the folder can be entered."))
        }
    }

    private func receive(_ event: ChildProcess.Event, from run: String, of project: ProjectName) {
        guard instances[project]?.run.id == run, var meaning = instances[project]?.receive(event) else { return }
        if case .exited(_, let how, let tail, _) = meaning {
            if asked.remove(project) != nil { meaning = .exited(run: run, how: how, tail: tail, next: .stopped) }
            instances[project] = nil
        }
        observer?.supervised(project, meaning)
    }

    /// A relative path is meant from where the gateway was started, not from each project's folder. A bare name is
    /// looked for on the PATH.
    private static func absolute(_ program: String) -> String {
        guard program.contains("/"), !program.hasPrefix("/") else { return program }
        return FileManager.default.currentDirectoryPath + "/" + program
    }
}
