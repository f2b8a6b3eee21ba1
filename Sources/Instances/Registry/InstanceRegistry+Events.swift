internal import Logging
package import Projects
internal import Systemd

/// What happens to instances, and what the state machines want done about it.
extension InstanceRegistry {
    /// Takes one event of a project's instance.
    func handle(_ event: InstanceStateMachine.Event, of name: ProjectName) { take(.event(event), of: name) }

    private func take(_ item: Inbox.Item, of name: ProjectName) {
        guard inbox.add(item, of: name) else { return }
        while let (name, item) = inbox.next() {
            switch item {
            case .event(.probed(let number, let outcome)): probed(number, outcome, of: name)
            case .event(let event): advance(event, of: name)
            case .supervised(let event): receive(event, of: name)
            }
        }
    }

    func advance(_ event: InstanceStateMachine.Event, of name: ProjectName) {
        guard let actions = instances[name]?.machine.handle(event) else { return }
        for action in actions { perform(action, of: name) }
        remember(name)
    }

    private func receive(_ event: SupervisedEvent, of name: ProjectName) {
        switch event {
        case .launched(let run):
            enterFound(name)
            if instances[name]?.machine.run != run.id {
                lastGeneration += 1
                instances[name]?.begin(run, generation: lastGeneration)
            } else if instances[name]?.run?.id == run.id {
                // Told again: more is known of it now, such as its password.
                instances[name]?.run = run
            }
            advance(.launched(run: run.id, isFound: run.isFound, memory: run.memory), of: name)
        case .launchFailed(let reason): advance(.launchFailed(reason: reason), of: name)
        case .stopFailed(let reason): advance(.stopFailed(reason: reason), of: name)
        case .announced(let run, let port, let family, let warning): announced(run, port, family, warning, of: name)
        case .announcedElsewhere(let run, let host): advance(.announcedElsewhere(run: run, host: host), of: name)
        case .ending(let run): advance(.ending(run: run), of: name)
        case .mainProcessExited(let run): advance(.mainProcessExited(run: run), of: name)
        case .exited(let run, let how, let tail, let next):
            if instances[name]?.run?.id == run { instances[name]?.run = nil }
            advance(.exited(run: run, how: how, tail: tail, next: next), of: name)
        }
    }

    /// Keeps what the next gateway could not find out.
    private func remember(_ name: ProjectName) {
        guard let instance = instances[name], instance.machine.currentRun != nil, instance.run != nil else { return }
        let memory = instance.memory
        guard memory != instance.remembered else { return }
        instances[name]?.remembered = memory
        supervisor.remember(memory, of: name)
    }

    func perform(_ action: InstanceStateMachine.Action, of name: ProjectName) {
        switch action {
        case .publish:
            instances[name]?.stateChanged(now: WallClock.nanoseconds())
            logState(of: name)
            publishRoutes()
            noteSettled()
        case .launch: if let folder = instances[name]?.folder { supervisor.start(folder) }
        case .probe(let check): probe(check, of: name)
        case .measure: measure(name)
        case .arm(let timer, let delay): arm(timer, delay, of: name)
        case .disarm(let timer): instances[name]?.timers[timer] = nil
        case .terminate: supervisor.terminate(name)
        case .kill: supervisor.kill(name)
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
        let tail = timer == .start ? supervisor.tail(of: name) : []
        handle(.fired(timer, tail: tail), of: name)
    }

    /// Logs one instance's new state.
    private func logState(of name: ProjectName) {
        guard let instance = instances[name] else { return }
        let project = LogField("project", name.string)
        let state = instance.machine.state
        switch state {
        case .failed(let reason): logger.warning("The instance failed: \(reason)", project)
        case .unhealthy(let port, let reason):
            logger.warning("The instance is unhealthy: \(reason)", project, LogField("port", port))
        case .restarting(let reason, let delay):
            if case .ending(let ending) = instance.machine.phase {
                // How it has ended, and when it is started again, is told when nothing of it is left.
                if ending.isOurs { logger.warning("The instance is ended: \(reason)", project) }
            } else {
                let delay = LogField("delay", delay?.inWords ?? "unknown")
                logger.warning("The instance is started again: \(reason)", project, delay)
            }
        case .ready(let port):
            let version = LogField("version", instance.machine.version ?? "unknown")
            logger.info("The instance is ready", project, LogField("port", port), version)
        case .booting, .probing: logger.debug("The instance is \(state.name)", project)
        default: logger.info("The instance is \(state.name)", project)
        }
    }
}

extension InstanceRegistry: SupervisorObserver {
    /// Something became of a project's server.
    package nonisolated func supervised(_ project: ProjectName, _ event: SupervisedEvent) {
        assumeIsolated { $0.take(.supervised(event), of: project) }
    }

    /// The supervisor can't be reached, or can again.
    package nonisolated func supervisorChanged(unavailable reason: String?) {
        assumeIsolated { registry in
            registry.unavailable = reason
            let supervisor = LogField("supervisor", registry.supervisor.name)
            if let reason {
                registry.logger.error("Instances can't be supervised: \(reason)", supervisor)
            } else {
                registry.logger.notice("Instances are supervised again", supervisor)
            }
        }
    }
}
