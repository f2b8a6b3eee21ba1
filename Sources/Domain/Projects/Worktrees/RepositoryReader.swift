// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import OpenCodeFamilies
internal import Systemd

/// Reads a project's repository from disk: a few small files for each worktree, up to a maximum number of worktrees.
package protocol RepositoryReader: Sendable {
    /// Returns the repository of the project whose folder has this absolute path; nil if the project has no repository.
    func repository(of folder: String) -> Repository?
}

/// Reads repositories from the file system.
package struct DiskRepositoryReader: RepositoryReader {
    /// The maximum number of worktrees that are read for one project.
    package static let mostWorktrees = 1_000

    /// Creates a reader of the file system.
    package init() {}

    /// Returns the repository of the project in this folder. Reads only regular files, because reading a named pipe
    /// could block for ever.
    package func repository(of folder: String) -> Repository? {
        guard let git = gitFolder(of: folder) else { return nil }
        // A worktree has its own git directory, which refers to the git directory that all worktrees share. Follow this
        // reference.
        var common = git
        if let shared = SmallFile.read("\(git)/commondir").flatMap({ GitPath.ofFile($0, in: git) }) {
            // Any `.git` file could refer to a worktree's git directory. Accept it only if the git directory refers
            // back to this folder.
            guard let worktree = SmallFile.read("\(git)/gitdir").flatMap({ GitPath.worktree($0, in: git) }),
                let identity = FolderIdentity(ofFolderAt: folder), identity == FolderIdentity(ofFolderAt: worktree)
            else { return nil }
            common = shared
        }
        guard FolderIdentity(ofFolderAt: common) != nil else { return nil }
        let list = "\(common)/worktrees"
        // Take the stamp before reading, so that a concurrent change invalidates the result.
        var stamps = [list: FolderStamp(ofFolderAt: list)]
        let names = FolderEntries.names(in: list, atMost: Self.mostWorktrees + 1, includesHidden: false) ?? []
        let entries = names.sorted().prefix(Self.mostWorktrees)
        var worktrees: [Repository.Worktree] = []
        for entry in entries.lazy.map({ "\(list)/\($0)" }) {
            let stamp = FolderStamp(ofFolderAt: entry)
            if let worktree = worktree(listedIn: entry) { worktrees.append(worktree) } else { stamps[entry] = stamp }
        }
        return Repository(
            path: common, resolvedPath: DiskProjectReader.resolve(common), entries: Array(entries),
            worktrees: worktrees, isCut: names.count > Self.mostWorktrees, stamps: stamps)
    }

    private func gitFolder(of folder: String) -> String? {
        let path = "\(folder)/.git"
        if FolderIdentity(ofFolderAt: path) != nil { return path }
        return SmallFile.read(path).flatMap { GitPath.ofLink($0, in: folder) }
    }

    /// Returns the worktree that a directory in `worktrees` describes; nil if the worktree's `.git` file does not refer
    /// back to that directory.
    private func worktree(listedIn entry: String) -> Repository.Worktree? {
        guard let folder = SmallFile.read("\(entry)/gitdir").flatMap({ GitPath.worktree($0, in: entry) }),
            let linked = SmallFile.read("\(folder)/.git").flatMap({ GitPath.ofLink($0, in: folder) }),
            let identity = FolderIdentity(ofFolderAt: entry), identity == FolderIdentity(ofFolderAt: linked)
        else { return nil }
        return Repository.Worktree(path: folder, resolvedPath: DiskProjectReader.resolve(folder))
    }
}

/// A small file that another process may be writing, or that an attacker may have created.
private enum SmallFile {
    /// Returns the content of a regular file. Returns nil for any other kind of file, and for a file that is longer
    /// than git's own files.
    static func read(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_size <= GitPath.longestFile
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        guard count >= 0 else { return nil }
        return Array(bytes.prefix(count))
    }
}
