// SPDX-License-Identifier: Apache-2.0

import TestKit

/// Manages the worktrees of projects. git stores the worktrees. This class stores only the known directories.
final class Worktrees2: Sendable {
    /// The error for a worktree that cannot be created or removed.
    struct Failure: Error {
        let message: String
        /// Whether a removal with `force` may succeed; nil for other errors.
        var isForceable: Bool?
    }

    /// The directory below which new worktrees are created.
    private let root: String
    /// The known directories of each project except the main work tree. Initially, the known directories are the
    /// worktrees that git lists.
    private let known = Monitor<[String: Set<String>]>([:])

    init(root: String) {
        self.root = root
    }

    /// Returns the sorted known directories, including the project's main work tree.
    func list(_ project: Project2) -> [JSON] {
        (folders(of: project) + [project.canonical]).sorted().map { folder in
            let entry: JSON = ["directory": .string(folder)]
            return folder == project.canonical ? entry : entry.adding([("strategy", "git")])
        }
    }

    /// Creates a worktree and returns its directory. If `branch` is nil, the worktree has a detached HEAD.
    func create(
        _ project: Project2, name: String?, directory: String?, branch: String?, from: String?
    ) throws(Failure) -> String {
        let name = name ?? Identifier.slug()
        let folder = directory ?? "\(root)/\(project.id.prefix(6))/\(name)"
        _ = folders(of: project)
        guard !name.isEmpty, name != "..", !name.contains("/") else {
            throw Failure(message: "Invalid worktree name: \(name)")
        }
        do throws(Git2.Failure) {
            let kind = branch.map { ["-b", $0] } ?? ["--detach"]
            try Git2.run(["worktree", "add"] + kind + [folder] + (from.map { [$0] } ?? []), in: project.canonical)
        } catch {
            throw Failure(message: error.message)
        }
        _ = known.withLock { $0[project.id]?.insert(folder) }
        return folder
    }

    /// Removes a worktree and its directory.
    func remove(_ project: Project2, _ folder: String, force: Bool) throws(Failure) {
        guard folders(of: project).contains(folder) else {
            throw Failure(message: "Worktree directory unavailable: \(folder)")
        }
        do throws(Git2.Failure) {
            try Git2.run(["worktree", "remove"] + (force ? ["--force"] : []) + [folder], in: project.canonical)
        } catch {
            throw Failure(message: error.message, isForceable: force ? nil : true)
        }
        _ = known.withLock { $0[project.id]?.remove(folder) }
    }

    /// Updates the known directories from git's list. Returns whether the directories have changed.
    func refresh(_ project: Project2) -> Bool {
        let before = folders(of: project)
        let now = Worktrees2.listed(project)
        known.withLock { $0[project.id] = now }
        return before != now
    }

    private func folders(of project: Project2) -> Set<String> {
        if let folders = known.withLock({ $0[project.id] }) { return folders }
        let listed = Worktrees2.listed(project)
        return known.withLock { known in
            known[project.id] = known[project.id] ?? listed
            return known[project.id] ?? listed
        }
    }

    private static func listed(_ project: Project2) -> Set<String> {
        let lines = Git2.lines(["worktree", "list", "--porcelain"], in: project.canonical)
        let folders = lines.filter { $0.hasPrefix("worktree ") }.map { String($0.dropFirst("worktree ".count)) }
        return Set(folders).subtracting([project.canonical])
    }
}
