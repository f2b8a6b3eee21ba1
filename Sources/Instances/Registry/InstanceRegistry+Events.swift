internal import Logging
internal import Systemd

/// What happens to instances, and what the state machines want done about it.
extension InstanceRegistry {
    /// Takes one event of a project's instance.
    func handle(_ event: InstanceStateMachine.Event, of name: ProjectName) { take(.event(event), of: name) }

    private func take(_ item: Inbox.Item, of name: ProjectName) {
        guard inbox.add(item, of: name) else { return }
        while let (name, item) = inbox.next() {
            switch item {
            case .event(let event): advance(event, of: name)
            case .supervised(let event): receive(event, of: name)
            }
        }
    }

    private func advance(_ event: InstanceStateMachine.Event, of name: ProjectName) {
        guard var instance = instances[name] else { return }
        let actions = instance.machine.handle(event, nextGeneration: lastGeneration + 1)
        lastGeneration = max(lastGeneration, instance.machine.generation)
        instances[name] = instance
        for action in actions { perform(action, of: name) }
    }

    private func receive(_ event: SupervisedEvent, of name: ProjectName) {
        guard let generation = instances[name]?.machine.generation else { return }
        let current = instances[name]?.run?.id
        switch event {
        case .launched(let run):
            // Servers that this gateway has not started are not taken over yet.
            guard !run.isFound else { return }
            instances[name]?.run = run
            advance(.spawned(generation: generation), of: name)
        case .launchFailed(let reason): advance(.spawnFailed(generation: generation, reason: reason), of: name)
        case .announced(current, let port, _): advance(.announced(generation: generation, port: port), of: name)
        case .exited(current, let how, let tail, _):
            instances[name]?.run = nil
            advance(.exited(generation: generation, how: how, tail: tail), of: name)
        case .announced, .exited, .ending: break
        }
    }

    private func perform(_ action: InstanceStateMachine.Action, of name: ProjectName) {
        switch action {
        case .spawn: if let folder = instances[name]?.folder { supervisor.start(folder) }
        case .probe(let generation, let port): check(name, generation, port)
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
        case .publish:
            report(name)
            publishRoutes()
        }
    }

    private func check(_ name: ProjectName, _ generation: UInt64, _ port: UInt16) {
        guard let run = instances[name]?.run else { return }
        let probe = probe
        Task {
            let outcome = await probe(port, run.credentials)
            handle(.probed(generation: generation, outcome), of: name)
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
        handle(.fired(timer, tail: supervisor.tail(of: name)), of: name)
    }

    /// Logs one instance's new state.
    private func report(_ name: ProjectName) {
        guard let instance = instances[name] else { return }
        let project = LogField("project", name.string)
        switch instance.machine.state {
        case .failed(let reason): logger.warning("The instance failed: \(reason)", project)
        case .ready(let port):
            let version = LogField("version", instance.machine.version ?? "unknown")
            logger.info("The instance is ready", project, LogField("port", port), version)
        case .booting, .probing: logger.debug("The instance is \(instance.machine.state.name)", project)
        case let state: logger.info("The instance is \(state.name)", project)
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
        if let reason {
            logger.error("Instances can't be supervised: \(reason)", LogField("supervisor", supervisor.name))
        } else {
            logger.notice("Instances are supervised again", LogField("supervisor", supervisor.name))
        }
    }
}
