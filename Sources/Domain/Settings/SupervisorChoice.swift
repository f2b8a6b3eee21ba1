// SPDX-License-Identifier: Apache-2.0

/// The supervisor that starts and stops OpenCode instances.
package enum SupervisorChoice: String, Sendable, CaseIterable {
    /// The gateway itself runs instances as its child processes.
    case process
    /// The user's or the system's systemd runs instances.
    case systemd
    /// systemd, if the service manager responds and has the template unit; otherwise the gateway itself.
    case auto
}

/// The service manager that owns the instances' units, if systemd runs them.
package enum ScopeChoice: String, Sendable, CaseIterable {
    /// The user's own service manager.
    case user
    /// The service manager of the whole system.
    case system
}
