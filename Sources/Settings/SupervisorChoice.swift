/// Who starts and stops OpenCode instances.
package enum SupervisorChoice: String, Sendable, CaseIterable {
    /// The gateway itself, as its child processes.
    case process
    /// The user's or the system's systemd.
    case systemd
    /// Whatever this machine offers.
    case auto
}
