// SPDX-License-Identifier: Apache-2.0

internal import CLinux

/// The protection of this process against inspection by other processes.
package enum ProcessTracing {
    /// Prevents other processes of the same user from tracing this process and from reading its memory and descriptors
    /// (ptrace(2)).
    ///
    /// An agent runs as the gateway's user. Without this protection, the agent could extract the gateway's keys from
    /// its memory. The agent could also read data through the gateway that only the gateway's service may read, such as
    /// the system's journal.
    ///
    /// - Returns: Whether the kernel accepted the protection.
    package static func deny() -> Bool { clinux_deny_tracing() == 0 }
}
