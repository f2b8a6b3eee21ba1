// SPDX-License-Identifier: Apache-2.0

package import Systemd

/// Explains errors from the service manager, and gives the commands that fix them.
package struct ManagerMessage: Sendable {
    /// The kind of manager: the user's manager or the system's manager.
    let scope: ManagerScope
    /// The name of the gateway's user.
    let user: String
    /// Whether the user has a runtime directory (`$XDG_RUNTIME_DIR`), which contains the manager's socket.
    let hasRuntimeFolder: Bool

    /// Creates the messages for the manager that `access` describes.
    package init(_ access: ManagerAccess) {
        self.init(scope: access.scope, user: access.user, hasRuntimeFolder: access.runtimeFolder != nil)
    }

    init(scope: ManagerScope, user: String, hasRuntimeFolder: Bool) {
        self.scope = scope
        self.user = user
        self.hasRuntimeFolder = hasRuntimeFolder
    }

    /// The `systemctl` command, with the option for this manager.
    var systemctl: String { scope == .user ? "systemctl --user" : "systemctl" }

    /// Returns a message with the reason why `unit` could not be started or stopped.
    func sentence(_ error: BusError, unit: String) -> String {
        switch error.kind {
        case .noSuchUnit:
            return
                "\(owner) has no unit \(UnitName.template)\(UnitName.suffix). Run deploy/install.sh to install the unit, then "
                + "`\(systemctl) daemon-reload`."
        case .badUnit:
            return "systemd cannot use \(unit): \(quoted(error)) Check the unit with `\(systemctl) cat '\(unit)'`."
        case .masked: return "\(unit) is masked. Run `\(systemctl) unmask '\(unit)'` to allow its start."
        case .accessDenied where scope == .system:
            return
                "the user \(user) may not manage system units. Add a polkit rule that allows the action "
                + "org.freedesktop.systemd1.manage-units, or use the user's service manager (--scope user)."
        // A user's manager grants all requests from its own user. If access is denied, the directory of the manager's
        // socket therefore belongs to another user or is being removed.
        case .accessDenied: return unreachable(error)
        case .shuttingDown: return "\(owner) is shutting down."
        case .unreachable, .noAnswer: return unreachable(error)
        case .other: return "\(owner) refuses the request: \(quoted(error))"
        }
    }

    /// Returns a message with the reason why the manager is unreachable.
    package func unreachable(_ error: BusError) -> String {
        switch (scope, error.kind) {
        case (.system, .accessDenied): return sentence(error, unit: "")
        case (.system, _):
            return
                "cannot reach the system's service manager: \(quoted(error)) Check that systemd runs on this machine."
        case (.user, _) where !hasRuntimeFolder:
            return
                "there is no service manager for \(user), because the variable XDG_RUNTIME_DIR is not set and "
                + "/run/user has no directory of this user. Run `sudo loginctl enable-linger \(user)` to start the service "
                + "manager at boot."
        case (.user, .accessDenied):
            return
                "cannot reach the service manager of \(user): \(quoted(error)) Set XDG_RUNTIME_DIR to the directory of this user, "
                + "as a login does. Run `sudo loginctl enable-linger \(user)` to start the service manager at boot."
        case (.user, .noAnswer): return "the service manager of \(user) does not respond: \(quoted(error))"
        case (.user, _):
            return
                "cannot reach the service manager of \(user): \(quoted(error)) Run `sudo loginctl enable-linger \(user)` to "
                + "start the service manager at boot."
        }
    }

    private var owner: String { scope == .user ? "the service manager of \(user)" : "the system's service manager" }

    private func quoted(_ error: BusError) -> String {
        let text = error.message.isEmpty ? error.name : error.message
        return text.hasSuffix(".") ? text : text + "."
    }
}
