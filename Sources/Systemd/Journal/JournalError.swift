// SPDX-License-Identifier: Apache-2.0

/// The reason why the journal cannot be read.
package enum JournalError: Error, Equatable, CustomStringConvertible {
    /// Journal files exist, but this user may read none of them.
    case notPermitted(folder: String)
    /// This machine has no journal.
    case missing
    /// A call into libsystemd failed.
    case failed(SystemdError)

    /// One sentence that includes the fix.
    package var description: String {
        switch self {
        case .notPermitted(let folder):
            """
            the journal in \(folder) can't be read by this user: add the user to the group systemd-journal \
            (`sudo usermod -aG systemd-journal $USER`, then restart the user's manager), or have it kept on disk, where \
            each user can read their own (`sudo mkdir -p /var/log/journal && sudo systemctl restart systemd-journald`).
            """
        case .missing: "there is no journal on this machine: check that systemd-journald runs."
        case .failed(let error): "the journal can't be read: \(error)."
        }
    }
}
