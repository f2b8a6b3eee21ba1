// SPDX-License-Identifier: Apache-2.0

internal import Logging
internal import Projects

/// Assigns supervisors to projects. The configuration names a supervisor for each project. A running server belongs to
/// the supervisor that found it.
extension InstanceRegistry {
    /// Returns the supervisor that runs the project's server, or would start it.
    func supervisor(of name: ProjectName) -> any Supervisor { instances[name]?.supervisor ?? named(by: name) }

    /// Returns the supervisor that is configured for the project.
    func named(by name: ProjectName) -> any Supervisor {
        let wanted = chooseSupervisor(name)
        return supervisors.first { $0.name == wanted } ?? supervisors[0]
    }

    /// Returns the reason why the project's supervisor is unreachable; nil if it is reachable.
    func unavailable(_ name: ProjectName) -> String? { unavailable[supervisor(of: name).name] }

    /// Opens all supervisors, one after the other.
    func openSupervisors() async throws(LaunchError) {
        for supervisor in supervisors {
            let listener = SupervisorListener(self, supervisor.name)
            listeners.append(listener)
            try await supervisor.open(listener)
        }
    }

    /// Returns whether an event from this supervisor applies to the project. A project without a server accepts a
    /// server from any supervisor. A project with a server rejects a second server from another supervisor. The other
    /// supervisor remains responsible for the second server.
    func accepts(_ event: SupervisedEvent, of name: ProjectName, from teller: String) -> Bool {
        guard case .launched(let run) = event else { return instances[name]?.supervisor.name ?? teller == teller }
        enterFound(name)
        guard let instance = instances[name], instance.supervisor.name != teller else { return true }
        guard !instance.machine.isActive, let supervisor = supervisors.first(where: { $0.name == teller }) else {
            logger.error(
                "two supervisors run a server of the same project: only the first one is used",
                LogField("project", name.string), LogField("used", instance.supervisor.name),
                LogField("other", teller), LogField("run", run.id))
            return false
        }
        assign(name, to: supervisor)
        return true
    }

    /// Makes this supervisor responsible for the project's server.
    func assign(_ name: ProjectName, to supervisor: any Supervisor) {
        instances[name]?.supervisor = supervisor
        instances[name]?.machine.logCommand = supervisor.logCommand(of: name)
    }

    /// Records that a supervisor has become unreachable or reachable.
    fileprivate func supervisorChanged(_ supervisor: String, unavailable reason: String?) {
        unavailable[supervisor] = reason
        let supervisor = LogField("supervisor", supervisor)
        if let reason {
            logger.error("cannot supervise instances", supervisor, LogField("reason", reason))
        } else {
            logger.notice("instances are supervised again", supervisor)
        }
    }
}

/// Receives the events of one supervisor.
final class SupervisorListener: SupervisorObserver {
    private weak let registry: InstanceRegistry?
    private let supervisor: String

    init(_ registry: InstanceRegistry, _ supervisor: String) {
        self.registry = registry
        self.supervisor = supervisor
    }

    func supervised(_ project: ProjectName, _ event: SupervisedEvent) {
        registry?.assumeIsolated { $0.process(.supervised(event), of: project, from: supervisor) }
    }

    func supervisorChanged(unavailable reason: String?) {
        registry?.assumeIsolated { $0.supervisorChanged(supervisor, unavailable: reason) }
    }
}

/// Detects folders that were replaced while their server was running. The server continues to work in the old folder.
extension InstanceRegistry {
    /// Handles a change of the list of projects.
    func projectsChanged() {
        for name in instances.keys { warnOfReplacedFolder(name) }
        publishRoutes()
    }

    /// Returns the warning for `status` if the instance's server works in a folder other than the project's current
    /// folder.
    func replacedFolder(of instance: Instance) -> String? {
        guard let run = instance.run, let folder = run.folder,
            let present = catalogue.assumeIsolated({ $0.identity(of: instance.folder.name) }), present != folder
        else { return nil }
        let working = instance.supervisor.workingFolder(of: instance.folder.name)
        // The server may have changed its working directory itself. Show the path only if it leads to the folder in
        // which the server was started.
        return InstanceMessage.replacedFolder(working.flatMap { $0.identity == folder ? $0.path : nil })
    }

    private func warnOfReplacedFolder(_ name: ProjectName) {
        guard let instance = instances[name], !instance.hasWarnedOfFolder, let sentence = replacedFolder(of: instance)
        else {
            return
        }
        instances[name]?.hasWarnedOfFolder = true
        logger.warning(
            "the instance needs a restart", LogField("project", name.string), LogField("reason", sentence))
    }
}
