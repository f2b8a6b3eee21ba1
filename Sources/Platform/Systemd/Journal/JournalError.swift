// SPDX-License-Identifier: Apache-2.0

/// The reason why the journal cannot be read.
package enum JournalError: Error, Equatable, CustomStringConvertible {
    /// Journal files exist, but this user may read none of them.
    case notPermitted(folder: String)
    /// This machine has no journal.
    case missing
    /// A call into libsystemd failed.
    case failed(SystemdError)

    /// A message that includes the fix.
    package var description: String {
        switch self {
        case .notPermitted(let folder):
            """
            this user cannot read the journal in \(folder). Add the user to the group systemd-journal \
            (`sudo usermod -aG systemd-journal $USER`, then restart the user's service manager), or store the journal on \
            disk, where users can read their own entries \
            (`sudo mkdir -p /var/log/journal && sudo systemctl restart systemd-journald`).
            """
        case .missing: "this machine has no journal. Check that systemd-journald runs."
        case .failed(let error): "the gateway cannot read the journal: \(error)."
        }
    }
}
