// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The directories of journald's files (systemd-journald.service(8), "Files").
enum JournalFolders {
    private static let roots = ["/var/log/journal", "/run/log/journal"]

    /// Returns the reason why no journal file could be opened.
    static func whyNothingIsReadable() -> JournalError {
        for root in roots {
            guard let machines = FolderEntries.names(in: root, includesHidden: false) else {
                if errno == EACCES { return .notPermitted(folder: root) }
                continue
            }
            for machine in machines {
                let folder = "\(root)/\(machine)"
                guard let files = FolderEntries.names(in: folder, includesHidden: false) else {
                    if errno == EACCES { return .notPermitted(folder: folder) }
                    continue
                }
                if files.contains(where: { $0.hasSuffix(".journal") }) { return .notPermitted(folder: folder) }
            }
        }
        return .missing
    }
}
