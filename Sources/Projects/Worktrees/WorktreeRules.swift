internal import OpenCode

/// Which of the worktrees that git lists are a project's own.
///
/// A worktree that is another project's folder, lies in one or holds one is not: it would open that project. Nor is one that
/// holds the folder of all projects. Of a repository that lies in another project's folder none is: whoever writes a `.git` file
/// could name it.
struct WorktreeRules {
    /// Whose folder a path is.
    private var folders: [String: Set<ProjectName>] = [:]
    /// Whose folder lies below a path.
    private var holders: [String: Set<ProjectName>] = [:]
    /// The folder of all projects, and what holds it.
    private let aroundHome: Set<String>

    /// Rules among these projects below `home`, in its spellings.
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

    /// The directories of a project with this repository.
    func scope(of folder: ProjectFolder, _ repository: Repository) -> DirectoryScope {
        let owners = owners(of: repository.path).union(owners(of: repository.resolvedPath))
        guard owners.isSubset(of: [folder.name]) else { return folder.scope }
        let paths = repository.worktrees.filter { isOwn($0, of: folder.name) }.flatMap(Self.spellings)
        guard !paths.isEmpty else { return folder.scope }
        return DirectoryScope(
            folder: folder.path, resolved: folder.resolvedPath, worktrees: paths, isRepository: folder.hasGit)
    }

    /// The projects whose folder a path is, or lies in.
    func owners(of path: String) -> Set<ProjectName> {
        Self.upwards(path).reduce(into: []) { $0.formUnion(folders[$1] ?? []) }
    }

    private func isOwn(_ worktree: Repository.Worktree, of project: ProjectName) -> Bool {
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

    /// A way up behind a link leads elsewhere than its text says.
    private static func spellings(of worktree: Repository.Worktree) -> [String] {
        let hasWayUp = worktree.path.split(separator: "/").contains("..")
        return hasWayUp || worktree.path == worktree.resolvedPath
            ? [worktree.resolvedPath] : [worktree.path, worktree.resolvedPath]
    }

    /// Each folder on the way from the root to a path, without the root, the path itself last.
    private static func upwards(_ path: String) -> [String] {
        path.split(separator: "/").filter { $0 != "." }.reduce(into: []) { $0.append("\($0.last ?? "")/\($1)") }
    }
}
