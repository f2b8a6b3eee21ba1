// SPDX-License-Identifier: Apache-2.0

import TestKit

/// The project that a directory belongs to.
struct Project2: Sendable, Equatable {
    /// The id of the project. It is the hash of the first commit, so that clones and worktrees share it. It is `global`
    /// if the repository has no commit yet, and a hash of the path if there is no repository.
    let id: String
    /// The top folder of the work tree. In a worktree, it is the worktree's own top folder.
    let directory: String
    /// The top folder of the repository's own work tree.
    let canonical: String
    /// Whether the project is a git repository.
    let isRepository: Bool
    /// The branch of the repository's own work tree; nil in a worktree, or if there is no branch.
    let branch: String?

    /// Determines the project of a directory from its files and from git.
    init(of directory: String) {
        guard let top = Project2.top(of: directory) else {
            self.init(
                id: SHA1.hexadecimal("directory:\(directory)"), directory: directory, canonical: directory,
                isRepository: false,
                branch: nil)
            return
        }
        let commits = Git2.lines(["rev-list", "--max-parents=0", "HEAD"], in: top)
        let head = (try? FileTree.contents("\(top)/.git/HEAD")).map { String(decoding: $0, as: UTF8.self) }
        let branch = head?.split(whereSeparator: \.isNewline).first.flatMap { line in
            line.hasPrefix("ref: refs/heads/") ? String(line.dropFirst("ref: refs/heads/".count)) : nil
        }
        self.init(
            id: commits.last ?? "global", directory: top, canonical: Project2.canonical(top), isRepository: true,
            branch: branch)
    }

    init(id: String, directory: String, canonical: String, isRepository: Bool, branch: String?) {
        self.id = id
        self.directory = directory
        self.canonical = canonical
        self.isRepository = isRepository
        self.branch = branch
    }

    /// The project in the form of `/api/location`.
    var json: JSON {
        ["id": .string(id), "directory": .string(directory), "canonical": .string(canonical)]
    }

    /// Returns the path below the project's top folder; empty at the top.
    func subpath(of path: String) -> String {
        path.hasPrefix("\(directory)/") ? String(path.dropFirst(directory.count + 1)) : ""
    }

    /// Returns the nearest folder, upwards, that contains a `.git`.
    private static func top(of directory: String) -> String? {
        var path = directory[...]
        while !path.isEmpty {
            if (try? FileTree.names(in: String(path)))?.contains(".git") == true { return String(path) }
            path = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
        }
        return nil
    }

    /// Returns the repository's own work tree. The `.git` of a worktree is a file that names a folder below the
    /// repository's own `.git`.
    private static func canonical(_ top: String) -> String {
        guard let file = try? FileTree.contents("\(top)/.git") else { return top }
        let line = String(decoding: file, as: UTF8.self).split(whereSeparator: \.isNewline).first ?? ""
        guard line.hasPrefix("gitdir: "), let end = line.firstRange(of: "/.git/worktrees/") else { return top }
        let folder = line[..<end.lowerBound].dropFirst("gitdir: ".count)
        return folder.hasPrefix("/") ? String(folder) : (try? FileTree.resolve("\(top)/\(folder)")) ?? top
    }
}
