// SPDX-License-Identifier: Apache-2.0

/// The worktrees of a project's git repository (gitrepository-layout(5)).
package struct Repository: Sendable, Equatable {
    /// A worktree in another folder that refers back to the repository.
    package struct Worktree: Sendable, Equatable {
        /// The absolute path of the worktree's folder, as git stores it.
        package let path: String
        /// The worktree's path with all symbolic links resolved.
        package let resolvedPath: String

        /// Creates a worktree with the given paths.
        package init(path: String, resolvedPath: String) {
            self.path = path
            self.resolvedPath = resolvedPath
        }
    }

    /// The git directory that all worktrees share: the project's `.git`, or the directory to which `.git` refers.
    package let path: String
    /// The shared directory's path with all symbolic links resolved.
    package let resolvedPath: String
    /// The names of git's directories in `worktrees`, one for each worktree.
    package let entries: [String]
    /// The worktrees whose folders exist.
    package let worktrees: [Worktree]
    /// Whether the repository has more entries than were read.
    package let isCut: Bool
    /// The stamps of the directories whose change may add a worktree, by their paths. Each stamp is taken before its
    /// directory is read. There is a stamp for the parent directory of ``entries``, and for each entry that is
    /// incomplete or whose worktree does not exist.
    package let stamps: [String: FolderStamp]

    /// Creates a repository with the given values.
    package init(
        path: String, resolvedPath: String, entries: [String], worktrees: [Worktree], isCut: Bool = false,
        stamps: [String: FolderStamp] = [:]
    ) {
        self.path = path
        self.resolvedPath = resolvedPath
        self.entries = entries
        self.worktrees = worktrees
        self.isCut = isCut
        self.stamps = stamps
    }

    /// The path of the directory of ``entries``.
    var list: String { "\(path)/worktrees" }
}
