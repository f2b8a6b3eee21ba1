internal import Addresses
internal import Instances
internal import OpenCode
internal import Systemd

/// What one project's unit does, out of what the service manager tells: the manager's words in, a supervisor's events
/// and calls out. A pure value.
///
/// A run is one invocation of the unit. It is told of once its main process exists, and its end is told of once, at
/// once: its port is nobody's from then on. How systemd 252 and 257 differ is known here and nowhere else.
struct UnitStateMachine: Sendable {
    /// A start or stop that this gateway has asked for.
    private enum Request: Equatable {
        case none
        /// The manager has not answered yet.
        case sent
        /// The manager works on it.
        case job(String)
    }

    private var properties = UnitProperties()
    private var run: UnitRun?
    private var address: InstanceAddress?
    private var family: APIFamily?
    private var isEndingTold = false
    /// Whether it is ended by a stop, whoever asked for that, and not by itself.
    private var isStopping = false
    /// The last run that was told to have ended, and what was said to follow.
    private var lastRun: String?
    private var awaitsRestart = false
    /// A start that nothing has come of yet.
    private var isStartPending = false
    private var startRequest = Request.none
    /// How the start's job has ended, when not well.
    private var jobResult: String?
    private var isStopAsked = false
    private var stopRequest = Request.none
    /// How often the port has been looked for among the sockets.
    private var searches = 0

    /// Whether the unit may have processes, or get some by itself.
    var isAlive: Bool { run != nil || awaitsRestart || isStartPending }
    /// Whether the manager's list says of the unit what is known of it.
    func agrees(with listed: ListedUnit) -> Bool {
        properties.activeState == listed.activeState && properties.subState == listed.subState
    }

    /// Takes one event; returns what to do about it, in this order.
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
            guard isStopAsked else { return [] }
            isStopAsked = false
            return [.tell(.stopFailed(reason: reason))]
        case .changed(let news, let isComplete):
            properties.merge(news)
            // A unit's own kind of properties comes first: judged alone, it would meet the general ones of before.
            return isComplete ? judge(isSettled: false) : []
        case .read(let all):
            properties.merge(all)
            let actions = judge(isSettled: true)
            guard startRequest == .none else { return actions }
            // The start's job is over, and this is all that has come of it.
            return actions + startFailed(UnitMessage.startFailed(jobResult, properties))
        case .connectionLost:
            (startRequest, stopRequest) = (.none, .none)
            return []
        case .jobEnded(let job, let result): return jobEnded(job, result)
        case .portNamed(let id, let address, let family): return found(id, address, bySockets: false, family)
        case .otherHostNamed(let id, let host):
            guard let run, run.id == id, address == nil else { return [] }
            return [.stopSeeking(id), .tell(.announcedElsewhere(run: id, host: host))]
        case .portOverdue(let id):
            guard let run, run.id == id, address == nil else { return [] }
            searches += 1
            return [.searchSockets(run)]
        case .socketsSearched(let id, let found?): return self.found(id, found, bySockets: true, nil)
        case .socketsSearched(let id, nil):
            guard let run, run.id == id, address == nil else { return [] }
            return [.searchLater(run, times: searches)]
        }
    }

    // MARK: Requests

    private mutating func requestStart() -> [Action] {
        isStopAsked = false
        if let run, !isEndingTold {
            // Whoever asks has missed that it runs.
            return [.tellLaunch(run)]
                + (address.map { [.tellPort(run: run.id, address: $0, bySockets: false, family: family)] } ?? [])
        }
        let wasAwaitingRestart = awaitsRestart
        (isStartPending, awaitsRestart) = (true, false)
        (startRequest, jobResult) = (.sent, nil)
        // Started, not restarted, it would wait until its pause is over.
        if wasAwaitingRestart { return [.restart] }
        // Else its start limit would go on counting.
        return UnitPhase(properties) == .failed ? [.resetFailed, .start] : [.start]
    }

    private mutating func requestStop(kills: Bool) -> [Action] {
        isStopAsked = true
        // Without a stop systemd would take the killed one for crashed and start it again.
        let stops = !kills || stopRequest == .none
        if stops { stopRequest = .sent }
        return (stops ? [.stop] : []) + (kills ? [.kill] : [])
    }

    private mutating func startFailed(_ reason: String) -> [Action] {
        guard isStartPending else { return [] }
        (isStartPending, isStopAsked) = (false, false)
        return [.tell(.launchFailed(reason: reason))]
    }

    private mutating func jobEnded(_ job: String, _ result: String) -> [Action] {
        if startRequest == .job(job) {
            startRequest = .none
            jobResult = result == "done" ? nil : result
            // What the job has done was told before its end; if that was nothing yet, it is worth a look.
            return isStartPending ? [.read] : []
        }
        if stopRequest == .job(job) {
            stopRequest = .none
            return result == "done" ? stopEnded() : []
        }
        return []
    }

    /// The stop is over: should nothing have been there to stop, whoever asked hears of it all the same.
    private mutating func stopEnded() -> [Action] {
        guard run == nil, isStopAsked else { return [] }
        isStopAsked = false
        awaitsRestart = false
        if isStartPending { return startFailed(UnitMessage.stopped) }
        return lastRun.map { [.tellEnd(run: $0, how: UnitMessage.stopped, next: .stopped)] } ?? []
    }

    // MARK: Ports

    private mutating func found(_ id: String, _ address: InstanceAddress, bySockets: Bool, _ family: APIFamily?)
        -> [Action]
    {
        guard let run, run.id == id, self.address == nil else { return [] }
        (self.address, self.family) = (address, family)
        return [.stopSeeking(id), .tellPort(run: id, address: address, bySockets: bySockets, family: family)]
    }

    // MARK: State

    /// Draws the conclusions from the properties. Signals also tell of states of an instant; what was read has settled.
    private mutating func judge(isSettled: Bool) -> [Action] {
        switch UnitPhase(properties) {
        case .up: return isUp()
        case .ending: return isEnding()
        case .awaitsRestart:
            return ended(.restarts(after: properties.restartDelay.flatMap { UnitMessage.duration(microseconds: $0) }))
        case .failed where !isSettled: return mayBeOver()
        case .inactive where !isSettled && (awaitsRestart || run != nil && !isStopAsked && !isStopping):
            return mayBeOver()
        case .failed: return ended(isStopAsked || isStopping ? .stopped : .gaveUp)
        case .inactive: return ended(.stopped)
        case .between: return []
        }
    }

    private mutating func isUp() -> [Action] {
        guard let id = properties.invocation, !id.isEmpty, let process = properties.mainProcess, process != 0 else {
            return []
        }
        guard run?.id != id else { return [] }
        // The end of the run before was skipped: signals tell of states that last.
        let before = run == nil ? [] : ended(.restarts(after: nil))
        return before + launched(id, process, isFound: !isStartPending)
    }

    private mutating func launched(_ id: String, _ process: UInt32, isFound: Bool) -> [Action] {
        let launched = UnitRun(
            id: id, process: Int32(clamping: process), started: properties.mainProcessStarted ?? 0, isFound: isFound)
        let isFirst = properties.restartDelay == nil
        (run, address, searches) = (launched, nil, 0)
        (isEndingTold, isStopping, awaitsRestart, isStartPending, isStopAsked) = (false, false, false, false, false)
        // What no signal tells, such as the pause before a restart, is read once.
        return [.tellLaunch(launched), .seekPort(launched)] + (isFirst ? [.read] : [])
    }

    private mutating func isEnding() -> [Action] {
        guard let run, properties.invocation == run.id else { return [] }
        isStopping = isStopping || ["stop", "stop-sigterm", "stop-sigkill"].contains(properties.subState)
        guard !isEndingTold else { return [] }
        let isMainGone = properties.mainProcess == 0
        // One that has crashed before it had a port takes nothing with it: its end tells more than its ending.
        if isMainGone, address == nil { return [] }
        isEndingTold = true
        address = nil
        return [.stopSeeking(run.id)] + (isStopAsked ? [] : [.tell(.ending(run: run.id))])
    }

    /// systemd 252 passes through `failed` or `inactive` on the way to auto-restart, and through `inactive` on the way out
    /// of it. Whichever it is, the run is over.
    private mutating func mayBeOver() -> [Action] { dropPort() + [.read] }

    /// The port is nobody's from now on; its end, which says more, follows.
    private mutating func dropPort() -> [Action] {
        guard let run, address != nil, !isEndingTold else { return [] }
        (address, isEndingTold) = (nil, true)
        return [.tell(.ending(run: run.id))]
    }

    /// Nothing of the unit is left.
    private mutating func ended(_ next: SupervisedEvent.Next) -> [Action] {
        let missed = missedRun(next)
        guard let run else { return changedItsMind(next) }
        let how = UnitMessage.howItEnded(properties, was: run)
        let isSought = missed.isEmpty && address == nil && !isEndingTold
        let ending = next == .stopped ? [] : dropPort()
        (self.run, address, isStopAsked) = (nil, nil, false)
        awaitsRestart = next.isRestart
        lastRun = run.id
        let end: [Action] = (isSought ? [.stopSeeking(run.id)] : []) + [.tellEnd(run: run.id, how: how, next: next)]
        return missed + ending + end
    }

    /// A run so short that it was never seen is told of whole.
    private mutating func missedRun(_ next: SupervisedEvent.Next) -> [Action] {
        guard run == nil, let id = properties.invocation, !id.isEmpty, id != lastRun else { return [] }
        // A unit that does not run may show a run of long ago: it is the one asked for only after the start's job.
        if next == .stopped, !isStartPending || startRequest != .none { return [] }
        let actions = launched(id, 0, isFound: !isStartPending)
        return Array(actions.prefix(1))
    }

    /// It was to be restarted and won't be: systemd has given up, or somebody has stopped it meanwhile.
    private mutating func changedItsMind(_ next: SupervisedEvent.Next) -> [Action] {
        guard awaitsRestart, !next.isRestart, let lastRun else { return [] }
        awaitsRestart = false
        let how = next == .stopped ? UnitMessage.stopped : UnitMessage.restartedTooOften(properties)
        return [.tellEnd(run: lastRun, how: how, next: next)]
    }
}

extension SupervisedEvent.Next {
    fileprivate var isRestart: Bool { if case .restarts = self { true } else { false } }
}
