// SPDX-License-Identifier: Apache-2.0

internal import Addresses
internal import Encodings
internal import Logging
internal import Projects
internal import Systemd

/// Handles the events of instances and performs the actions of their state machines.
extension InstanceRegistry {
    /// Handles an event of a project's instance.
    func handle(_ event: InstanceStateMachine.Event, of name: ProjectName) { process(event, of: name) }

    func process(_ event: InstanceStateMachine.Event, of name: ProjectName, from supervisor: String? = nil) {
        guard inbox.add(Inbox.Item(project: name, event: event, supervisor: supervisor)) else { return }
        while let item = inbox.next() {
            switch item.event {
            case .probed(let number, let finding): probed(number, finding, of: item.project)
            case .supervised(let event):
                if accepts(event, of: item.project, from: item.supervisor ?? "") { receive(event, of: item.project) }
            default: advance(item.event, of: item.project)
            }
        }
    }

    func advance(_ event: InstanceStateMachine.Event, of name: ProjectName) {
        guard let actions = instances[name]?.machine.handle(event) else { return }
        // A start that has waited for the end of a run does not change the published state when it begins. Record its
        // events here.
        if actions.first != .publish, actions.contains(.launch) { recordEvents(of: name, now: WallClock.nanoseconds()) }
        for action in actions { perform(action, of: name) }
        remember(name)
    }

    private func receive(_ event: SupervisedEvent, of name: ProjectName) {
        switch event {
        case .launched(let run):
            if instances[name]?.machine.run != run.id {
                lastGeneration += 1
                instances[name]?.start(run, generation: lastGeneration)
            } else if instances[name]?.run?.id == run.id {
                // The supervisor reported the same run again with more information, such as its password. Replace the
                // run.
                instances[name]?.run = run
            }
        case .announced(let run, let address, let family, let warning):
            return announced(run, at: address, family: family, warning: warning, of: name)
        case .exited(let run, _, _, _): if instances[name]?.run?.id == run { instances[name]?.run = nil }
        default: break
        }
        advance(.supervised(event), of: name)
    }

    /// Stores the facts that the next gateway could not determine itself.
    private func remember(_ name: ProjectName) {
        guard let instance = instances[name], instance.machine.currentRun != nil, instance.run != nil else { return }
        let memory = instance.memory
        guard memory != instance.remembered else { return }
        instances[name]?.remembered = memory
        supervisor(of: name).remember(memory, of: name)
    }

    func perform(_ action: InstanceStateMachine.Action, of name: ProjectName) {
        switch action {
        case .publish:
            let now = WallClock.nanoseconds()
            instances[name]?.stateChanged(now: now)
            publishRoutes()
            // Publish the routes before the log message. A client that reads in the log that the instance is ready can
            // then reach the instance.
            logState(of: name)
            recordEvents(of: name, now: now)
            checkSettled()
        case .launch: if let folder = instances[name]?.folder { supervisor(of: name).start(folder) }
        case .probe(let number, let address, let timeout): probe(number, at: address, within: timeout, of: name)
        case .measure: measure(name)
        case .arm(let timer, let delay): arm(timer, delay, of: name)
        case .disarm(let timer): instances[name]?.timers[timer] = nil
        case .terminate: supervisor(of: name).terminate(name)
        case .kill: supervisor(of: name).kill(name)
        case .answerStarts(let answer):
            let waiting = instances[name]?.starts ?? []
            instances[name]?.starts = []
            for continuation in waiting { continuation.resume(returning: answer) }
        case .answerStops(let answer):
            let waiting = instances[name]?.stops ?? []
            instances[name]?.stops = []
            for continuation in waiting { continuation.resume(returning: answer) }
        }
    }

    private func arm(_ timer: InstanceStateMachine.Timer, _ delay: Duration, of name: ProjectName) {
        do {
            instances[name]?.timers[timer] = try loop.timer(after: delay) { [weak self] in
                self?.assumeIsolated { $0.fire(timer, of: name) }
            }
        } catch {
            logger.error(
                "cannot set a timer for an instance", LogField("project", name.string), LogField("reason", "\(error)"))
        }
    }

    private func fire(_ timer: InstanceStateMachine.Timer, of name: ProjectName) {
        instances[name]?.timers[timer] = nil
        let tail = timer == .start ? supervisor(of: name).tail(of: name) : []
        handle(.fired(timer, tail: tail), of: name)
    }

    /// Logs the new state of an instance.
    private func logState(of name: ProjectName) {
        guard let instance = instances[name] else { return }
        let project = LogField("project", name.string)
        let state = instance.machine.state
        switch state {
        case .failed(let reason): logger.warning("the instance failed", project, LogField("reason", reason))
        case .unhealthy(let address, let reason):
            logger.warning(
                "the instance is unhealthy", project, LogField("port", address.port), LogField("reason", reason))
        case .restarting(let reason, let delay):
            if case .ending(let ending) = instance.machine.phase {
                // Log the reason for the end and the delay of the restart only when no process of the server remains.
                if ending.isOurs {
                    logger.warning("the gateway stops the instance", project, LogField("reason", reason))
                }
            } else {
                let delay = LogField("delay", delay?.text(.seconds) ?? "unknown")
                logger.warning("the instance will be restarted", project, delay, LogField("reason", reason))
            }
        case .ready(let address):
            let version = LogField("version", instance.machine.version ?? "unknown")
            logger.info("the instance is ready", project, LogField("port", address.port), version)
        case .booting: logger.debug("the instance is booting", project)
        case .probing: logger.debug("the instance is being probed", project)
        case .starting: logger.info("the instance is starting", project)
        case .busy: logger.info("the instance is busy", project)
        case .stopping: logger.info("the instance is stopping", project)
        case .stopped: logger.info("the instance is stopped", project)
        }
    }
}

/// A queue for events. An event can immediately cause another event, such as the result of a start. The second event is
/// handled after all actions of the first event.
struct Inbox {
    /// An event of one project's instance.
    struct Item {
        let project: ProjectName
        let event: InstanceStateMachine.Event
        /// The supervisor that reported the event; nil for other sources.
        let supervisor: String?
    }

    private var items: [Item] = []
    private var isBeingEmptied = false

    /// Adds an item. Returns true if the caller must process the inbox, or false if another call is processing it.
    mutating func add(_ item: Item) -> Bool {
        items.append(item)
        defer { isBeingEmptied = true }
        return !isBeingEmptied
    }

    /// Returns the next item in order of arrival. Returns nil at the end of the queue, which ends the processing.
    mutating func next() -> Item? {
        guard !items.isEmpty else {
            isBeingEmptied = false
            return nil
        }
        return items.removeFirst()
    }
}
