internal import Clocks
package import Instances
package import Logging
internal import OpenCode
package import Projects
internal import Sodium
package import Systemd

/// Runs OpenCode servers as child processes of the gateway, each in a session and process group of its own.
///
/// A server is written down (`InstanceRecord`) before it is started, and forgotten when nothing of it is left: so a gateway
/// finds what one before it has left behind, however that ended.
package actor ProcessSupervisor: Supervisor {
    /// The control loop.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// `process`.
    package nonisolated var name: String { "process" }
    /// Children end with the gateway.
    package nonisolated var outlivesGateway: Bool { false }

    let loop: SystemEventLoop
    let setUp: ProcessSetUp
    let logger: Logger
    weak var observer: (any SupervisorObserver)?
    var lock: InstanceRecordLock?
    var folderLock: FolderLock?
    /// Whether a lock whose holder no longer exists counts as another user's (``FolderLock/take(_:_:ignoresEndedHolder:)``).
    var ignoresEndedHolder = false
    /// Whether what an earlier gateway has left is known: nothing is started before.
    var isRecovered = false
    /// Runs of which processes hang in the kernel: they take no requests.
    var abandoned: Set<String> = []
    var instances: [ProjectName: ProcessInstance] = [:]
    /// The last lines of servers that have ended.
    var lastTails: [ProjectName: [String]] = [:]
    /// Where relative paths of commands begin.
    private let startDirectory = FilePath.workingFolder ?? ""

    /// A supervisor without servers. What the servers print goes to `logger` under their project's name.
    package init(loop: SystemEventLoop, setUp: ProcessSetUp, logger: Logger) {
        self.loop = loop
        self.setUp = setUp
        self.logger = logger
    }

    /// What the servers print is in the gateway's own log.
    package nonisolated func logCommand(of project: ProjectName) -> String? { nil }

    /// Takes over or ends what another gateway has left; throws when one still has it, or when nothing could be written
    /// down.
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

    /// Sends SIGTERM to the child's group, and to what has left it.
    package nonisolated func terminate(_ project: ProjectName) { assumeIsolated { $0.requestEnd(of: project) } }

    /// Sends SIGKILL to the child's group, and to what has left it.
    package nonisolated func kill(_ project: ProjectName) { assumeIsolated { $0.forceEnd(of: project) } }

    /// The last lines of the running child, or of the last one.
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
            project: project, home: setUp.userHome, base: setUp.environment)
        for line in environment.ignoredLines { logger.warning("\(line)") }
        let words = InstanceCommand.words(try environment.command ?? setUp.command, from: startDirectory)
        let credentials = environment.credentials(withOwnPassword: setUp.givesPasswords)
        var record = InstanceRecord(
            project: project, run: RandomBytes.hex(16), credentials: credentials,
            environmentDigest: environment.digest, folder: identity)
        // Before there is a process: whatever happens between the two, the next gateway finds it by its mark.
        do throws(InstanceRecordError) { try setUp.records.write(record) } catch {
            throw LaunchError(error.description)
        }
        var variables = environment.variables(credentials: credentials, directory: folder.path)
        variables[RunMark.run] = record.run
        variables[RunMark.projects] = FolderIdentity(ofFolderAt: setUp.projects)?.text
        let child: ChildProcess
        do throws(SystemdError) {
            child = try ChildProcess(
                ChildCommand(words: words, environment: variables, directory: folder.path), on: loop,
                handler: handler(project, record.run))
        } catch {
            setUp.records.remove(project)
            throw LaunchError(
                "\(words[0]) could not be run in \(folder.path): \(error.reason). Check that it is installed, on the "
                    + "gateway's PATH or named with its full path by --opencode or the project's VIBE_OPENCODE, and that "
                    + "the folder can be entered.")
        }
        record.process = child.identity
        let run = Run(
            id: record.run, processIdentifier: child.identity.number, credentials: credentials,
            started: WallClock.nanoseconds(), environmentDigest: record.environmentDigest, folder: identity)
        instances[project] = ProcessInstance(run: run, child: child, record: record, logger: logger)
        keepRecord(of: project)
        return run
    }

    /// What a child's events do.
    func handler(_ project: ProjectName, _ run: String) -> @Sendable (ChildProcess.Event) -> Void {
        { [weak self] event in self?.assumeIsolated { $0.receive(event, from: run, of: project) } }
    }

    private func receive(_ event: ChildProcess.Event, from run: String, of project: ProjectName) {
        guard instances[project]?.run.id == run else { return }
        switch event {
        case .output(let output, let bytes):
            guard let announcement = instances[project]?.read(bytes, from: output) else { return }
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
            instances[project]?.noteEnd()
            // Looking for what it has started takes a while, and its port is free already.
            if let instance = instances[project], !instance.isAsked, instance.record.address != nil {
                observer?.supervised(project, .mainProcessExited(run: run))
            }
            sweep(project)
        }
    }

    /// Writes down what was learnt of the project's child.
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
            // It goes on running, and is found by its mark.
            instance.logger.error("\(error)")
        }
    }
}

/// What a ``ProcessSupervisor`` starts, and with what.
package struct ProcessSetUp: Sendable {
    /// The program with its first arguments, such as `["opencode"]`; never empty.
    package let command: [String]
    /// The gateway's own environment.
    package let environment: [String: String]
    /// The user's own home folder, where the environment files are.
    package let userHome: String
    /// The folder whose sub-folders are the projects.
    package let projects: String
    /// Whether each server asks for a random password of its own.
    package let givesPasswords: Bool
    /// Where running servers are written down.
    package let records: InstanceRecordStore

    /// A set-up.
    package init(
        command: [String], environment: [String: String], userHome: String, projects: String,
        givesPasswords: Bool, records: InstanceRecordStore
    ) {
        precondition(!command.isEmpty, "the command of OpenCode needs a program")
        self.command = command
        self.environment = environment
        self.userHome = userHome
        self.projects = projects
        self.givesPasswords = givesPasswords
        self.records = records
    }
}
