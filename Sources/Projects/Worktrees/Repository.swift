/// A project's git repository, as far as its worktrees go (gitrepository-layout(5)).
package struct Repository: Sendable, Equatable {
    /// A worktree elsewhere that points back at the repository.
    package struct Worktree: Sendable, Equatable {
        /// Its folder's absolute path as git has it.
        package let path: String
        /// The same with all symbolic links followed.
        package let resolvedPath: String

        /// A worktree in that folder.
        package init(path: String, resolvedPath: String) {
            self.path = path
            self.resolvedPath = resolvedPath
        }
    }

    /// The folder that all worktrees share: the project's `.git`, or where that leads.
    package let path: String
    /// The same with all symbolic links followed.
    package let resolvedPath: String
    /// What git keeps of each worktree: folders below `worktrees`, by their names.
    package let entries: [String]
    /// The worktrees that are there.
    package let worktrees: [Worktree]
    /// Whether there are more entries than are read.
    package let isCut: Bool
    /// Folders that tell of another worktree when they change, by their paths, as they were before they were read:
    /// that of ``entries``, and entries of which git has not written everything, or whose worktree is gone.
    package let stamps: [String: FolderStamp]

    /// A repository of these parts.
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

    /// The folder of ``entries``.
    var list: String { "\(path)/worktrees" }
}
