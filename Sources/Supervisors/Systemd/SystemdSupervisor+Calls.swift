// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Logging
internal import Projects
internal import Systemd

/// The calls to the manager.
extension SystemdSupervisor {
    /// Sends the call for an action. The result is passed to the unit's state machine.
    func call(_ action: UnitStateMachine.Action, _ unit: UnitName, _ project: ProjectName) {
        guard let manager, connection.unavailable == nil else {
            return refused(action, connection.unavailable ?? "the service manager is not connected yet.", project)
        }
        let name = unit.string
        switch action {
        case .start: manager.start(name) { [weak self] in self?.answered(action, $0, unit, project) }
        case .restart: manager.restart(name) { [weak self] in self?.answered(action, $0, unit, project) }
        case .stop: manager.stop(name) { [weak self] in self?.answered(action, $0, unit, project) }
        case .kill:
            manager.kill(name, signal: SIGKILL) { [weak self] in
                self?.answered(action, $0.map { "" }, unit, project)
            }
        case .resetFailed:
            manager.resetFailed(name) { [weak self] in self?.answered(action, $0.map { "" }, unit, project) }
        default: break
        }
    }

    private nonisolated func answered(
        _ action: UnitStateMachine.Action, _ answer: Result<String, BusError>, _ unit: UnitName, _ project: ProjectName
    ) {
        assumeIsolated { supervisor in
            switch (action, answer) {
            case (.start, .success(let job)), (.restart, .success(let job)):
                supervisor.handle(.startAccepted(job: job), of: project)
            case (.stop, .success(let job)): supervisor.handle(.stopAccepted(job: job), of: project)
            case (_, .success): break
            // The unit is not loaded, so there is nothing to stop, kill or reset.
            case (.stop, .failure(let error)) where error.kind == .noSuchUnit:
                supervisor.handle(.stopRefused, of: project)
            case (.kill, .failure(let error)) where error.kind == .noSuchUnit: break
            case (.resetFailed, .failure(let error)) where error.kind == .noSuchUnit: break
            case (_, .failure(let error)):
                supervisor.refused(action, supervisor.messages.sentence(error, unit: unit.string), project)
            }
        }
    }

    private func refused(_ action: UnitStateMachine.Action, _ reason: String, _ project: ProjectName) {
        switch action {
        case .start, .restart: handle(.startRefused(reason), of: project)
        case .stop, .kill: handle(.stopDenied(reason), of: project)
        default: logger.error("The unit can't be reset: \(reason)", LogField("project", project.string))
        }
    }
}
