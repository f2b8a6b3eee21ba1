// SPDX-License-Identifier: Apache-2.0

/// The supervisor that starts and stops OpenCode instances.
package enum SupervisorChoice: String, Sendable, CaseIterable {
    /// The gateway itself, as its child processes.
    case process
    /// The user's or the system's systemd.
    case systemd
    /// systemd where its manager responds and has the template of the units, else the gateway itself.
    case auto
}

/// The owner of the instances' units, where systemd runs them.
package enum ScopeChoice: String, Sendable, CaseIterable {
    /// The user's own service manager.
    case user
    /// The service manager of the system.
    case system
}
