// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The check whether the home directory, which contains the projects, is usable.
enum ProjectFolderCheck {
    /// Throws an error if there is no directory at `path`. Without this check, every request would fail later.
    static func require(_ path: String) throws(ProjectFolderError) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw ProjectFolderError(
                "Cannot read the home directory \(path) (--home, HOME_DIR): \(String(cString: strerror(errno))). Set --home "
                    + "to the directory that contains the projects.")
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw ProjectFolderError(
                "\(path) (--home, HOME_DIR) is not a directory. Set --home to the directory that contains the projects."
            )
        }
    }
}

/// The error for a home directory that is missing or is not a directory.
struct ProjectFolderError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
