internal import Glibc
package import Instances
package import Logging
package import Projects
package import Systemd

/// Runs OpenCode servers as units of a service manager (`opencode@NAME.service`), which outlive the gateway.
///
/// It believes what the manager and the journal say, whoever asked for it: units that run already, are started by hand or
/// are restarted by systemd are all the same to it.
package actor SystemdSupervisor: Supervisor {
    /// What `viberemote-gateway exec` has left for the gateway of one run; nil where it has left nothing (yet).
    package typealias FindRecord = @Sendable (_ project: ProjectName, _ run: String) -> InstanceRecord?

    /// The control loop.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// `systemd`.
    package nonisolated var name: String { "systemd" }
    /// Units stay when the gateway goes.
    package nonisolated var outlivesGateway: Bool { true }

    let loop: SystemEventLoop
    let scope: ManagerScope
    let messages: ManagerMessage
    let logger: Logger
    private let access: ManagerAccess
    private let findRecord: FindRecord
    /// Where the gateway itself writes down what it learns of a run. Not in the run's own record: while that is written
    /// again, the next run may leave its password there.
    private let memories: InstanceRecordStore
    private let folders: @Sendable () -> [ProjectName]
    weak var observer: (any SupervisorObserver)?
    var manager: ServiceManager?
    var units: [ProjectName: SupervisedUnit] = [:]
    var ports: PortSearch?
    var connection = ManagerConnection()
    /// Units of which was said already that they are no project's.
    private var mistaken: Set<String> = []
    /// How long the manager may take at the beginning.
    private static let patience = Duration.seconds(3)
    private var openingDeadline: EventSource?
    private var opening: CheckedContinuation<Void, Never>?

    /// A supervisor of the manager behind `access`. `memories` is a folder of the gateway's own; `findRecord` is asked on the
    /// loop when a run appears; `folders` are the projects there are, for what is said of units that belong to none.
    package init(
        loop: SystemEventLoop, access: ManagerAccess, logger: Logger, memories: InstanceRecordStore,
        findRecord: @escaping FindRecord, folders: @escaping @Sendable () -> [ProjectName]
    ) {
        self.loop = loop
        self.access = access
        self.logger = logger
        self.memories = memories
        self.findRecord = findRecord
        self.folders = folders
        scope = access.scope
        messages = ManagerMessage(access)
    }

    /// `journalctl --user -u opencode@demo`, quoted where a shell needs it.
    package nonisolated func logCommand(of project: ProjectName) -> String? {
        guard let unit = try? UnitName(project) else { return nil }
        let name = UnitName.template + unit.instance
        return (scope == .user ? "journalctl --user -u " : "journalctl -u ")
            + (name.contains("\\") ? "'\(name)'" : name)
    }

    // MARK: Requests

    /// Connects; returns once all units that run have been reported, or when the manager can't be reached.
    package func open(_ observer: any SupervisorObserver) async throws(LaunchError) {
        self.observer = observer
        ports = PortSearch(loop: loop, logger: logger) { [weak self] project, event in
            self?.assumeIsolated { $0.handle(event, of: project) }
        }
        let manager = ServiceManager(addresses: access.addresses, template: UnitName.template, on: loop) {
            [weak self] event in self?.assumeIsolated { $0.receive(event) }
        }
        self.manager = manager
        openingDeadline = try? loop.timer(after: Self.patience) { [weak self] in
            self?.assumeIsolated { $0.openingTookTooLong() }
        }
        await withCheckedContinuation { continuation in
            opening = continuation
            manager.open()
        }
    }

    /// Starts the project's unit.
    package nonisolated func start(_ folder: ProjectFolder) { assumeIsolated { $0.begin(folder) } }

    /// Stops the project's unit.
    package nonisolated func terminate(_ project: ProjectName) {
        assumeIsolated { $0.handle(.stopRequested(kills: false), of: project) }
    }

    /// Stops the project's unit and kills all that is in it.
    package nonisolated func kill(_ project: ProjectName) {
        assumeIsolated { $0.handle(.stopRequested(kills: true), of: project) }
    }

    /// The last lines that the unit's present or last run has left in the journal.
    package nonisolated func tail(of project: ProjectName) -> [String] {
        assumeIsolated { supervisor in
            guard let unit = supervisor.units[project], let run = unit.lastRun else { return [] }
            return supervisor.tail(unit.name, run)
        }
    }

    /// Ends the connection to the manager, also where that has never answered: the loop's end would wait for it.
    package nonisolated func close() {
        assumeIsolated { supervisor in
            supervisor.manager?.close()
            supervisor.manager = nil
        }
    }

    private func begin(_ folder: ProjectFolder) {
        let project = folder.name
        do throws(LaunchError) {
            let name = try UnitName(project)
            // systemd itself never runs a unit twice.
            if units[project]?.machine.isAlive != true { try requireVacant(folder, name) }
            if units[project] == nil { units[project] = SupervisedUnit(name: name) }
            handle(.startRequested, of: project)
        } catch {
            observer?.supervised(project, .launchFailed(reason: error.description))
        }
    }

    /// Throws when a server works in the folder already that is not this unit's.
    private func requireVacant(_ folder: ProjectFolder, _ own: UnitName) throws(LaunchError) {
        guard let identity = FolderIdentity(ofFolderAt: folder.path) else { return }
        if let other = units.first(where: { $0.key != folder.name && $0.value.run?.folder == identity })?.key {
            throw FolderServer.refusal(by: other)
        }
        let table = ProcessTable.read(mark: RunMark.run)
        if let server = FolderServer.find(in: identity, table, ignoringUnit: own) { throw server.refusal }
    }

    // MARK: Opening

    /// Whoever waits for the first report goes on.
    func opened() {
        openingDeadline = nil
        opening?.resume()
        opening = nil
    }

    /// A manager that takes a connection and says nothing holds nobody up.
    private func openingTookTooLong() {
        guard opening != nil else { return }
        if !connection.isUp {
            let error = BusError(
                name: "org.freedesktop.DBus.Error.NoReply", message: "no answer within \(Self.patience.inWords)",
                operation: "ListUnitsByPatterns")
            connection.unavailable = messages.unreachable(error)
            connection.isOutageTold = true
            observer?.supervisorChanged(unavailable: connection.unavailable)
        }
        opened()
    }

    /// What the run's own start has left for the gateway.
    func record(_ project: ProjectName, _ run: String) -> InstanceRecord? { findRecord(project, run) }

    /// What an earlier gateway has learnt of a run.
    func memory(of run: String, _ project: ProjectName) -> InstanceMemory {
        guard let record = memories.read(project, report: { [logger] in logger.warning("\($0)") }), record.run == run
        else {
            return InstanceMemory()
        }
        return record.memory
    }

    /// The run has ended: nobody takes it over.
    func forgetMemory(of project: ProjectName) { memories.remove(project) }

    /// Writes down what was learnt of the unit's present run.
    package nonisolated func remember(_ memory: InstanceMemory, of project: ProjectName) {
        assumeIsolated { supervisor in
            guard let run = supervisor.units[project]?.run else { return }
            let record = InstanceRecord(
                project: project, run: run.id, credentials: nil, environmentDigest: nil, memory: memory)
            do throws(InstanceRecordError) { try supervisor.memories.write(record) } catch {
                // Only the next gateway would miss it.
                supervisor.logger.warning("\(error)", LogField("project", project.string))
            }
        }
    }

    /// Whether a process of the unit has this number where it lives.
    package nonisolated func hasProcess(_ number: Int32, of project: ProjectName) -> Bool? {
        assumeIsolated { supervisor in
            guard let unit = supervisor.units[project], let main = unit.run?.processIdentifier else {
                return nil
            }
            if ProcessTable.innermostNumber(of: main) == number { return true }
            return UnitSockets.processes(unit: unit.name.string, mainProcess: main).flatMap {
                ProcessTable.hasNumber(number, among: $0)
            }
        }
    }

    /// Where the unit's main process works.
    package nonisolated func workingFolder(of project: ProjectName) -> (identity: FolderIdentity, path: String)? {
        assumeIsolated { supervisor in
            supervisor.units[project]?.run?.processIdentifier.flatMap { ProcessTable.serverFolder(of: $0) }
        }
    }

    /// Says which units look like a project's and are none's.
    func reportMistaken(_ names: [String]) {
        let folders = folders()
        for name in names where !mistaken.contains(name) {
            let meant = UnitName.mistaken(name, among: folders)
            guard let first = meant.first, let own = try? UnitName(first) else { continue }
            mistaken.insert(name)
            logger.warning(
                "The unit \(name) belongs to no project: it was probably meant for the folder "
                    + meant.map { "\"\($0)\"" }.joined(separator: " or ")
                    + ", whose unit is \(own). Stop it (`\(messages.systemctl) disable --now '\(name)'`) and start the "
                    + "project through the gateway.",
                LogField("unit", name))
        }
    }
}
