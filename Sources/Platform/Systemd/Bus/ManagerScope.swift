// SPDX-License-Identifier: Apache-2.0

/// The kind of service manager.
package enum ManagerScope: String, Sendable, CaseIterable {
    /// The manager of the user's own session (`systemctl --user`).
    case user
    /// The manager of the whole system.
    case system
}
