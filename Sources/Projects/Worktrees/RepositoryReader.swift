internal import Glibc
internal import OpenCode
internal import Systemd

/// Reads a project's repository from the disk: a few small files for each worktree, and never more than a bounded number.
package protocol RepositoryReader: Sendable {
    /// The repository of the project in that folder, an absolute path; nil where it is none.
    func repository(of folder: String) -> Repository?
}

/// Reads repositories from the real disk.
package struct DiskRepositoryReader: RepositoryReader {
    /// The most worktrees that are read of one project.
    package static let mostWorktrees = 1_000

    /// A reader.
    package init() {}

    /// The repository of the project in that folder. Nothing waits: what is no regular file is not read.
    package func repository(of folder: String) -> Repository? {
        guard let git = gitFolder(of: folder) else { return nil }
        // A worktree has a folder of its own, which names the one that all share.
        var common = git
        if let shared = SmallFile.read("\(git)/commondir").flatMap({ GitPath.ofFile($0, in: git) }) {
            // Anybody may name such a folder; it is its worktree's alone.
            guard let own = SmallFile.read("\(git)/gitdir").flatMap({ GitPath.worktree($0, in: git) }),
                let identity = FolderIdentity(ofFolderAt: folder), identity == FolderIdentity(ofFolderAt: own)
            else { return nil }
            common = shared
        }
        guard FolderIdentity(ofFolderAt: common) != nil else { return nil }
        let list = "\(common)/worktrees"
        // What comes while it is read makes another one.
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

    /// The worktree that a folder below `worktrees` tells of; nil unless its own `.git` file leads back to that folder.
    private func worktree(listedIn entry: String) -> Repository.Worktree? {
        guard let folder = SmallFile.read("\(entry)/gitdir").flatMap({ GitPath.worktree($0, in: entry) }),
            let back = SmallFile.read("\(folder)/.git").flatMap({ GitPath.ofLink($0, in: folder) }),
            let identity = FolderIdentity(ofFolderAt: entry), identity == FolderIdentity(ofFolderAt: back)
        else { return nil }
        return Repository.Worktree(path: folder, resolvedPath: DiskProjectReader.resolve(folder))
    }
}

/// A small file that somebody else may be writing, or may have put there as a trap.
private enum SmallFile {
    /// The content of a regular file; nil where it is anything else, or longer than git's own files are.
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
