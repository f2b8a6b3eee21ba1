internal import CLinux

/// Which other processes may look into this one.
package enum ProcessTracing {
    /// Denies other processes of the same user to trace this process and to read its memory and descriptors (ptrace(2)).
    ///
    /// An agent runs as the gateway's user. Without this it could take the gateway's keys out of its memory, and read through the
    /// gateway what only the gateway's service may, such as the system's journal.
    ///
    /// - Returns: Whether the kernel accepted it.
    package static func deny() -> Bool { clinux_deny_tracing() == 0 }
}
