// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The check whether the folder of the projects is usable.
enum ProjectFolderCheck {
    /// Throws a sentence where there is no folder at `path`: every request would fail later.
    static func require(_ path: String) throws(ProjectFolderError) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw ProjectFolderError(
                "The projects' folder \(path) (--home, HOME_DIR) can't be read: \(String(cString: strerror(errno))).")
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw ProjectFolderError(
                "\(path) (--home, HOME_DIR) is no folder. Name the folder that holds the projects.")
        }
    }
}

/// The error that the projects' folder is missing or is no folder.
struct ProjectFolderError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
