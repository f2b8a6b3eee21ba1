// SPDX-License-Identifier: Apache-2.0

internal import Encodings
package import Instances
package import Logging
internal import OpenCodeFamilies
package import Projects
internal import Sodium
package import Systemd

/// Runs OpenCode servers as child processes of the gateway, each in its own session and process group.
///
/// The supervisor writes a record (`InstanceRecord`) before it starts a server, and removes the record when no process
/// of the server remains. A gateway therefore finds the servers of an earlier gateway, regardless of how that gateway
/// ended.
package actor ProcessSupervisor: Supervisor {
    /// The executor of the control loop.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// The supervisor's name in logs and settings, `process`.
    package nonisolated var name: String { "process" }
    /// False, because the child processes end with the gateway.
    package nonisolated var outlivesGateway: Bool { false }

    let loop: SystemEventLoop
    let setUp: ProcessSetUp
    let logger: Logger
    weak var observer: (any SupervisorObserver)?
    var lock: InstanceRecordLock?
    var folderLock: FolderLock?
    /// Whether a lock whose holder no longer exists counts as the lock of another user
    /// (``FolderLock/acquire(_:_:ignoresEndedHolder:)``).
    var ignoresEndedHolder = false
    /// Whether the servers that an earlier gateway left running are known. Until then, the supervisor starts no server.
    var isRecovered = false
    /// The runs whose processes did not end after SIGKILL, because the processes are blocked in the kernel.
    var abandoned: Set<String> = []
    var instances: [ProjectName: ProcessInstance] = [:]
    /// The last lines of output of servers that have ended.
    var lastTails: [ProjectName: [String]] = [:]
    /// The directory against which relative paths of commands are resolved.
    private let startDirectory = FilePath.workingFolder ?? ""

    /// Creates a supervisor without servers. The servers' output is logged to `logger` under the names of their
    /// projects.
    package init(loop: SystemEventLoop, setUp: ProcessSetUp, logger: Logger) {
        self.loop = loop
        self.setUp = setUp
        self.logger = logger
    }

    /// Returns nil, because the servers' output is in the gateway's own log.
    package nonisolated func logCommand(of project: ProjectName) -> String? { nil }

    /// Takes over or ends the servers that another gateway left running. Throws an error if a gateway still manages
    /// them, or if records cannot be written.
    package func open(_ observer: any SupervisorObserver) async throws(LaunchError) {
        self.observer = observer
        try await takeLocks { (supervisor) throws(InstanceRecordError) in
            try supervisor.setUp.records.prepare()
            supervisor.lock = try supervisor.setUp.records.lock()
            try supervisor.takeFolderLock(.exclusive)
        }
        await recover()
    }

    /// Starts a server as a child process.
    package nonisolated func start(_ folder: ProjectFolder) { assumeIsolated { $0.launch(folder) } }

    /// Sends SIGTERM to the child's group and to the descendants outside it.
    package nonisolated func terminate(_ project: ProjectName) { assumeIsolated { $0.requestEnd(of: project) } }

    /// Sends SIGKILL to the child's group and to the descendants outside it.
    package nonisolated func kill(_ project: ProjectName) { assumeIsolated { $0.forceEnd(of: project) } }

    /// Returns the last lines of output of the running child, or of the last child.
    package nonisolated func tail(of project: ProjectName) -> [String] {
        assumeIsolated { $0.instances[project]?.tail ?? $0.lastTails[project] ?? [] }
    }

    private func launch(_ folder: ProjectFolder) {
        do throws(LaunchError) {
            let run = try spawn(folder)
            observer?.supervised(folder.name, .launched(run))
        } catch {
            observer?.supervised(folder.name, .launchFailed(reason: error.description))
        }
    }

    private func spawn(_ folder: ProjectFolder) throws(LaunchError) -> Run {
        let project = folder.name
        let identity = try requireVacant(folder)
        let logger = logger.with(LogField("project", project.string))
        let environment = try InstanceEnvironment.load(
            project: project, home: setUp.userHome, base: setUp.environment, data: setUp.data)
        for line in environment.ignoredLines {
            logger.warning("a line of an environment file has no effect", LogField("reason", "\(line)"))
        }
        try environment.prepareDataFolder()
        let words = InstanceCommand.words(try environment.command ?? setUp.command, from: startDirectory)
        let credentials = environment.credentials(withGatewayPassword: setUp.setsPasswords)
        var record = InstanceRecord(
            project: project, run: RandomBytes.hex(16), credentials: credentials,
            environmentDigest: environment.digest, folder: identity)
        // Write the record before the process exists. If the gateway ends before it can record the process, the next
        // gateway finds the process by its mark.
        do throws(InstanceRecordError) { try setUp.records.write(record) } catch {
            throw LaunchError(error.description)
        }
        var variables = environment.variables(credentials: credentials, directory: folder.path)
        variables[RunMarker.run] = record.run
        variables[RunMarker.projects] = FolderIdentity(ofFolderAt: setUp.projects)?.text
        let child: ChildProcess
        do throws(SystemdError) {
            child = try ChildProcess(
                ChildCommand(words: words, environment: variables, directory: folder.path), on: loop,
                handler: handler(project, record.run))
        } catch {
            setUp.records.remove(project)
            throw LaunchError(
                "cannot run \(words[0]) in \(folder.path): \(error.reason). Check that the command is installed and on the "
                    + "gateway's PATH, or set --opencode or the project's VIBE_OPENCODE to its full path, and check that "
                    + "the gateway's user may enter the folder.")
        }
        record.process = child.identity
        let run = Run(
            id: record.run, processIdentifier: child.identity.number, credentials: credentials,
            started: WallClock.nanoseconds(), environmentDigest: record.environmentDigest, folder: identity)
        instances[project] = ProcessInstance(run: run, child: child, record: record, logger: logger)
        keepRecord(of: project)
        return run
    }

    /// Returns a handler for a child's events.
    func handler(_ project: ProjectName, _ run: String) -> @Sendable (ChildProcess.Event) -> Void {
        { [weak self] event in self?.assumeIsolated { $0.receive(event, from: run, of: project) } }
    }

    private func receive(_ event: ChildProcess.Event, from run: String, of project: ProjectName) {
        guard instances[project]?.run.id == run else { return }
        switch event {
        case .output(let output, let bytes):
            guard let announcement = instances[project]?.process(bytes, from: output) else { return }
            guard let address = announcement.address else {
                observer?.supervised(project, .announcedElsewhere(run: run, host: announcement.host))
                return
            }
            instances[project]?.record.address = address
            instances[project]?.record.memory.family = announcement.family
            keepRecord(of: project)
            observer?.supervised(
                project, .announced(run: run, address: address, family: announcement.family))
        case .ended:
            instances[project]?.markEnded()
            // Report the exit of the main process first, because the port is already free. Finding the descendants
            // takes some time.
            if let instance = instances[project], !instance.isStopRequested, instance.record.address != nil {
                observer?.supervised(project, .mainProcessExited(run: run))
            }
            sweep(project)
        }
    }

    /// Stores facts about the project's child for the next gateway.
    package nonisolated func remember(_ memory: InstanceMemory, of project: ProjectName) {
        assumeIsolated { supervisor in
            guard let instance = supervisor.instances[project], instance.record.memory != memory else { return }
            supervisor.instances[project]?.record.memory = memory
            supervisor.keepRecord(of: project)
        }
    }

    func keepRecord(of project: ProjectName) {
        guard let instance = instances[project] else { return }
        do throws(InstanceRecordError) { try setUp.records.write(instance.record) } catch {
            // Only log the failure. The server continues to run, and the next gateway can find it by its mark.
            instance.logger.error("cannot write an instance record", LogField("reason", "\(error)"))
        }
    }
}

/// The command, environment and directories with which a ``ProcessSupervisor`` starts servers.
package struct ProcessSetUp: Sendable {
    /// The program with its first arguments, such as `["opencode"]`. The array is never empty.
    package let command: [String]
    /// The environment of the gateway's own process.
    package let environment: [String: String]
    /// The home directory of the gateway's user, which contains the environment files.
    package let userHome: String
    /// The directory whose subdirectories are the projects (`--home`).
    package let projects: String
    /// The directory that contains each project's own OpenCode data; nil if the projects share the data.
    package let data: String?
    /// Whether each server receives its own random password.
    package let setsPasswords: Bool
    /// The store for the records of running servers.
    package let records: InstanceRecordStore

    /// Creates a set-up with the given values.
    package init(
        command: [String], environment: [String: String], userHome: String, projects: String,
        data: String? = nil, setsPasswords: Bool, records: InstanceRecordStore
    ) {
        precondition(!command.isEmpty, "the command of OpenCode must name a program")
        self.command = command
        self.environment = environment
        self.userHome = userHome
        self.projects = projects
        self.data = data
        self.setsPasswords = setsPasswords
        self.records = records
    }
}
