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
