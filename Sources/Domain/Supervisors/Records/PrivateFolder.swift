// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The creation of directories that belong to the gateway's user and that no other user can access.
enum PrivateFolder {
    /// The reason why a directory cannot be used.
    enum Problem: Error, Equatable {
        /// A system call has failed. `verb` describes the call.
        case failed(verb: String, path: String, code: Int32)
        /// The path is not a directory of this user.
        case foreign
        /// Other users can access the directory.
        case accessible
    }

    /// Creates a directory and its missing parents with mode 0700. Throws an error if the directory belongs to another
    /// user or other users can access it. A symbolic link is not a directory.
    ///
    /// - Parameter folder: An absolute path.
    static func prepare(_ folder: String) throws(Problem) {
        var path = ""
        for part in folder.split(separator: "/") {
            path += "/\(part)"
            // XDG requires the mode 0700 for new directories.
            if mkdir(path, 0o700) != 0, errno != EEXIST, errno != EROFS || access(path, F_OK) != 0 {
                throw .failed(verb: "create", path: path, code: errno)
            }
        }
        var status = stat()
        guard lstat(folder, &status) == 0 else { throw .failed(verb: "examine", path: folder, code: errno) }
        guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid() else { throw .foreign }
        guard status.st_mode & 0o077 == 0 else { throw .accessible }
    }
}
