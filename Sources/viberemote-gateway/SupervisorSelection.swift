import Logging
import Settings
internal import Supervisors
import Systemd

/// Decides who runs the instances, and says why.
struct SupervisorSelection: Sendable {
    /// Who does.
    let kind: Kind
    /// Why, as a sentence for the log.
    let reason: String

    /// The backends that there are.
    enum Kind: Sendable, Equatable { case process, systemd }

    /// What was found out about the service manager; the error's sentence where there is none.
    typealias Found = Result<ManagerProbe, ManagerAbsence>

    /// No service manager can be used; why, as a sentence.
    struct ManagerAbsence: Error {
        let reason: String
    }

    /// The choice for a setting; `find` is called only where it matters.
    init(_ choice: SupervisorChoice, _ scope: ManagerScope, find: () -> Found) {
        let owner = scope == .user ? "the user's service manager" : "the system's service manager"
        switch choice {
        case .process: (kind, reason) = (.process, "it was chosen (--supervisor process).")
        case .systemd: (kind, reason) = (.systemd, "it was chosen (--supervisor systemd), with \(owner).")
        case .auto:
            switch find() {
            case .success(let manager) where manager.hasTemplate:
                (kind, reason) = (
                    .systemd, "\(owner) answers (systemd \(manager.version)) and has \(Self.template)."
                )
            case .success(let manager):
                (kind, reason) = (
                    .process,
                    "\(owner) answers (systemd \(manager.version)) but has no \(Self.template): deploy/install.sh "
                        + "installs it, and instances then outlive the gateway."
                )
            case .failure(let absence): (kind, reason) = (.process, absence.reason)
            }
        }
    }

    static let template = UnitName.template + UnitName.suffix
}

extension SupervisorSelection {
    /// The choice on this machine; blocks for the time of a few answers over the bus.
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
    /// The setting's meaning.
    init(_ choice: ScopeChoice) { self = choice == .user ? .user : .system }
}
