// SPDX-License-Identifier: Apache-2.0

internal import OpenCodeFamilies

/// Determines which worktrees in git's list belong to a project.
///
/// A worktree is rejected if it is, contains, or is inside another project's folder, because the worktree would give
/// access to the other project. A worktree that contains the home directory is rejected as well. If the repository
/// itself is inside another project's folder, all worktrees of the repository are rejected, because any `.git` file
/// could refer to the repository.
struct WorktreeRules {
    /// The projects whose folder is at a path.
    private var folders: [String: Set<ProjectName>] = [:]
    /// The projects whose folder is below a path.
    private var holders: [String: Set<ProjectName>] = [:]
    /// The paths of the home directory and of the directories that contain it.
    private let aroundHome: Set<String>

    /// Creates rules for these projects.
    ///
    /// - Parameter home: The spellings of the home directory's path.
    init(_ projects: some Sequence<ProjectFolder>, home: [String]) {
        aroundHome = Set(home.flatMap(Self.upwards))
        for project in projects {
            for path in Set([project.path, project.resolvedPath]) {
                let upwards = Self.upwards(path)
                guard let folder = upwards.last else { continue }
                folders[folder, default: []].insert(project.name)
                for holder in upwards.dropLast() { holders[holder, default: []].insert(project.name) }
            }
        }
    }

    /// Returns the directories of the project in `folder`, which has this repository.
    func scope(of folder: ProjectFolder, _ repository: Repository) -> DirectoryScope {
        let owners = owners(of: repository.path).union(owners(of: repository.resolvedPath))
        guard owners.isSubset(of: [folder.name]) else { return folder.scope }
        let paths = repository.worktrees.filter { belongs($0, of: folder.name) }.flatMap(Self.spellings)
        guard !paths.isEmpty else { return folder.scope }
        return DirectoryScope(
            folder: folder.path, resolved: folder.resolvedPath, worktrees: paths, isRepository: folder.hasGit)
    }

    /// Returns the projects whose folder is or contains the path.
    func owners(of path: String) -> Set<ProjectName> {
        Self.upwards(path).reduce(into: []) { $0.formUnion(folders[$1] ?? []) }
    }

    private func belongs(_ worktree: Repository.Worktree, of project: ProjectName) -> Bool {
        Self.spellings(of: worktree).allSatisfy { path in
            let upwards = Self.upwards(path)
            guard let folder = upwards.last, !aroundHome.contains(folder) else { return false }
            return isNobodys(holders[folder], but: project)
                && upwards.allSatisfy { isNobodys(folders[$0], but: project) }
        }
    }

    private func isNobodys(_ owners: Set<ProjectName>?, but project: ProjectName) -> Bool {
        owners?.allSatisfy { $0 == project } ?? true
    }

    /// Returns the paths of a worktree, with and without resolved links. If a path contains `..`, returns only the
    /// resolved path, because a `..` after a link does not lead where the path's text suggests.
    private static func spellings(of worktree: Repository.Worktree) -> [String] {
        let hasWayUp = worktree.path.split(separator: "/").contains("..")
        return hasWayUp || worktree.path == worktree.resolvedPath
            ? [worktree.resolvedPath] : [worktree.path, worktree.resolvedPath]
    }

    /// Returns each directory on the path, from the root to the path itself. The root is omitted.
    private static func upwards(_ path: String) -> [String] {
        path.split(separator: "/").filter { $0 != "." }.reduce(into: []) { $0.append("\($0.last ?? "")/\($1)") }
    }
}
