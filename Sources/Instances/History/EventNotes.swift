/// Tells which of an instance's states are events, and what is to be said of them. A pure value.
struct EventNotes: Sendable {
    /// Who has asked for a stop, by way of this gateway, and why.
    struct Stopper: Sendable {
        let actor: String?
        let reason: String?
    }

    /// A start that waits for the end of this run.
    private struct Succession: Sendable {
        let run: String?
    }

    /// Who has asked for the start that is under way, and for the stop.
    var starter: String?
    var stopper: Stopper?
    /// The last event.
    private(set) var last: InstanceEvent?
    /// Who has it end, as the last state that knew said.
    private var ender: InstanceEnder?
    private var succession: Succession?

    /// Notes of an instance whose last event that is known was `past`.
    init(past: InstanceEvent? = nil) { last = past }

    /// The last event before those of this gateway is known only now.
    mutating func recall(_ past: InstanceEvent) { last = last ?? past }

    /// A server was found that was started then. One of which the last event tells already has had nothing happen to it but
    /// a change of gateways.
    func knows(runSince started: Int64) -> Bool {
        guard let last else { return false }
        switch last.kind {
        case .found, .ready, .unhealthy: return last.time >= started
        case .started, .ended, .restarted, .stopped, .failed, .lost: return false
        }
    }

    /// What the instance has come to as events; none for most. `isKnown`: see ``knows(runSince:)``.
    mutating func events(of machine: InstanceStateMachine, isKnown: Bool, now: Int64) -> [InstanceEvent] {
        if let ender = machine.ender { self.ender = ender }
        let events = begun(machine, now) ?? event(machine, isKnown, now).map { [$0] } ?? []
        last = events.last ?? last
        switch machine.phase {
        case .stopped, .failed, .restarting, .starting, .booting, .probing:
            // A stop that was asked for has come about, or was refused: what follows is nobody's doing.
            (ender, stopper, succession) = (nil, nil, nil)
        case .ready, .ending, .stuck: break
        }
        return events
    }

    /// A start that somebody has asked for, and the end that it has waited for; nil for anything else.
    private mutating func begun(_ machine: InstanceStateMachine, _ now: Int64) -> [InstanceEvent]? {
        switch machine.phase {
        case .ending(let ending):
            // It can still be refused to end.
            succession = ending.startsAgain ? Succession(run: machine.run) : nil
            return ending.startsAgain ? [] : nil
        case .starting where machine.origin != .recovery: break
        // The next run was told before the end of the one before.
        case .booting: if succession.map({ $0.run == machine.run }) ?? true { return nil }
        default: return nil
        }
        defer { starter = nil }
        let before = succession == nil ? [] : [ended(machine.failureBefore, now)]
        return before + [InstanceEvent(time: now, kind: .started, actor: starter)]
    }

    private func event(_ machine: InstanceStateMachine, _ isKnown: Bool, _ now: Int64) -> InstanceEvent? {
        switch machine.state {
        case .starting: return InstanceEvent(time: now, kind: .restarted)
        case .booting:
            switch machine.origin {
            case .asked: return nil
            case .found: return isKnown ? nil : InstanceEvent(time: now, kind: .found)
            // The gateway itself has told so when it began the restart.
            case .recovery: return last?.kind == .restarted ? nil : InstanceEvent(time: now, kind: .restarted)
            }
        case .ready:
            // It was busy, or had to show again that the port is its own.
            if last?.kind == .ready { return nil }
            return InstanceEvent(time: now, kind: .ready, version: machine.version)
        case .unhealthy(_, let reason):
            return last?.kind == .unhealthy ? nil : InstanceEvent(time: now, kind: .unhealthy, reason: kept(reason))
        case .restarting(let reason, _):
            // While something of it is left it is not known how it ends.
            if case .ending = machine.phase { return nil }
            return InstanceEvent(time: now, kind: .ended, reason: kept(reason))
        case .failed(let reason): return InstanceEvent(time: now, kind: .failed, reason: kept(reason))
        case .stopped: return stopped(now)
        case .probing, .busy, .stopping: return nil
        }
    }

    /// The end of the run before: by itself, with a failure, or by a stop.
    private func ended(_ failure: String?, _ now: Int64) -> InstanceEvent {
        failure.map { InstanceEvent(time: now, kind: .ended, reason: kept($0)) } ?? stopped(now)
    }

    private func stopped(_ now: Int64) -> InstanceEvent {
        if case .gateway(let reason) = ender {
            return InstanceEvent(time: now, kind: .stopped, reason: kept(reason))
        }
        // One that has failed or waits for its restart has nothing that could end: a stop has only put it aside.
        guard ender != .outside, let stopper else {
            return InstanceEvent(time: now, kind: .stopped, reason: InstanceMessage.stoppedElsewhere)
        }
        return InstanceEvent(time: now, kind: .stopped, actor: stopper.actor, reason: stopper.reason)
    }

    /// A reason as it is written down: what the server has printed may hold anything, a secret too, and stays in memory.
    private func kept(_ reason: String) -> String { Instance.cut(InstanceMessage.withoutOutput(reason)) }
}
