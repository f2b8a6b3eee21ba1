// SPDX-License-Identifier: Apache-2.0

/// Determines which of an instance's state changes become events of its history, and makes these events. The tracker
/// performs no I/O.
struct HistoryTracker: Sendable {
    /// The initiator of a stop through this gateway, and the reason for the stop.
    struct StopRequest: Sendable {
        let actor: String?
        let reason: String?
    }

    /// A start that waits for the end of this run.
    private struct Succession: Sendable {
        let run: String?
    }

    /// The initiators of the current start and stop.
    var starter: String?
    var stopper: StopRequest?
    /// The last event of the history.
    private(set) var last: InstanceEvent?
    /// The initiator of the instance's end, from the last state that contained an initiator.
    private var stopInitiator: StopInitiator?
    private var succession: Succession?

    /// Creates a tracker for an instance whose last known event is `lastEvent`.
    init(lastEvent: InstanceEvent? = nil) { last = lastEvent }

    /// Sets the last event that an earlier gateway recorded, if the event becomes known late. Has no effect if a newer
    /// event is known.
    mutating func restore(_ event: InstanceEvent) { last = last ?? event }

    /// Returns whether the last event already describes a found server that was started at the given time. If the
    /// result is true, only the gateway was restarted since the event.
    func covers(runSince started: Int64) -> Bool {
        guard let last else { return false }
        switch last.kind {
        case .found, .ready, .unhealthy: return last.time >= started
        case .started, .ended, .restarted, .stopped, .failed, .lost: return false
        }
    }

    /// Returns the events that the current state adds to the history. For most states, the result is empty.
    ///
    /// - Parameter isKnown: The result of ``covers(runSince:)``.
    mutating func events(of machine: InstanceStateMachine, isKnown: Bool, now: Int64) -> [InstanceEvent] {
        if let initiator = machine.stopInitiator { self.stopInitiator = initiator }
        let events = begun(machine, now) ?? event(machine, isKnown: isKnown, at: now).map { [$0] } ?? []
        last = events.last ?? last
        switch machine.phase {
        case .stopped, .failed, .restarting, .starting, .booting, .probing:
            // A requested stop has succeeded or was rejected, so its initiator does not apply to later events.
            stopInitiator = nil
            stopper = nil
            succession = nil
        case .ready, .ending, .stuck: break
        }
        return events
    }

    /// Returns the events of a requested start, including the end of the run for which the start waited. Returns nil if
    /// the state is not a requested start.
    private mutating func begun(_ machine: InstanceStateMachine, _ now: Int64) -> [InstanceEvent]? {
        switch machine.phase {
        case .ending(let ending):
            // The request to end the run can still be rejected, so record nothing yet.
            succession = ending.startsAgain ? Succession(run: machine.run) : nil
            return ending.startsAgain ? [] : nil
        case .starting where machine.origin != .recovery: break
        // If a different run is booting, the supervisor reported that run before the end of the previous run.
        case .booting: if succession.map({ $0.run == machine.run }) ?? true { return nil }
        default: return nil
        }
        defer { starter = nil }
        let before = succession == nil ? [] : [ended(machine.failureBefore, now)]
        return before + [InstanceEvent(time: now, kind: .started, actor: starter)]
    }

    private func event(_ machine: InstanceStateMachine, isKnown: Bool, at now: Int64) -> InstanceEvent? {
        switch machine.state {
        case .starting: return InstanceEvent(time: now, kind: .restarted)
        case .booting:
            switch machine.origin {
            case .requested: return nil
            case .found: return isKnown ? nil : InstanceEvent(time: now, kind: .found)
            // If the gateway itself restarted the instance, this event is already recorded.
            case .recovery: return last?.kind == .restarted ? nil : InstanceEvent(time: now, kind: .restarted)
            }
        case .ready:
            // The instance was already ready before it was busy or had to prove again that it owns the port. Record no
            // event.
            if last?.kind == .ready { return nil }
            return InstanceEvent(time: now, kind: .ready, version: machine.version)
        case .unhealthy(_, let reason):
            return last?.kind == .unhealthy ? nil : InstanceEvent(time: now, kind: .unhealthy, reason: kept(reason))
        case .restarting(let reason, _):
            // While a process of the instance remains, it is unknown how the instance will end. Record nothing yet.
            if case .ending = machine.phase { return nil }
            return InstanceEvent(time: now, kind: .ended, reason: kept(reason))
        case .failed(let reason): return InstanceEvent(time: now, kind: .failed, reason: kept(reason))
        case .stopped: return stopped(now)
        case .probing, .busy, .stopping: return nil
        }
    }

    /// Returns the event for the end of the previous run: a failure or a stop.
    private func ended(_ failure: String?, _ now: Int64) -> InstanceEvent {
        failure.map { InstanceEvent(time: now, kind: .ended, reason: kept($0)) } ?? stopped(now)
    }

    private func stopped(_ now: Int64) -> InstanceEvent {
        if case .gateway(let reason) = stopInitiator {
            return InstanceEvent(time: now, kind: .stopped, reason: kept(reason))
        }
        // If the instance has failed or waits for its restart, the request to stop ends no server. The request only
        // cancels the restart.
        guard stopInitiator != .outside, let stopper else {
            return InstanceEvent(time: now, kind: .stopped, reason: InstanceMessage.stoppedElsewhere)
        }
        return InstanceEvent(time: now, kind: .stopped, actor: stopper.actor, reason: stopper.reason)
    }

    /// Returns a reason in the form in which it is stored. The server's output is removed, because the output may
    /// contain secrets and must not be written to the disk.
    private func kept(_ reason: String) -> String { Instance.cut(InstanceMessage.withoutOutput(reason)) }
}
