internal import Glibc

/// How this process reaches a service manager.
package struct ManagerAccess: Sendable {
    /// Whose manager.
    package let scope: ManagerScope
    /// Where it may listen, the best address first.
    package let addresses: [BusAddress]
    /// This process's user, by name where it has one.
    package let user: String
    /// The user's folder for sockets (`$XDG_RUNTIME_DIR`, else `/run/user/UID` if that is there); nil without one.
    package let runtimeFolder: String?

    /// Finds out what there is; `environment` is the process's own.
    package init(_ scope: ManagerScope, environment: [String: String]) {
        self.scope = scope
        let identifier = geteuid()
        user = getpwuid(identifier).map { String(cString: $0.pointee.pw_name) } ?? "\(identifier)"
        let standard = "/run/user/\(identifier)"
        if let set = environment["XDG_RUNTIME_DIR"], set.hasPrefix("/") {
            runtimeFolder = set
        } else {
            runtimeFolder = access(standard, X_OK) == 0 ? standard : nil
        }
        addresses = BusAddress.of(
            scope, environment: environment, user: identifier, runtimeFolder: runtimeFolder)
    }
}

/// Whose service manager.
package enum ManagerScope: String, Sendable, CaseIterable {
    /// The user's own (`systemctl --user`).
    case user
    /// The system's.
    case system
}
