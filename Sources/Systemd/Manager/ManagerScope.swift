/// Whose service manager.
package enum ManagerScope: String, Sendable, CaseIterable {
    /// The user's own (`systemctl --user`).
    case user
    /// The system's.
    case system
}
