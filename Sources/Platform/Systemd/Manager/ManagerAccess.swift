// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The information that this process needs to connect to a service manager.
package struct ManagerAccess: Sendable {
    /// The kind of manager: the user's or the system's.
    package let scope: ManagerScope
    /// The possible addresses of the manager in order of preference.
    package let addresses: [BusAddress]
    /// The name of this process's user, or the user's number if there is no name.
    package let user: String
    /// The user's directory for sockets: `$XDG_RUNTIME_DIR`, otherwise `/run/user/UID` if this process can use that
    /// directory; nil if there is neither.
    package let runtimeFolder: String?

    /// Determines the information from this process's user and the given environment.
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
