internal import Clocks
package import Logging
internal import OpenCode
package import Projects
package import Systemd

/// Every project's instance: starts and stops them, and publishes where requests go. Lives on the control loop.
package actor InstanceRegistry {
    /// The control loop.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let loop: SystemEventLoop
    /// Never empty; the first one is whose name no project names.
    let supervisors: [any Supervisor]
    /// The name of the supervisor that a project names.
    let chooseSupervisor: @Sendable (ProjectName) -> String?
    var listeners: [SupervisorListener] = []
    let logger: Logger
    let links: Links
    let limits: InstanceLimits
    let catalogue: ProjectCatalogue
    var instances: [ProjectName: Instance] = [:]
    var inbox = Inbox()
    var lastGeneration: UInt64 = 0
    var lastClaim: UInt64 = 0
    /// Why supervisors can't be reached, by their names.
    var unavailable: [String: String] = [:]
    var end = End.none
    var opening = Opening()
    /// The number of the last answer to which project an instance's folder is.
    var lastProjectNumber: UInt64 = 0
    /// What the loops go by.
    var publishedProjects: [ProjectName: OwnProject] = [:]
    /// The directories of active instances, as they were published.
    var publishedScopes: [ProjectName: DirectoryScope] = [:]
    /// The last events that earlier gateways have written down.
    var past: [ProjectName: InstanceEvent] = [:]
    /// When this registry was made: what was never asked for has been stopped since then, as far as anybody knows.
    let made = WallClock.nanoseconds()

    /// A registry without running instances. Of `supervisors`, which have different names and are at least one, each project
    /// has the one that `chooseSupervisor` names; where that is none of them, the first one.
    package init(
        loop: SystemEventLoop, catalogue: ProjectCatalogue, supervisors: [any Supervisor],
        chooseSupervisor: @escaping @Sendable (ProjectName) -> String? = { _ in nil }, limits: InstanceLimits,
        logger: Logger, links: Links
    ) {
        precondition(!supervisors.isEmpty, "instances need a supervisor")
        self.loop = loop
        self.catalogue = catalogue
        self.supervisors = supervisors
        self.chooseSupervisor = chooseSupervisor
        self.limits = limits
        self.logger = logger
        self.links = links
    }

    /// Makes a project's instance ready. All callers at one time share one start and get the same answer. `actor`: the name of
    /// the key with which it was asked for.
    package func start(_ name: ProjectName, by actor: String? = nil) async -> StartAnswer {
        if instances[name]?.machine.isActive != true {
            guard let folder = folder(named: name) else { return .notFound }
            enter(folder)
        }
        guard !refusesStarts(of: name) else { return Self.shuttingDown }
        if let unavailable = unavailable(name), instances[name]?.machine.state.address == nil {
            return .failed(InstanceMessage.startFailed(unavailable))
        }
        return await withCheckedContinuation { continuation in
            instances[name]?.starts.append(continuation)
            instances[name]?.notes.starter = actor
            handle(.startRequested, of: name)
        }
    }

    /// Ends a project's instance with all its processes; answers when nothing of it is left. `actor`: the name of the key with
    /// which that was asked for, `reason`: why it was, where nobody has asked.
    package func stop(
        _ name: ProjectName, by actor: String? = nil, because reason: String? = nil
    ) async -> StopAnswer {
        guard let instance = instances[name], instance.machine.state != .stopped else {
            guard folder(named: name) != nil else { return .notFound }
            // Nobody knows whether it runs.
            return unavailable(name).map { .failed(InstanceMessage.stopFailed($0)) } ?? .stopped
        }
        if let unavailable = unavailable(name), instance.machine.isActive {
            return .failed(InstanceMessage.stopFailed(unavailable))
        }
        return await withCheckedContinuation { continuation in
            instances[name]?.stops.append(continuation)
            instances[name]?.notes.stopper = EventNotes.Stopper(actor: actor, reason: reason)
            handle(.stopRequested, of: name)
        }
    }

    /// One project and all that is known of its instance; nil when there is no such project.
    package func status(_ name: ProjectName) -> ProjectStatus? {
        let instance = instances[name]
        let state = instance?.machine.state ?? .stopped
        if let folder = folder(named: name) {
            return ProjectStatus(project: Project(folder: folder, state: state), report: report(on: name))
        }
        guard let instance, instance.machine.isActive else { return nil }
        let project = Project(folder: instance.folder, state: state, isMissing: true)
        return ProjectStatus(project: project, report: report(on: name))
    }

    /// All projects and the states of their instances, from memory. A folder that has gone is in the list for as long as
    /// its instance runs.
    package func projects() throws(ProjectCatalogue.ListingError) -> [Project] {
        let (names, folders) = try listing().get()
        let missing = instances.values.filter { $0.machine.isActive && !names.contains($0.folder.name) }.map(\.folder)
        guard !missing.isEmpty else { return folders.map { project($0, isMissing: false) } }
        return (folders + missing).inListOrder().map { project($0, isMissing: !names.contains($0.name)) }
    }

    private func project(_ folder: ProjectFolder, isMissing: Bool) -> Project {
        Project(folder: folder, state: instances[folder.name]?.machine.state ?? .stopped, isMissing: isMissing)
    }

    /// Publishes the routing table of all instances and projects.
    func publishRoutes() {
        let active = Set(instances.lazy.filter { $0.value.machine.isActive }.map(\.key))
        let (names, scopes) = catalogue.assumeIsolated { catalogue in
            catalogue.followWorktrees(of: active)
            return (catalogue.names, active.reduce(into: [:]) { $0[$1] = catalogue.scope(of: $1) })
        }
        // What is left of an instance without a folder is no project.
        let present = instances.filter { $0.value.machine.isActive || names?.contains($0.key) ?? true }
        publishedProjects = projectsToPublish()
        publishedScopes = scopes
        let routes = present.map { name, instance in instance.route(scopes[name], publishedProjects[name]) }
        links.publish(RoutingTable(routes, projects: names))
    }

    // MARK: Projects on disk

    /// The catalogue lives on the same loop.
    private func folder(named name: ProjectName) -> ProjectFolder? {
        catalogue.assumeIsolated { $0.folder(named: name) }
    }

    private func listing() -> Result<(names: Set<ProjectName>, folders: [ProjectFolder]), ProjectCatalogue.ListingError>
    {
        catalogue.assumeIsolated { catalogue in
            Result { () throws(ProjectCatalogue.ListingError) in (catalogue.names ?? [], try catalogue.folders()) }
        }
    }

    /// Makes room for a project's instance, or notes how its folder is now.
    func enter(_ folder: ProjectFolder) {
        guard instances[folder.name] == nil else {
            instances[folder.name]?.folder = folder
            if instances[folder.name]?.machine.isActive == false { give(folder.name, to: named(by: folder.name)) }
            return
        }
        let supervisor = named(by: folder.name)
        instances[folder.name] = Instance(
            folder: folder,
            machine: InstanceStateMachine(limits: limits, logCommand: supervisor.logCommand(of: folder.name)),
            supervisor: supervisor, slot: instances.count, past: past[folder.name])
    }

    /// Makes room for an instance that runs although nobody has asked for it; its folder may be gone.
    func enterFound(_ name: ProjectName) {
        guard instances[name] == nil else { return }
        enter(
            folder(named: name)
                ?? ProjectFolder(
                    name: name, path: catalogue.path + "/" + name.string, hasGit: false, hasPackageJSON: false))
    }

    private func report(on name: ProjectName) -> InstanceReport {
        guard let instance = instances[name] else {
            // Nobody knows whether it runs while the supervisor can't be reached.
            let stopped = past[name].flatMap { $0.kind == .stopped || $0.kind == .lost ? $0.time : nil }
            return InstanceReport(
                state: InstanceState.stopped.name, since: stopped ?? made, restarts: 0,
                warnings: unavailable(name).map { [$0] } ?? [])
        }
        return InstanceReport(
            state: instance.machine.state.name, since: instance.since,
            processIdentifier: instance.run?.processIdentifier, restarts: instance.machine.restarts,
            version: instance.run == nil ? nil : instance.machine.version,
            family: instance.run == nil ? nil : instance.family, lastError: instance.machine.lastError,
            warnings: warnings(on: instance))
    }

    private func warnings(on instance: Instance) -> [String] {
        var warnings = sharingWarnings(on: instance.folder.name)
        if let run = instance.run {
            if instance.enforcesPassword == false { warnings.append(InstanceMessage.passwordNotEnforced) }
            if instance.family == .two, let username = run.credentials?.username,
                username != InstanceCredentials.defaultUsername
            {
                warnings.append(InstanceMessage.usernameIgnored)
            }
            warnings += instance.setup.warnings
            if let warning = replacedFolder(of: instance) { warnings.append(warning) }
            if let warning = instance.portWarning { warnings.append(warning) }
            if let digest = run.environmentDigest, let current = links.environmentDigest(instance.folder.name),
                digest != current
            {
                warnings.append(InstanceMessage.olderEnvironment)
            }
        }
        if let unavailable = unavailable(instance.folder.name) { warnings.append(unavailable) }
        return warnings
    }
}
