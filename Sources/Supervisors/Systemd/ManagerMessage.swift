// SPDX-License-Identifier: Apache-2.0

package import Systemd

/// Explains errors of the service manager and the commands that fix them.
package struct ManagerMessage: Sendable {
    /// The kind of manager: the user's or the system's.
    let scope: ManagerScope
    /// The name of the gateway's user.
    let user: String
    /// Whether the user has a directory for sockets (`$XDG_RUNTIME_DIR`).
    let hasRuntimeFolder: Bool

    /// Creates messages for errors of the manager that `access` describes.
    package init(_ access: ManagerAccess) {
        self.init(scope: access.scope, user: access.user, hasRuntimeFolder: access.runtimeFolder != nil)
    }

    init(scope: ManagerScope, user: String, hasRuntimeFolder: Bool) {
        self.scope = scope
        self.user = user
        self.hasRuntimeFolder = hasRuntimeFolder
    }

    /// The `systemctl` command with the option for this manager.
    var systemctl: String { scope == .user ? "systemctl --user" : "systemctl" }

    /// Returns the reason why `unit` could not be started or stopped, as a sentence.
    func sentence(_ error: BusError, unit: String) -> String {
        switch error.kind {
        case .noSuchUnit:
            return
                "\(owner) has no unit \(UnitName.template)\(UnitName.suffix): install it (deploy/install.sh), then "
                + "`\(systemctl) daemon-reload`."
        case .badUnit:
            return "systemd can't use \(unit): \(said(error)) Check it with `\(systemctl) cat '\(unit)'`."
        case .masked: return "\(unit) is masked: `\(systemctl) unmask '\(unit)'` allows it again."
        case .accessDenied where scope == .system:
            return
                "the user \(user) may not manage units of the system: let polkit allow it (action "
                + "org.freedesktop.systemd1.manage-units), or use the user's own manager (--scope user)."
        // The manager denies nothing to its own user, so the directory of its socket belongs to another user or is
        // being removed.
        case .accessDenied: return unreachable(error)
        case .shuttingDown: return "\(owner) is shutting down."
        case .unreachable, .noAnswer: return unreachable(error)
        case .other: return "\(owner) refuses it: \(said(error))"
        }
    }

    /// Returns the reason why the manager is unreachable, as a sentence.
    package func unreachable(_ error: BusError) -> String {
        switch (scope, error.kind) {
        case (.system, .accessDenied): return sentence(error, unit: "")
        case (.system, _): return "the system's service manager can't be reached: \(said(error)) Does systemd run here?"
        case (.user, _) where !hasRuntimeFolder:
            return
                "there is no service manager for \(user), because the variable XDG_RUNTIME_DIR is not set and "
                + "/run/user has no folder of this user: `sudo loginctl enable-linger \(user)` starts one at boot and "
                + "keeps it."
        case (.user, .accessDenied):
            return
                "the service manager of \(user) can't be reached: \(said(error)) XDG_RUNTIME_DIR must be a folder of this "
                + "user, as a login sets it. `sudo loginctl enable-linger \(user)` starts the manager at boot and keeps it "
                + "when nobody is logged in."
        case (.user, .noAnswer): return "the service manager of \(user) does not answer: \(said(error))"
        case (.user, _):
            return
                "the service manager of \(user) can't be reached: \(said(error)) `sudo loginctl enable-linger \(user)` "
                + "starts it at boot and keeps it when nobody is logged in."
        }
    }

    private var owner: String { scope == .user ? "the service manager of \(user)" : "the system's service manager" }

    private func said(_ error: BusError) -> String {
        let text = error.message.isEmpty ? error.name : error.message
        return text.hasSuffix(".") ? text : text + "."
    }
}
