internal import Logging
internal import Projects

/// Who runs whose server. Each project names its supervisor; what runs already is its supervisor's that has found it.
extension InstanceRegistry {
    /// Who runs the project's server, or would start it.
    func supervisor(of name: ProjectName) -> any Supervisor { instances[name]?.supervisor ?? named(by: name) }

    /// The supervisor that the project names.
    func named(by name: ProjectName) -> any Supervisor {
        let wanted = chooseSupervisor(name)
        return supervisors.first { $0.name == wanted } ?? supervisors[0]
    }

    /// Why the project's supervisor can't be reached; nil when it can.
    func unavailable(_ name: ProjectName) -> String? { unavailable[supervisor(of: name).name] }

    /// Begins to hear from all of them, one after the other.
    func openSupervisors() async throws(LaunchError) {
        for supervisor in supervisors {
            let listener = SupervisorListener(self, supervisor.name)
            listeners.append(listener)
            try await supervisor.open(listener)
        }
    }

    /// Whether what this supervisor tells of the project counts. Of one that runs nothing any server is welcome; a second
    /// server of one that runs is its own supervisor's to end.
    func accepts(_ event: SupervisedEvent, of name: ProjectName, from teller: String) -> Bool {
        guard case .launched(let run) = event else { return instances[name]?.supervisor.name ?? teller == teller }
        enterFound(name)
        guard let instance = instances[name], instance.supervisor.name != teller else { return true }
        guard !instance.machine.isActive, let supervisor = supervisors.first(where: { $0.name == teller }) else {
            logger.error(
                "Two supervisors run a server of one project: only the first one's is used",
                LogField("project", name.string), LogField("used", instance.supervisor.name),
                LogField("other", teller), LogField("run", run.id))
            return false
        }
        give(name, to: supervisor)
        return true
    }

    /// From now on this supervisor has the say of the project's server.
    func give(_ name: ProjectName, to supervisor: any Supervisor) {
        instances[name]?.supervisor = supervisor
        instances[name]?.machine.logCommand = supervisor.logCommand(of: name)
    }

    /// A supervisor can't be reached, or can again.
    fileprivate func supervisorChanged(_ supervisor: String, unavailable reason: String?) {
        unavailable[supervisor] = reason
        let supervisor = LogField("supervisor", supervisor)
        if let reason {
            logger.error("Instances can't be supervised: \(reason)", supervisor)
        } else {
            logger.notice("Instances are supervised again", supervisor)
        }
    }
}

/// Hears of one supervisor's servers.
final class SupervisorListener: SupervisorObserver {
    private weak let registry: InstanceRegistry?
    private let supervisor: String

    init(_ registry: InstanceRegistry, _ supervisor: String) {
        self.registry = registry
        self.supervisor = supervisor
    }

    func supervised(_ project: ProjectName, _ event: SupervisedEvent) {
        registry?.assumeIsolated { $0.take(.supervised(event), of: project, from: supervisor) }
    }

    func supervisorChanged(unavailable reason: String?) {
        registry?.assumeIsolated { $0.supervisorChanged(supervisor, unavailable: reason) }
    }
}

/// Folders that were replaced while their server runs: that goes on in the old one.
extension InstanceRegistry {
    /// The list of projects is another one.
    func projectsChanged() {
        for name in instances.keys { warnOfReplacedFolder(name) }
        publishRoutes()
    }

    /// What status says of an instance whose server works in another folder than its project's.
    func replacedFolder(of instance: Instance) -> String? {
        guard let run = instance.run, let folder = run.folder,
            let present = catalogue.assumeIsolated({ $0.identity(of: instance.folder.name) }), present != folder
        else { return nil }
        let working = instance.supervisor.workingFolder(of: instance.folder.name)
        // A server may have gone elsewhere by itself.
        return InstanceMessage.replacedFolder(working.flatMap { $0.identity == folder ? $0.path : nil })
    }

    private func warnOfReplacedFolder(_ name: ProjectName) {
        guard let instance = instances[name], !instance.hasWarnedOfFolder, let sentence = replacedFolder(of: instance)
        else {
            return
        }
        instances[name]?.hasWarnedOfFolder = true
        logger.warning("An instance needs a restart: \(sentence)", LogField("project", name.string))
    }
}
