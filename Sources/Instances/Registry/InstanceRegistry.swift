package import Logging
package import OpenCode
package import Systemd

/// Every project's instance: starts and stops them, and publishes where requests go. Lives on the control loop.
package actor InstanceRegistry {
    /// Asks the server on this port of 127.0.0.1 for its health. It must answer in its own time limit.
    package typealias Probe = @Sendable (_ port: UInt16, _ credentials: InstanceCredentials?) async -> ProbeOutcome

    /// The control loop.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let loop: SystemEventLoop
    let supervisor: any Supervisor
    let logger: Logger
    let probe: Probe
    private let catalogue: ProjectCatalogue
    private let limits: InstanceLimits
    private let publish: @Sendable (RoutingTable) -> Void
    var instances: [ProjectName: Instance] = [:]
    var lastGeneration: UInt64 = 0
    var inbox = Inbox()
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

    /// Begins to hear from the supervisor. Call it once, before anything is started.
    package func open() async throws(LaunchError) { try await supervisor.open(self) }

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

    /// Ends all instances, and starts no more. Instances that outlive the gateway go on.
    package func shutdown() async {
        isShuttingDown = true
        guard !supervisor.outlivesGateway else { return }
        let active = instances.filter { $0.value.machine.isActive }.keys
        await withTaskGroup(of: Void.self) { group in
            for name in active { group.addTask { _ = await self.stop(name) } }
        }
    }

    /// Publishes the routing table of all instances.
    func publishRoutes() { publish(RoutingTable(instances.values.map(\.route))) }
}
