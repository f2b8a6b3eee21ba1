// SPDX-License-Identifier: Apache-2.0

internal import Encodings
package import Logging
internal import OpenCodeFamilies
package import Projects
package import Systemd

/// Manages the instances of all projects: starts and stops them, and publishes the routes for requests. The registry
/// runs on the control loop.
package actor InstanceRegistry {
    /// The executor of the control loop.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let loop: SystemEventLoop
    /// The supervisors, at least one. The first supervisor is the default for projects without a configured supervisor.
    let supervisors: [any Supervisor]
    /// Returns the name of the supervisor that is configured for a project.
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
    /// The reasons why supervisors are unreachable, by the supervisors' names.
    var unavailable: [String: String] = [:]
    var end = End.none
    var opening = Opening()
    /// The number of the last response about an instance's OpenCode project.
    var lastProjectNumber: UInt64 = 0
    /// The projects that the loops currently use.
    var publishedProjects: [ProjectName: OpenCodeProject] = [:]
    /// The published directories of active instances.
    var publishedScopes: [ProjectName: DirectoryScope] = [:]
    /// The last events that earlier gateways recorded.
    var previousEvents: [ProjectName: InstanceEvent] = [:]
    /// The time at which the registry was created. An instance that was never requested counts as stopped since then.
    let made = WallClock.nanoseconds()

    /// Creates a registry without running instances.
    ///
    /// - Parameters:
    ///   - supervisors: At least one supervisor. The supervisors must have different names.
    ///   - chooseSupervisor: Returns the name of a project's supervisor. If no supervisor has this name, the first
    ///     supervisor is used.
    package init(
        loop: SystemEventLoop, catalogue: ProjectCatalogue, supervisors: [any Supervisor],
        chooseSupervisor: @escaping @Sendable (ProjectName) -> String? = { _ in nil }, limits: InstanceLimits,
        logger: Logger, links: Links
    ) {
        precondition(!supervisors.isEmpty, "there must be at least one supervisor")
        self.loop = loop
        self.catalogue = catalogue
        self.supervisors = supervisors
        self.chooseSupervisor = chooseSupervisor
        self.limits = limits
        self.logger = logger
        self.links = links
    }

    /// Starts a project's instance and waits until it is ready. Concurrent callers share the same start and result.
    ///
    /// - Parameter actor: The name of the key that requested the start.
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
            instances[name]?.historyTracker.starter = actor
            handle(.startRequested, of: name)
        }
    }

    /// Ends a project's instance, and waits until none of its processes remains.
    ///
    /// - Parameters:
    ///   - actor: The name of the key that requested the stop.
    ///   - reason: The reason for the stop, if no client requested it.
    package func stop(
        _ name: ProjectName, by actor: String? = nil, because reason: String? = nil
    ) async -> StopAnswer {
        guard let instance = instances[name], instance.machine.state != .stopped else {
            guard folder(named: name) != nil else { return .notFound }
            // While the supervisor is unreachable, the gateway does not know whether the instance runs. The stop
            // therefore fails.
            return unavailable(name).map { .failed(InstanceMessage.stopFailed($0)) } ?? .stopped
        }
        if let unavailable = unavailable(name), instance.machine.isActive {
            return .failed(InstanceMessage.stopFailed(unavailable))
        }
        return await withCheckedContinuation { continuation in
            instances[name]?.stops.append(continuation)
            instances[name]?.historyTracker.stopper = HistoryTracker.StopRequest(actor: actor, reason: reason)
            handle(.stopRequested, of: name)
        }
    }

    /// Returns a project and the report about its instance; nil if there is no such project.
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

    /// Returns all projects and the states of their instances from memory. A project whose folder was removed remains
    /// in the list while its instance runs.
    package func projects() throws(ProjectListingError) -> [Project] {
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
        // An inactive instance without a folder is not a project, so it has no route.
        let present = instances.filter { $0.value.machine.isActive || names?.contains($0.key) ?? true }
        publishedProjects = projectsToPublish()
        publishedScopes = scopes
        let routes = present.map { name, instance in instance.route(scopes[name], publishedProjects[name]) }
        links.publish(RoutingTable(routes, projects: names))
    }

    // MARK: Projects on disk

    /// Returns the folder from the catalogue, which runs on the same loop.
    private func folder(named name: ProjectName) -> ProjectFolder? {
        catalogue.assumeIsolated { $0.folder(named: name) }
    }

    private func listing() -> Result<(names: Set<ProjectName>, folders: [ProjectFolder]), ProjectListingError> {
        catalogue.assumeIsolated { catalogue in
            Result { () throws(ProjectListingError) in (catalogue.names ?? [], try catalogue.folders()) }
        }
    }

    /// Adds a project's instance, or updates its folder.
    func enter(_ folder: ProjectFolder) {
        guard instances[folder.name] == nil else {
            instances[folder.name]?.folder = folder
            if instances[folder.name]?.machine.isActive == false { assign(folder.name, to: named(by: folder.name)) }
            return
        }
        let supervisor = named(by: folder.name)
        instances[folder.name] = Instance(
            folder: folder,
            machine: InstanceStateMachine(limits: limits, logCommand: supervisor.logCommand(of: folder.name)),
            supervisor: supervisor, slot: instances.count, lastEvent: previousEvents[folder.name])
    }

    /// Adds an instance that runs although it was not requested. The project's folder may no longer exist.
    func enterFound(_ name: ProjectName) {
        guard instances[name] == nil else { return }
        enter(
            folder(named: name)
                ?? ProjectFolder(
                    name: name, path: catalogue.path + "/" + name.string, hasGit: false, hasPackageJSON: false))
    }

    private func report(on name: ProjectName) -> InstanceReport {
        guard let instance = instances[name] else {
            // While the supervisor is unreachable, the gateway does not know whether the instance runs. The report then
            // contains a warning.
            let stopped = previousEvents[name].flatMap { $0.kind == .stopped || $0.kind == .lost ? $0.time : nil }
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
            if instance.family == .two, run.credentials?.configuresOtherUser == true {
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
