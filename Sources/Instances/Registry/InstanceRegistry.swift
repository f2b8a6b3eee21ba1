internal import Access
package import Logging
package import OpenCode
package import Systemd

/// Every project's instance: starts and stops them, and publishes where requests go. Lives on the control loop.
package actor InstanceRegistry {
    /// Asks the server on this port of 127.0.0.1 for its health. It must answer in its own time limit.
    package typealias Probe = @Sendable (_ port: UInt16, _ credentials: InstanceCredentials) async -> ProbeOutcome

    /// The control loop.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let loop: SystemEventLoop
    private let catalogue: ProjectCatalogue
    private let supervisor: any Supervisor
    private let limits: InstanceLimits
    private let logger: Logger
    private let probe: Probe
    private let publish: @Sendable (RoutingTable) -> Void
    private var instances: [ProjectName: Instance] = [:]
    private var lastGeneration: UInt64 = 0
    private var isShuttingDown = false

    /// A registry without running instances. `publish` is called on the loop with each new routing table.
    package init(
        loop: SystemEventLoop, catalogue: ProjectCatalogue, supervisor: any Supervisor, limits: InstanceLimits,
        logger: Logger, probe: @escaping Probe, publish: @escaping @Sendable (RoutingTable) -> Void
    ) {
        self.loop = loop
        self.catalogue = catalogue
        self.supervisor = supervisor
        self.limits = limits
        self.logger = logger
        self.probe = probe
        self.publish = publish
    }

    /// Makes a project's instance ready. All callers at one time share one start and get the same answer.
    package func start(_ name: ProjectName) async -> StartAnswer {
        guard !isShuttingDown else {
            return .failed(InstanceMessage.startFailed("the gateway is shutting down."))
        }
        if instances[name]?.machine.isActive != true {
            guard let folder = catalogue.folder(named: name) else { return .notFound }
            instances[name, default: Instance(folder: folder, limits: limits)].folder = folder
        }
        return await withCheckedContinuation { continuation in
            instances[name]?.starts.append(continuation)
            handle(.startRequested, of: name)
        }
    }

    /// Ends a project's instance with all its processes; answers when nothing of it is left.
    package func stop(_ name: ProjectName) async -> StopAnswer {
        guard let instance = instances[name], instance.machine.state != .stopped else {
            return catalogue.folder(named: name) == nil ? .notFound : .stopped
        }
        return await withCheckedContinuation { continuation in
            instances[name]?.stops.append(continuation)
            handle(.stopRequested, of: name)
        }
    }

    /// One project and the state of its instance; nil when there is no such project.
    package func status(_ name: ProjectName) -> Project? {
        let instance = instances[name]
        let known = instance.flatMap { $0.machine.isActive ? $0.folder : nil }
        guard let folder = catalogue.folder(named: name) ?? known else { return nil }
        return Project(folder: folder, state: instance?.machine.state ?? .stopped)
    }

    /// All projects on disk and the states of their instances.
    package func projects() throws(ProjectCatalogue.ListingError) -> [Project] {
        try catalogue.folders().map { Project(folder: $0, state: instances[$0.name]?.machine.state ?? .stopped) }
    }

    /// Ends all instances, and starts no more.
    package func shutdown() async {
        isShuttingDown = true
        let active = instances.filter { $0.value.machine.isActive }.keys
        await withTaskGroup(of: Void.self) { group in
            for name in active { group.addTask { _ = await self.stop(name) } }
        }
    }

    // MARK: Events and actions

    private func handle(_ event: InstanceStateMachine.Event, of name: ProjectName) {
        guard var instance = instances[name] else { return }
        let actions = instance.machine.handle(event, nextGeneration: lastGeneration + 1)
        lastGeneration = max(lastGeneration, instance.machine.generation)
        instances[name] = instance
        for action in actions { perform(action, of: name) }
    }

    private func perform(_ action: InstanceStateMachine.Action, of name: ProjectName) {
        switch action {
        case .spawn(let generation): spawn(name, generation)
        case .probe(let generation, let port): check(name, generation, port)
        case .arm(let timer, let delay): arm(timer, delay, of: name)
        case .disarm(let timer): instances[name]?.timers[timer] = nil
        case .terminate: instances[name]?.process?.terminate()
        case .kill: instances[name]?.process?.kill()
        case .answerStarts(let answer):
            let waiting = instances[name]?.starts ?? []
            instances[name]?.starts = []
            for continuation in waiting { continuation.resume(returning: answer) }
        case .answerStops(let answer):
            let waiting = instances[name]?.stops ?? []
            instances[name]?.stops = []
            for continuation in waiting { continuation.resume(returning: answer) }
        case .publish: announce(name)
        }
    }

    private func spawn(_ name: ProjectName, _ generation: UInt64) {
        guard let folder = instances[name]?.folder else { return }
        let credentials = InstanceCredentials(password: RandomBytes.hex(16))
        do throws(LaunchError) {
            let launch = Launch(folder: folder, credentials: credentials)
            let process = try supervisor.start(launch) { [weak self] event in
                self?.assumeIsolated { $0.receive(event, from: generation, of: name) }
            }
            instances[name]?.process = process
            instances[name]?.credentials = credentials
            handle(.spawned(generation: generation), of: name)
        } catch {
            handle(.spawnFailed(generation: generation, reason: error.description), of: name)
        }
    }

    private func receive(_ event: SupervisedEvent, from generation: UInt64, of name: ProjectName) {
        switch event {
        case .announced(let port): handle(.announced(generation: generation, port: port), of: name)
        case .exited(let how, let tail):
            // The next process may be started while this event is handled.
            instances[name]?.process = nil
            instances[name]?.credentials = nil
            handle(.exited(generation: generation, how: how, tail: tail), of: name)
        }
    }

    private func check(_ name: ProjectName, _ generation: UInt64, _ port: UInt16) {
        guard let credentials = instances[name]?.credentials else { return }
        let probe = probe
        Task {
            let outcome = await probe(port, credentials)
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
        handle(.fired(timer, tail: instances[name]?.process?.tail ?? []), of: name)
    }

    /// Logs one instance's new state and publishes the routing table of all.
    private func announce(_ name: ProjectName) {
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
        publish(RoutingTable(instances.values.map(\.route)))
    }
}
