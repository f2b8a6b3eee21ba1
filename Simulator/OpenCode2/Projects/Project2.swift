// SPDX-License-Identifier: Apache-2.0

import TestKit

/// The project to which a directory belongs.
struct Project2: Sendable, Equatable {
    /// The id of the project. The id is the hash of the repository's first commit, so that clones and worktrees share
    /// the id. If the repository has no commit yet, the id is `global`. Without a repository, the id is a hash of the
    /// path.
    let id: String
    /// The top directory of the work tree. In a worktree, this directory is the worktree's own top directory.
    let directory: String
    /// The top directory of the repository's main work tree.
    let canonical: String
    /// Whether the project is a git repository.
    let isRepository: Bool
    /// The branch of the repository's main work tree. The value is nil in a worktree, or if no branch is checked out.
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

    /// The project in the format of `/api/location`.
    var json: JSON {
        ["id": .string(id), "directory": .string(directory), "canonical": .string(canonical)]
    }

    /// Returns the path relative to the project's top directory. The result is empty for the top directory itself.
    func subpath(of path: String) -> String {
        path.hasPrefix("\(directory)/") ? String(path.dropFirst(directory.count + 1)) : ""
    }

    /// Returns the directory that contains a `.git`: the given directory or its nearest parent directory with a `.git`.
    private static func top(of directory: String) -> String? {
        var path = directory[...]
        while !path.isEmpty {
            if (try? FileTree.names(in: String(path)))?.contains(".git") == true { return String(path) }
            path = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
        }
        return nil
    }

    /// Returns the repository's main work tree. The `.git` of a worktree is a file that names a directory below the
    /// main work tree's `.git`.
    private static func canonical(_ top: String) -> String {
        guard let file = try? FileTree.contents("\(top)/.git") else { return top }
        let line = String(decoding: file, as: UTF8.self).split(whereSeparator: \.isNewline).first ?? ""
        guard line.hasPrefix("gitdir: "), let end = line.firstRange(of: "/.git/worktrees/") else { return top }
        let folder = line[..<end.lowerBound].dropFirst("gitdir: ".count)
        return folder.hasPrefix("/") ? String(folder) : (try? FileTree.resolve("\(top)/\(folder)")) ?? top
    }
}
