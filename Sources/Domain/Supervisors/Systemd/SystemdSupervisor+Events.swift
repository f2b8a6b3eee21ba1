// SPDX-License-Identifier: Apache-2.0

internal import Addresses
internal import Encodings
internal import Glibc
internal import Instances
internal import Logging
internal import OpenCodeFamilies
internal import Projects
internal import Systemd

/// Handles events from the service manager, and performs the actions of the units' state machines.
extension SystemdSupervisor {
    /// Handles an event from the manager.
    func receive(_ event: ManagerEvent) {
        switch event {
        case .connected(let units): connected(units)
        case .disconnected(let error): disconnected(error)
        case .changed(let name, let properties, let isComplete):
            // A unit that was started manually is reported here for the first time. `project(of:)` then adds the unit.
            guard let project = project(of: name) else { return }
            if isComplete { record(properties, of: project) }
            handle(.changed(properties, isComplete: isComplete), of: project)
        case .jobRemoved(let job, let name, let result):
            guard let project = UnitName(unit: name)?.project else { return }
            handle(.jobEnded(job: job, result: result), of: project)
        case .unitRemoved(let name):
            // systemd 252 emits this signal for every unit at each reload. Ignore it during a reload, because the list
            // of units is read afterwards.
            guard !connection.isReloading, let project = UnitName(unit: name)?.project,
                units[project]?.machine.isAlive == true
            else { return }
            loadProperties(project)
        case .reloading(let begins):
            connection.isReloading = begins
            if !begins { list() }
        }
    }

    private func project(of name: String) -> ProjectName? {
        guard let unit = UnitName(unit: name) else { return nil }
        if units[unit.project] == nil {
            units[unit.project] = SupervisedUnit(name: unit)
            reportMistaken([name])
        }
        return unit.project
    }

    // MARK: Connection

    private func connected(_ listed: [ListedUnit]) {
        if connection.isOutageReported { observer?.supervisorChanged(unavailable: nil) }
        connection = ManagerConnection()
        connection.isUp = true
        reportMistaken(listed.map(\.name))
        compare(listed, readsAll: true)
        finishOpening()
    }

    private func disconnected(_ error: BusError) {
        // The loss of an established connection is not an outage. A manager that re-executes itself is reachable at the
        // next attempt.
        let isOutage = !connection.isUp
        let wasReported = connection.isOutageReported
        connection = ManagerConnection()
        connection.unavailable = messages.unreachable(error)
        connection.isOutageReported = isOutage
        for project in units.keys { handle(.connectionLost, of: project) }
        if isOutage, !wasReported { observer?.supervisorChanged(unavailable: connection.unavailable) }
        opened()
    }

    /// Reads the properties of the units whose state may have changed according to the list. Units that are not listed
    /// are not loaded, so they have no processes. After a reconnection, all active units are read, because signals may
    /// have been missed.
    private func compare(_ listed: [ListedUnit], readsAll: Bool) {
        var vanished = Set(units.filter { $0.value.machine.isAlive }.keys)
        for item in listed where item.activeState != "inactive" {
            guard let unit = UnitName(unit: item.name) else { continue }
            if units[unit.project] == nil { units[unit.project] = SupervisedUnit(name: unit) }
            vanished.remove(unit.project)
            if readsAll || units[unit.project]?.machine.agrees(with: item) != true { loadProperties(unit.project) }
        }
        for project in vanished { loadProperties(project) }
    }

    /// Lists the units after a reload. If another reload occurs before the list arrives, lists the units again.
    private func list() {
        guard !connection.isListing else {
            connection.listsAgain = true
            return
        }
        connection.isListing = true
        manager?.listUnits { [weak self] result in
            self?.assumeIsolated { supervisor in
                let again = supervisor.connection.listsAgain
                supervisor.connection.isListing = false
                supervisor.connection.listsAgain = false
                guard case .success(let units) = result else { return }
                if again { supervisor.list() } else { supervisor.compare(units, readsAll: false) }
            }
        }
    }

    /// Reads all properties of a unit, unless they are already being read.
    func loadProperties(_ project: ProjectName) {
        guard let unit = units[project], connection.reading.insert(project).inserted else { return }
        manager?.properties(of: unit.name.string) { [weak self] result in
            self?.assumeIsolated { supervisor in
                guard supervisor.connection.reading.remove(project) != nil else { return }
                if case .success(let properties) = result { supervisor.handle(.read(properties), of: project) }
                supervisor.finishOpening()
            }
        }
    }

    private func finishOpening() {
        guard connection.reading.isEmpty else { return }
        ports?.endOfAdoption()
        opened()
    }

    // MARK: Machines

    /// Passes an event to a unit's state machine and performs the resulting actions.
    func handle(_ event: UnitStateMachine.Event, of project: ProjectName) {
        guard let actions = units[project]?.machine.handle(event) else { return }
        for action in actions { perform(action, of: project) }
    }

    private func perform(_ action: UnitStateMachine.Action, of project: ProjectName) {
        guard let unit = units[project] else { return }
        switch action {
        case .start, .restart, .stop, .kill, .resetFailed: call(action, on: unit.name, of: project)
        case .read: loadProperties(project)
        case .seekPort(let run): ports?.seek(subject(unit.name, run.id), of: project, in: run)
        case .searchSockets(let run): ports?.searchSockets(of: project, unit: unit.name, in: run)
        case .searchLater(let run, let times): ports?.searchLater(project, run, times: times)
        case .stopSeeking(let run): ports?.stop(run)
        case .report(let event):
            if case .stopFailed(let reason) = event {
                logger.error(
                    "cannot stop an instance", LogField("project", project.string), LogField("reason", reason))
            }
            report(event, of: project)
        case .reportLaunch(let run): launched(run, project)
        case .reportPort(let run, let address, let bySockets, let family):
            announced(run, at: address, bySockets: bySockets, family: family, of: project)
        case .reportEnd(let run, let how, let next): exited(run, how: how, next: next, of: project)
        }
    }

    /// Reports an event. If the report of an earlier run's end is still pending, that end is reported first.
    private func report(_ event: SupervisedEvent, of project: ProjectName) {
        reportEnd(of: project)
        observer?.supervised(project, event)
    }

    private func launched(_ run: UnitRun, _ project: ProjectName) {
        let record = record(project, run.id)
        let launched = Run(
            id: run.id, processIdentifier: run.process > 0 ? run.process : nil, credentials: record?.credentials,
            started: run.started == 0 ? WallClock.nanoseconds() : Int64(clamping: run.started) * 1_000,
            isFound: run.isFound, environmentDigest: record?.environmentDigest, folder: record?.folder,
            memory: memory(of: run.id, project))
        units[project]?.lastRun = run.id
        units[project]?.run = launched
        report(.launched(launched), of: project)
    }

    private func announced(
        _ run: String, at address: InstanceAddress, bySockets: Bool, family: APIFamily?, of project: ProjectName
    ) {
        // The unit writes its record before it executes OpenCode. The manager may have reported the run before the
        // record existed. If so, report the run again with the record.
        if let launched = units[project]?.run, launched.id == run, launched.credentials == nil,
            launched.environmentDigest == nil, let record = record(project, run)
        {
            let whole = Run(
                id: launched.id, processIdentifier: launched.processIdentifier, credentials: record.credentials,
                started: launched.started, isFound: launched.isFound, environmentDigest: record.environmentDigest,
                folder: record.folder, memory: launched.memory)
            units[project]?.run = whole
            report(.launched(whole), of: project)
        }
        let warning = bySockets ? ports?.warning : nil
        report(.announced(run: run, address: address, family: family, warning: warning), of: project)
    }

    // MARK: Ends

    /// The maximum time in which the last lines of a crashed run should reach the journal.
    private static let journalDelay = Duration.milliseconds(100)

    /// Handles the end of a run, whose port was already withdrawn. If the run has failed, delays the report, so that
    /// the last lines can reach the journal.
    private func exited(_ run: String, how: String, next: SupervisedEvent.Next, of project: ProjectName) {
        reportEnd(of: project)
        units[project]?.run = nil
        forgetMemory(of: project)
        let timer =
            next == .stopped
            ? nil
            : try? loop.timer(after: Self.journalDelay) { [weak self] in
                self?.assumeIsolated { $0.reportEnd(of: project) }
            }
        units[project]?.pendingEnd = PendingEnd(run: run, how: how, next: next, timer: timer)
        if timer == nil { reportEnd(of: project) }
    }

    private func reportEnd(of project: ProjectName) {
        guard let unit = units[project], let end = unit.pendingEnd else { return }
        units[project]?.pendingEnd = nil
        let tail = tail(unit.name, end.run)
        observer?.supervised(project, .exited(run: end.run, how: end.how, tail: tail, next: end.next))
    }

    private func record(_ properties: UnitProperties, of project: ProjectName) {
        logger.debug(
            "a unit has changed", LogField("project", project.string),
            LogField("active_state", properties.activeState ?? "unknown"),
            LogField("sub_state", properties.subState ?? "unknown"),
            LogField("invocation", properties.invocation ?? ""))
    }

    // MARK: Journal

    func subject(_ unit: UnitName, _ run: String) -> JournalSubject {
        JournalSubject(scope: scope, unit: unit.string, invocation: run)
    }

    /// The number of last lines that are reported.
    private static let tailLength = 20

    /// Returns the last lines of a run. The result is empty if the journal cannot be read.
    func tail(_ unit: UnitName, _ run: String) -> [String] {
        guard let reader = try? JournalReader(), (try? reader.select(subject(unit, run))) != nil else { return [] }
        let entries = (try? reader.last(Self.tailLength)) ?? []
        let lines = entries.flatMap { $0.text.split(separator: "\n").map { PasswordLine.masked(String($0)) } }
        return lines.suffix(Self.tailLength)
    }
}
