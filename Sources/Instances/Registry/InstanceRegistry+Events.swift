internal import Addresses
internal import Clocks
internal import Logging
internal import Projects
internal import Systemd

/// What happens to instances, and what the state machines want done about it.
extension InstanceRegistry {
    /// Takes one event of a project's instance.
    func handle(_ event: InstanceStateMachine.Event, of name: ProjectName) { take(event, of: name) }

    func take(_ event: InstanceStateMachine.Event, of name: ProjectName, from supervisor: String? = nil) {
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
        // The state says nothing of it when a start only then begins that has waited for the end of a run.
        if actions.first != .publish, actions.contains(.launch) { noteEvents(of: name, now: WallClock.nanoseconds()) }
        for action in actions { perform(action, of: name) }
        remember(name)
    }

    private func receive(_ event: SupervisedEvent, of name: ProjectName) {
        switch event {
        case .launched(let run):
            if instances[name]?.machine.run != run.id {
                lastGeneration += 1
                instances[name]?.begin(run, generation: lastGeneration)
            } else if instances[name]?.run?.id == run.id {
                // Told again: more is known of it now, such as its password.
                instances[name]?.run = run
            }
        case .announced(let run, let address, let family, let warning):
            return announced(run, address, family, warning, of: name)
        case .exited(let run, _, _, _): if instances[name]?.run?.id == run { instances[name]?.run = nil }
        default: break
        }
        advance(.supervised(event), of: name)
    }

    /// Keeps what the next gateway could not find out.
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
            // Who reads in the log that it is ready is carried there.
            logState(of: name)
            noteEvents(of: name, now: now)
            noteSettled()
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
            logger.error("A deadline of an instance could not be set: \(error)", LogField("project", name.string))
        }
    }

    private func fire(_ timer: InstanceStateMachine.Timer, of name: ProjectName) {
        instances[name]?.timers[timer] = nil
        let tail = timer == .start ? supervisor(of: name).tail(of: name) : []
        handle(.fired(timer, tail: tail), of: name)
    }

    /// Logs one instance's new state.
    private func logState(of name: ProjectName) {
        guard let instance = instances[name] else { return }
        let project = LogField("project", name.string)
        let state = instance.machine.state
        switch state {
        case .failed(let reason): logger.warning("The instance failed: \(reason)", project)
        case .unhealthy(let address, let reason):
            logger.warning("The instance is unhealthy: \(reason)", project, LogField("port", address.port))
        case .restarting(let reason, let delay):
            if case .ending(let ending) = instance.machine.phase {
                // How it has ended, and when it is started again, is told when nothing of it is left.
                if ending.isOurs { logger.warning("The instance is ended: \(reason)", project) }
            } else {
                let delay = LogField("delay", delay?.inWords ?? "unknown")
                logger.warning("The instance is started again: \(reason)", project, delay)
            }
        case .ready(let address):
            let version = LogField("version", instance.machine.version ?? "unknown")
            logger.info("The instance is ready", project, LogField("port", address.port), version)
        case .booting, .probing: logger.debug("The instance is \(state.name)", project)
        default: logger.info("The instance is \(state.name)", project)
        }
    }
}

/// Events that wait for their turn: what an event makes happen at once, such as the outcome of a start, comes after
/// everything that the event itself leads to.
struct Inbox {
    /// What happened to one project's instance.
    struct Item {
        let project: ProjectName
        let event: InstanceStateMachine.Event
        /// The supervisor that tells of it; nil for what comes from elsewhere.
        let supervisor: String?
    }

    private var items: [Item] = []
    private var isBeingEmptied = false

    /// Adds an item; true when the caller is to empty the inbox, false when somebody does already.
    mutating func add(_ item: Item) -> Bool {
        items.append(item)
        defer { isBeingEmptied = true }
        return !isBeingEmptied
    }

    /// The next item in the order in which they came; nil ends the emptying.
    mutating func next() -> Item? {
        guard !items.isEmpty else {
            isBeingEmptied = false
            return nil
        }
        return items.removeFirst()
    }
}
