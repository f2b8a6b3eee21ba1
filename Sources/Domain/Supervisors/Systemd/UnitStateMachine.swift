// SPDX-License-Identifier: Apache-2.0

internal import Addresses
internal import Instances
internal import OpenCodeFamilies
internal import Systemd

/// The state of one project's unit as a pure value. The state machine handles the service manager's reports and returns
/// the events and calls of the supervisor.
///
/// A run is one invocation of the unit. The start of a run is reported once, when its main process exists. The end of a
/// run is reported once and immediately, because the run's port becomes invalid. The differences between systemd 252
/// and 257 are handled only here and in ``UnitPhase``.
struct UnitStateMachine: Sendable {
    /// The progress of a start or stop that this gateway has requested.
    private enum Request: Equatable {
        case none
        /// The manager has not replied yet.
        case sent
        /// The manager is executing the job.
        case job(String)
    }

    private var properties = UnitProperties()
    private var run: UnitRun?
    private var address: InstanceAddress?
    private var family: APIFamily?
    private var isEndReported = false
    /// Whether the run ends because the gateway or another program stopped the unit.
    private var isStopping = false
    /// The last run whose end was reported, and whether a restart of the unit is expected.
    private var lastRun: String?
    private var awaitsRestart = false
    /// Whether a start was requested and its result is still unknown.
    private var isStartPending = false
    private var startRequest = Request.none
    /// The result of the start job, if it failed.
    private var jobResult: String?
    private var isStopRequested = false
    private var stopRequest = Request.none
    /// The number of searches for the port among the sockets.
    private var searches = 0

    /// Whether the unit has processes, or may start some without another request.
    var isAlive: Bool { run != nil || awaitsRestart || isStartPending }
    /// Returns whether an entry of the manager's list agrees with the unit's known state.
    func agrees(with listed: ListedUnit) -> Bool {
        properties.activeState == listed.activeState && properties.subState == listed.subState
    }

    /// Handles one event and returns the actions to perform in order.
    mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .startRequested: return requestStart()
        case .startAccepted(let job):
            startRequest = .job(job)
            return []
        case .startRefused(let reason):
            startRequest = .none
            return startFailed(reason)
        case .stopRequested(let kills): return requestStop(kills: kills)
        case .stopAccepted(let job):
            stopRequest = .job(job)
            return []
        case .stopRefused:
            stopRequest = .none
            return stopEnded()
        case .stopDenied(let reason):
            stopRequest = .none
            guard isStopRequested else { return [] }
            isStopRequested = false
            return [.report(.stopFailed(reason: reason))]
        case .changed(let changed, let isComplete):
            properties.merge(changed)
            // systemd reports the properties of the unit's type before the general properties. Do not evaluate the
            // properties of the type alone, because the general properties are still outdated.
            return isComplete ? judge(isSettled: false) : []
        case .read(let all):
            properties.merge(all)
            let actions = judge(isSettled: true)
            guard startRequest == .none else { return actions }
            // The start job has ended. A start that is still pending has therefore failed.
            return actions + startFailed(UnitMessage.startFailed(jobResult, properties))
        case .connectionLost:
            startRequest = .none
            stopRequest = .none
            return []
        case .jobEnded(let job, let result): return jobEnded(job, result)
        case .portNamed(let id, let address, let family):
            return found(id, at: address, bySockets: false, family: family)
        case .otherHostNamed(let id, let host):
            guard let run, run.id == id, address == nil else { return [] }
            return [.stopSeeking(id), .report(.announcedElsewhere(run: id, host: host))]
        case .portOverdue(let id):
            guard let run, run.id == id, address == nil else { return [] }
            searches += 1
            return [.searchSockets(run)]
        case .socketsSearched(let id, let found?): return self.found(id, at: found, bySockets: true, family: nil)
        case .socketsSearched(let id, nil):
            guard let run, run.id == id, address == nil else { return [] }
            return [.searchLater(run, times: searches)]
        }
    }

    // MARK: Requests

    private mutating func requestStart() -> [Action] {
        isStopRequested = false
        if let run, !isEndReported {
            // The caller does not know that the unit is already running. Report the run again.
            return [.reportLaunch(run)]
                + (address.map { [.reportPort(run: run.id, address: $0, bySockets: false, family: family)] } ?? [])
        }
        let wasAwaitingRestart = awaitsRestart
        isStartPending = true
        awaitsRestart = false
        startRequest = .sent
        jobResult = nil
        // Restart the unit. A start would wait until the restart delay is over.
        if wasAwaitingRestart { return [.restart] }
        // Reset the failure. Without a reset, earlier starts would still count towards systemd's start limit.
        return UnitPhase(properties) == .failed ? [.resetFailed, .start] : [.start]
    }

    private mutating func requestStop(kills: Bool) -> [Action] {
        isStopRequested = true
        // Request a stop in addition to the kill. Without the stop, systemd would treat the killed unit as crashed and
        // restart it.
        let stops = !kills || stopRequest == .none
        if stops { stopRequest = .sent }
        return (stops ? [.stop] : []) + (kills ? [.kill] : [])
    }

    private mutating func startFailed(_ reason: String) -> [Action] {
        guard isStartPending else { return [] }
        isStartPending = false
        isStopRequested = false
        return [.report(.launchFailed(reason: reason))]
    }

    private mutating func jobEnded(_ job: String, _ result: String) -> [Action] {
        if startRequest == .job(job) {
            startRequest = .none
            jobResult = result == "done" ? nil : result
            // The effects of the job were reported before its end. If the start is still pending, read the unit.
            return isStartPending ? [.read] : []
        }
        if stopRequest == .job(job) {
            stopRequest = .none
            return result == "done" ? stopEnded() : []
        }
        return []
    }

    /// Handles the end of a stop. The caller receives a result even if there was nothing to stop.
    private mutating func stopEnded() -> [Action] {
        guard run == nil, isStopRequested else { return [] }
        isStopRequested = false
        awaitsRestart = false
        if isStartPending { return startFailed(UnitMessage.stopped) }
        return lastRun.map { [.reportEnd(run: $0, how: UnitMessage.stopped, next: .stopped)] } ?? []
    }

    // MARK: Ports

    private mutating func found(_ id: String, at address: InstanceAddress, bySockets: Bool, family: APIFamily?)
        -> [Action]
    {
        guard let run, run.id == id, self.address == nil else { return [] }
        self.address = address
        self.family = family
        return [.stopSeeking(id), .reportPort(run: id, address: address, bySockets: bySockets, family: family)]
    }

    // MARK: State

    /// Evaluates the properties. Properties from a signal can describe a transient state. Properties that were read are
    /// settled.
    private mutating func judge(isSettled: Bool) -> [Action] {
        switch UnitPhase(properties) {
        case .up: return isUp()
        case .ending: return isEnding()
        case .awaitsRestart:
            return ended(.restarts(after: properties.restartDelay.flatMap { UnitMessage.duration(microseconds: $0) }))
        case .failed where !isSettled: return mayBeOver()
        case .inactive where !isSettled && (awaitsRestart || run != nil && !isStopRequested && !isStopping):
            return mayBeOver()
        case .failed: return ended(isStopRequested || isStopping ? .stopped : .gaveUp)
        case .inactive: return ended(.stopped)
        case .between: return []
        }
    }

    private mutating func isUp() -> [Action] {
        guard let id = properties.invocation, !id.isEmpty, let process = properties.mainProcess, process != 0 else {
            return []
        }
        guard run?.id != id else { return [] }
        // If the end of the previous run was not reported, report it now. Signals may skip transient states.
        let before = run == nil ? [] : ended(.restarts(after: nil))
        return before + launched(id, process, isFound: !isStartPending)
    }

    private mutating func launched(_ id: String, _ process: UInt32, isFound: Bool) -> [Action] {
        let launched = UnitRun(
            id: id, process: Int32(clamping: process), started: properties.mainProcessStarted ?? 0, isFound: isFound)
        let isFirst = properties.restartDelay == nil
        run = launched
        address = nil
        searches = 0
        isEndReported = false
        isStopping = false
        awaitsRestart = false
        isStartPending = false
        isStopRequested = false
        // Read the unit once, because signals do not report all properties, such as the restart delay.
        return [.reportLaunch(launched), .seekPort(launched)] + (isFirst ? [.read] : [])
    }

    private mutating func isEnding() -> [Action] {
        guard let run, properties.invocation == run.id else { return [] }
        isStopping = isStopping || ["stop", "stop-sigterm", "stop-sigkill"].contains(properties.subState)
        guard !isEndReported else { return [] }
        let isMainGone = properties.mainProcess == 0
        // If a run has crashed before its port was known, do not report that the run is ending. The report of the run's
        // end contains more information.
        if isMainGone, address == nil { return [] }
        isEndReported = true
        address = nil
        return [.stopSeeking(run.id)] + (isStopRequested ? [] : [.report(.ending(run: run.id))])
    }

    /// Handles a state that may mean the end of the run. systemd 252 passes through `failed` or `inactive` before
    /// `auto-restart`, and through `inactive` after `auto-restart`. In all these states, the run is over.
    private mutating func mayBeOver() -> [Action] { dropPort() + [.read] }

    /// Withdraws the port. The later report of the run's end contains more information.
    private mutating func dropPort() -> [Action] {
        guard let run, address != nil, !isEndReported else { return [] }
        address = nil
        isEndReported = true
        return [.report(.ending(run: run.id))]
    }

    /// Handles the end of the unit's last process.
    private mutating func ended(_ next: SupervisedEvent.Next) -> [Action] {
        let missed = missedRun(next)
        guard let run else { return restartAbandoned(next) }
        let how = UnitMessage.howItEnded(properties, was: run)
        let isSought = missed.isEmpty && address == nil && !isEndReported
        let ending = next == .stopped ? [] : dropPort()
        self.run = nil
        address = nil
        isStopRequested = false
        awaitsRestart = next.isRestart
        lastRun = run.id
        let end: [Action] = (isSought ? [.stopSeeking(run.id)] : []) + [.reportEnd(run: run.id, how: how, next: next)]
        return missed + ending + end
    }

    /// Reports the start of a short run. The run ended before systemd reported its start.
    private mutating func missedRun(_ next: SupervisedEvent.Next) -> [Action] {
        guard run == nil, let id = properties.invocation, !id.isEmpty, id != lastRun else { return [] }
        // The properties of an inactive unit may still contain an old run. The run is certainly the requested one only
        // after the start job has ended.
        if next == .stopped, !isStartPending || startRequest != .none { return [] }
        let actions = launched(id, 0, isFound: !isStartPending)
        return Array(actions.prefix(1))
    }

    /// Handles a restart that will not take place, because systemd has given up, or because the unit was stopped before
    /// the restart.
    private mutating func restartAbandoned(_ next: SupervisedEvent.Next) -> [Action] {
        guard awaitsRestart, !next.isRestart, let lastRun else { return [] }
        awaitsRestart = false
        let how = next == .stopped ? UnitMessage.stopped : UnitMessage.restartedTooOften(properties)
        return [.reportEnd(run: lastRun, how: how, next: next)]
    }
}

extension SupervisedEvent.Next {
    fileprivate var isRestart: Bool { if case .restarts = self { true } else { false } }
}
