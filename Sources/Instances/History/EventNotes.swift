/// Tells which of an instance's states are events, and what is to be said of them. A pure value.
struct EventNotes: Sendable {
    /// Who has asked for a stop, by way of this gateway, and why.
    struct Stopper: Sendable {
        let actor: String?
        let reason: String?
    }

    /// Who has asked for the start that is under way, and for the stop.
    var starter: String?
    var stopper: Stopper?
    /// The last event.
    private(set) var last: InstanceEvent?
    /// Who has it end, as the last state that knew said.
    private var ender: InstanceEnder?

    /// Notes of an instance whose last event that is known was `past`.
    init(past: InstanceEvent? = nil) { last = past }

    /// A server was found that was started then. One of which the last event tells already has had nothing happen to it but
    /// a change of gateways.
    func knows(runSince started: Int64) -> Bool {
        guard let last else { return false }
        switch last.kind {
        case .found, .ready, .unhealthy: return last.time >= started
        case .started, .ended, .restarted, .stopped, .failed, .lost: return false
        }
    }

    /// What the instance's new state is as an event; nil for none. `isKnown`: see ``knows(runSince:)``.
    mutating func event(of machine: InstanceStateMachine, isKnown: Bool, now: Int64) -> InstanceEvent? {
        if let ender = machine.ender { self.ender = ender }
        let event = event(machine, isKnown, now)
        if let event { last = event }
        switch machine.state {
        case .starting, .stopped, .failed: ender = nil
        default: break
        }
        return event
    }

    private mutating func event(_ machine: InstanceStateMachine, _ isKnown: Bool, _ now: Int64) -> InstanceEvent? {
        switch machine.state {
        case .starting:
            if case .starting = machine.phase, machine.origin == .recovery {
                return InstanceEvent(time: now, kind: .restarted)
            }
            defer { starter = nil }
            return InstanceEvent(time: now, kind: .started, actor: starter)
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
            return last?.kind == .unhealthy ? nil : InstanceEvent(time: now, kind: .unhealthy, reason: cut(reason))
        case .restarting(let reason, _):
            // While something of it is left it is not known how it ends.
            if case .ending = machine.phase { return nil }
            return InstanceEvent(time: now, kind: .ended, reason: cut(reason))
        case .failed(let reason): return InstanceEvent(time: now, kind: .failed, reason: cut(reason))
        case .stopped: return stopped(now)
        case .probing, .busy, .stopping: return nil
        }
    }

    private mutating func stopped(_ now: Int64) -> InstanceEvent {
        defer { stopper = nil }
        if case .gateway(let reason) = ender {
            return InstanceEvent(time: now, kind: .stopped, reason: cut(reason))
        }
        // One that has failed or waits for its restart has nothing that could end: a stop has only put it aside.
        guard let stopper else {
            return InstanceEvent(time: now, kind: .stopped, reason: InstanceMessage.stoppedElsewhere)
        }
        return InstanceEvent(time: now, kind: .stopped, actor: stopper.actor, reason: stopper.reason)
    }

    private func cut(_ reason: String) -> String { Instance.cut(reason) }
}
