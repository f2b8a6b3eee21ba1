// SPDX-License-Identifier: Apache-2.0

import Logging
import Settings
internal import Supervisors
import Systemd

/// The selected supervisor of the instances, with the reason for the selection.
struct SupervisorSelection: Sendable {
    /// The selected kind of supervisor.
    let kind: Kind
    /// The reason, as a message for the log.
    let reason: String

    /// The available kinds of supervisors.
    enum Kind: Sendable, Equatable { case process, systemd }

    /// The service manager that was found, or the error if there is none.
    typealias Found = Result<ManagerProbe, ManagerAbsence>

    /// The error for an unusable service manager, with the reason as a message.
    struct ManagerAbsence: Error {
        let reason: String
    }

    /// Creates the selection for a setting.
    ///
    /// - Parameter find: Called only if its result affects the selection.
    init(_ choice: SupervisorChoice, _ scope: ManagerScope, find: () -> Found) {
        let owner = scope == .user ? "the user's service manager" : "the system's service manager"
        switch choice {
        case .process:
            kind = .process
            reason = "--supervisor is process."
        case .systemd:
            kind = .systemd
            reason = "--supervisor is systemd, and the units belong to \(owner)."
        case .auto:
            switch find() {
            case .success(let manager) where manager.hasTemplate:
                kind = .systemd
                reason = "\(owner) responds (systemd \(manager.version)) and has the unit \(Self.template)."
            case .success(let manager):
                kind = .process
                reason =
                    "\(owner) responds (systemd \(manager.version)) but has no unit \(Self.template). Run "
                    + "deploy/install.sh to install the unit, so that instances outlive the gateway."
            case .failure(let absence):
                kind = .process
                reason = absence.reason
            }
        }
    }

    static let template = UnitName.template + UnitName.suffix
}

extension SupervisorSelection {
    /// Creates the selection for this machine. The call may block until the service manager has responded over the bus.
    init(_ configuration: Configuration, _ access: ManagerAccess) {
        self.init(configuration.supervisor, access.scope) {
            do throws(BusError) {
                return .success(try ManagerProbe(access, template: Self.template))
            } catch {
                return .failure(ManagerAbsence(reason: ManagerMessage(access).unreachable(error)))
            }
        }
    }
}

extension ManagerScope {
    /// Creates the scope that the setting names.
    init(_ choice: ScopeChoice) { self = choice == .user ? .user : .system }
}
