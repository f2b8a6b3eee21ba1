// SPDX-License-Identifier: Apache-2.0

internal import Encodings
internal import Glibc
package import Instances
package import Logging
package import Projects
package import Systemd

/// Runs OpenCode servers as units of a service manager (`opencode@NAME.service`). The units outlive the gateway.
///
/// The manager and the journal determine the state of all units. The supervisor treats all running units alike, even if
/// they were already running, were started manually, or are restarted by systemd.
package actor SystemdSupervisor: Supervisor {
    /// A function that returns the record of a run. `viberemote-gateway exec` writes this record for the gateway. Nil
    /// if the record does not exist or is not written yet.
    package typealias FindRecord = @Sendable (_ project: ProjectName, _ run: String) -> InstanceRecord?

    /// The executor of the control loop.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// The supervisor's name in logs and settings, `systemd`.
    package nonisolated var name: String { "systemd" }
    /// True, because units continue to run without the gateway.
    package nonisolated var outlivesGateway: Bool { true }

    let loop: SystemEventLoop
    let scope: ManagerScope
    let messages: ManagerMessage
    let logger: Logger
    private let access: ManagerAccess
    private let findRecord: FindRecord
    /// The store for the facts about runs that the gateway itself determines. The run's own record does not contain
    /// these facts, because the next run may write its password to that record at the same time.
    private let memories: InstanceRecordStore
    private let folders: @Sendable () -> [ProjectName]
    weak var observer: (any SupervisorObserver)?
    var manager: ServiceManager?
    var units: [ProjectName: SupervisedUnit] = [:]
    var ports: PortSearch?
    var connection = ManagerConnection()
    /// The units for which the supervisor has logged that they belong to no project.
    private var mistaken: Set<String> = []
    /// The time limit for the manager's reply at start-up.
    private static let patience = Duration.seconds(3)
    private var openingDeadline: EventSource?
    private var opening: CheckedContinuation<Void, Never>?

    /// Creates a supervisor for a manager.
    ///
    /// - Parameters:
    ///   - access: The access to the manager.
    ///   - memories: The store for the facts about runs that the gateway determines.
    ///   - findRecord: Called on the loop when a run appears.
    ///   - folders: Returns the existing projects, which are needed for warnings about units that belong to no project.
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

    /// Returns the command that prints the unit's log, such as `journalctl --user -u opencode@demo`. The unit's name is
    /// quoted for a shell if necessary.
    package nonisolated func logCommand(of project: ProjectName) -> String? {
        guard let unit = try? UnitName(project) else { return nil }
        let name = UnitName.template + unit.instance
        return (scope == .user ? "journalctl --user -u " : "journalctl -u ")
            + (name.contains("\\") ? "'\(name)'" : name)
    }

    // MARK: Requests

    /// Connects to the manager. Returns after all running units were reported, or when the manager is found to be
    /// unreachable.
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
            self?.assumeIsolated { $0.openingTimedOut() }
        }
        await withCheckedContinuation { continuation in
            opening = continuation
            manager.open()
        }
    }

    /// Starts the project's unit (StartUnit).
    package nonisolated func start(_ folder: ProjectFolder) { assumeIsolated { $0.startUnit(folder) } }

    /// Stops the project's unit (StopUnit).
    package nonisolated func terminate(_ project: ProjectName) {
        assumeIsolated { $0.handle(.stopRequested(kills: false), of: project) }
    }

    /// Stops the project's unit and kills all its processes (StopUnit and KillUnit).
    package nonisolated func kill(_ project: ProjectName) {
        assumeIsolated { $0.handle(.stopRequested(kills: true), of: project) }
    }

    /// Returns the last lines of output of the unit's current or last run from the journal.
    package nonisolated func tail(of project: ProjectName) -> [String] {
        assumeIsolated { supervisor in
            guard let unit = supervisor.units[project], let run = unit.lastRun else { return [] }
            return supervisor.tail(unit.name, run)
        }
    }

    /// Closes the connection to the manager, even if the manager has never replied. An open connection would delay the
    /// end of the loop.
    package nonisolated func close() {
        assumeIsolated { supervisor in
            supervisor.manager?.close()
            supervisor.manager = nil
        }
    }

    private func startUnit(_ folder: ProjectFolder) {
        let project = folder.name
        do throws(LaunchError) {
            let name = try UnitName(project)
            // Check the folder only if the unit is not running, because systemd itself never runs a unit twice.
            if units[project]?.machine.isAlive != true { try requireVacant(folder, name) }
            if units[project] == nil { units[project] = SupervisedUnit(name: name) }
            handle(.startRequested, of: project)
        } catch {
            observer?.supervised(project, .launchFailed(reason: error.description))
        }
    }

    /// Throws an error if a server that does not belong to this unit already works in the folder.
    private func requireVacant(_ folder: ProjectFolder, _ unit: UnitName) throws(LaunchError) {
        guard let identity = FolderIdentity(ofFolderAt: folder.path) else { return }
        if let other = units.first(where: { $0.key != folder.name && $0.value.run?.folder == identity })?.key {
            throw FolderServer.refusal(by: other)
        }
        let table = ProcessTable.snapshot(marker: RunMarker.run)
        if let server = FolderServer.find(in: identity, table, ignoringUnit: unit) { throw server.refusal }
    }

    // MARK: Opening

    /// Resumes the task that waits in ``open(_:)``.
    func opened() {
        openingDeadline = nil
        opening?.resume()
        opening = nil
    }

    /// Resumes the task that waits in ``open(_:)`` if the manager does not reply in time.
    private func openingTimedOut() {
        guard opening != nil else { return }
        if !connection.isUp {
            let error = BusError(
                name: "org.freedesktop.DBus.Error.NoReply",
                message: "no response within \(Self.patience.text(.seconds))",
                operation: "ListUnitsByPatterns")
            connection.unavailable = messages.unreachable(error)
            connection.isOutageReported = true
            observer?.supervisorChanged(unavailable: connection.unavailable)
        }
        opened()
    }

    /// Returns the record that `viberemote-gateway exec` wrote when the run started.
    func record(_ project: ProjectName, _ run: String) -> InstanceRecord? { findRecord(project, run) }

    /// Returns the facts that an earlier gateway stored about a run.
    func memory(of run: String, _ project: ProjectName) -> InstanceMemory {
        guard let record = memories.read(project, report: report), record.run == run
        else {
            return InstanceMemory()
        }
        return record.memory
    }

    private func report(_ problem: String) {
        logger.warning("cannot use an instance record", LogField("reason", problem))
    }

    /// Removes the learned facts about the project's run after its end, because no gateway needs them.
    func forgetMemory(of project: ProjectName) { memories.remove(project) }

    /// Stores facts about the unit's current run for the next gateway.
    package nonisolated func remember(_ memory: InstanceMemory, of project: ProjectName) {
        assumeIsolated { supervisor in
            guard let run = supervisor.units[project]?.run else { return }
            let record = InstanceRecord(
                project: project, run: run.id, credentials: nil, environmentDigest: nil, memory: memory)
            do throws(InstanceRecordError) { try supervisor.memories.write(record) } catch {
                // Only the next gateway needs the record. This gateway continues without the record.
                supervisor.logger.warning(
                    "cannot write an instance record", LogField("project", project.string),
                    LogField("reason", "\(error)"))
            }
        }
    }

    /// Returns whether a process of the unit has this number in its own PID namespace.
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

    /// Returns the working directory of the unit's main process.
    package nonisolated func workingFolder(of project: ProjectName) -> (identity: FolderIdentity, path: String)? {
        assumeIsolated { supervisor in
            supervisor.units[project]?.run?.processIdentifier.flatMap { ProcessTable.serverFolder(of: $0) }
        }
    }

    /// Logs the units whose name resembles a project's unit, but which belong to no project.
    func reportMistaken(_ names: [String]) {
        let folders = folders()
        for name in names where !mistaken.contains(name) {
            let meant = UnitName.mistaken(name, among: folders)
            guard let first = meant.first, let unit = try? UnitName(first) else { continue }
            mistaken.insert(name)
            logger.warning(
                "a unit belongs to no project: stop this unit, and start the intended project through the gateway",
                LogField("unit", name), LogField("stop", "\(messages.systemctl) disable --now '\(name)'"),
                LogField("projects", meant.map { "\"\($0)\"" }.joined(separator: " ")),
                LogField("project_unit", "\(unit)"))
        }
    }
}
