// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Logging
internal import Projects
internal import Systemd

/// The supervisor's calls to the service manager.
extension SystemdSupervisor {
    /// Sends the call for an action, and passes the result to the unit's state machine.
    func call(_ action: UnitStateMachine.Action, on unit: UnitName, of project: ProjectName) {
        guard let manager, connection.unavailable == nil else {
            return refused(
                action,
                reason: connection.unavailable
                    ?? "the gateway is not connected to the service manager yet. Try again in a moment.", of: project)
        }
        let name = unit.string
        switch action {
        case .start: manager.start(name) { [weak self] in self?.answered(action, with: $0, on: unit, of: project) }
        case .restart: manager.restart(name) { [weak self] in self?.answered(action, with: $0, on: unit, of: project) }
        case .stop: manager.stop(name) { [weak self] in self?.answered(action, with: $0, on: unit, of: project) }
        case .kill:
            manager.kill(name, signal: SIGKILL) { [weak self] in
                self?.answered(action, with: $0.map { "" }, on: unit, of: project)
            }
        case .resetFailed:
            manager.resetFailed(name) { [weak self] in
                self?.answered(action, with: $0.map { "" }, on: unit, of: project)
            }
        default: break
        }
    }

    private nonisolated func answered(
        _ action: UnitStateMachine.Action, with answer: Result<String, BusError>, on unit: UnitName,
        of project: ProjectName
    ) {
        assumeIsolated { supervisor in
            switch (action, answer) {
            case (.start, .success(let job)), (.restart, .success(let job)):
                supervisor.handle(.startAccepted(job: job), of: project)
            case (.stop, .success(let job)): supervisor.handle(.stopAccepted(job: job), of: project)
            case (_, .success): break
            // If the unit is not loaded, there is nothing to stop, kill or reset.
            case (.stop, .failure(let error)) where error.kind == .noSuchUnit:
                supervisor.handle(.stopRefused, of: project)
            case (.kill, .failure(let error)) where error.kind == .noSuchUnit: break
            case (.resetFailed, .failure(let error)) where error.kind == .noSuchUnit: break
            case (_, .failure(let error)):
                supervisor.refused(action, reason: supervisor.messages.sentence(error, unit: unit.string), of: project)
            }
        }
    }

    private func refused(_ action: UnitStateMachine.Action, reason: String, of project: ProjectName) {
        switch action {
        case .start, .restart: handle(.startRefused(reason), of: project)
        case .stop, .kill: handle(.stopDenied(reason), of: project)
        default: logger.error("cannot reset a unit", LogField("project", project.string), LogField("reason", reason))
        }
    }
}
