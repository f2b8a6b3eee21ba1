internal import Glibc
internal import Logging
package import OpenCode
internal import Systemd

/// The worktrees of projects whose instances run: git's list of them is read and watched.
extension ProjectCatalogue {
    /// What is known of one project's worktrees.
    struct Followed {
        var repository: Repository?
        /// What of the repository is watched, by paths.
        var watches: [String: EventSource] = [:]
        /// Whether all of it is.
        var isWatched = false
        var scope: DirectoryScope?
        var isLookingSoon = false
        var lastLook: SuspendingClock.Instant?

        /// How long what was read is not read again for a request's sake, unless a worktree was made since.
        private static let pause = Duration.seconds(1)

        /// Whether it is worth reading again for somebody who names a directory that is not known.
        func mayBeOutdated(now: SuspendingClock.Instant = .now) -> Bool {
            guard let lastLook, lastLook.duration(to: now) < Self.pause else { return true }
            return repository?.stamps.contains { !$0.value.isCurrent(ofFolderAt: $0.key) } ?? false
        }
    }

    /// Files of a worktree's entry that are written when it comes, moves or goes; others change with every commit.
    private static let tellingFiles: [[UInt8]] = ["gitdir", "commondir", "locked"].map { Array($0.utf8) }
    private static let list = Array("worktrees".utf8)

    /// From now on the worktrees of these projects are followed, and of no others.
    package func followWorktrees(of names: Set<ProjectName>) {
        for name in followed.keys where !names.contains(name) { followed[name] = nil }
        for name in names where followed[name] == nil {
            followed[name] = Followed()
            lookAtWorktrees(of: name)
        }
    }

    /// The directories of a project, those of its worktrees among them while they are followed; nil when there is no such
    /// project. From memory.
    package func scope(of name: ProjectName) -> DirectoryScope? {
        followed[name]?.scope ?? known[name]?.entry.folder?.scope
    }

    /// The same, read anew from the disk unless that was done a moment ago: whoever has just made a worktree is understood.
    package func presentScope(of name: ProjectName) -> DirectoryScope? {
        // An event may have told already of what is not looked at yet.
        if let project = followed[name], project.isLookingSoon || project.mayBeOutdated() { lookAtWorktrees(of: name) }
        return scope(of: name)
    }

    /// The projects in whose folders these paths are.
    package func owners(of paths: [String]) -> Set<ProjectName> {
        paths.isEmpty ? [] : paths.reduce(into: []) { $0.formUnion(rules.owners(of: $1)) }
    }

    // MARK: Looking

    /// Reads a project's repository, and watches what it reads: what came before the watch is read after it.
    func lookAtWorktrees(of name: ProjectName) {
        guard followed[name] != nil else { return }
        followed[name]?.isLookingSoon = false
        followed[name]?.lastLook = .now
        for _ in 0..<3 {
            let folder = known[name]?.entry.folder
            let repository = folder.flatMap { repositories.repository(of: $0.resolvedPath) }
            noteCut(repository, of: name)
            followed[name]?.repository = repository
            if !watch(repository, of: name) { break }
        }
        if setScope(of: name) { tellSoon() }
    }

    /// Looks at a project's worktrees once for many reasons: git writes several files for one.
    private func lookSoon(at name: ProjectName) {
        guard followed[name]?.isLookingSoon == false else { return }
        followed[name]?.isLookingSoon = true
        Task { [weak self] in await self?.lookAtWorktrees(of: name) }
    }

    /// A project's folder, or its entry `.git`, is another one.
    func repositoryChanged(of name: ProjectName) {
        if followed[name] != nil { lookSoon(at: name) }
    }

    /// Looks at what changes without an event: the worktrees' own folders, and what can't be watched.
    func sweepWorktrees() {
        for (name, project) in followed where !project.isWatched || project.repository?.entries.isEmpty == false {
            lookAtWorktrees(of: name)
        }
    }

    /// The projects are others: a worktree may be one of them now, or be none any more.
    func applyWorktreeRules() {
        guard followed.values.contains(where: { $0.repository?.worktrees.isEmpty == false }) else { return }
        for name in followed.keys { _ = setScope(of: name) }
    }

    /// The rules among the projects of now.
    private var rules: WorktreeRules {
        if let worktreeRules { return worktreeRules }
        let home: [String] = if case .open(let home, _) = state { [path, home.resolvedPath] } else { [path] }
        let rules = WorktreeRules(known.values.lazy.compactMap(\.entry.folder), home: home)
        worktreeRules = rules
        return rules
    }

    /// Whether that made a difference.
    private func setScope(of name: ProjectName) -> Bool {
        guard let folder = known[name]?.entry.folder, let project = followed[name] else {
            followed[name]?.scope = nil
            return false
        }
        var new = folder.scope
        if let repository = project.repository, !repository.worktrees.isEmpty {
            new = rules.scope(of: folder, repository)
        }
        // One object for as long as nothing changes: who holds it sees that by a look.
        guard new != project.scope else { return false }
        followed[name]?.scope = new
        return project.scope != nil || new != folder.scope
    }

    // MARK: Watching

    /// Watches all that a repository is read from; answers whether anything of that was not watched before.
    private func watch(_ repository: Repository?, of name: ProjectName) -> Bool {
        guard let repository, let old = followed[name]?.watches else {
            followed[name]?.watches = [:]
            followed[name]?.isWatched = true
            return false
        }
        var wanted: [(path: String, events: FolderEvents, entries: [[UInt8]]?)] = [
            (repository.path, [.appeared, .disappeared], [Self.list]),
            (repository.list, [.appeared, .disappeared], nil),
        ]
        for entry in repository.entries {
            wanted.append(("\(repository.list)/\(entry)", [.appeared, .disappeared, .written], Self.tellingFiles))
        }
        var watches: [String: EventSource] = [:]
        var isComplete = true
        var isNew = false
        for (path, events, entries) in wanted {
            if let known = old[path] {
                watches[path] = known
                continue
            }
            switch watch(path, events, of: name, entries) {
            case .watched(let source): (watches[path], isNew) = (source, true)
            case .missing: break
            case .refused: isComplete = false
            }
        }
        followed[name]?.watches = watches
        followed[name]?.isWatched = isComplete
        return isNew
    }

    private enum Watching {
        case watched(EventSource)
        case missing, refused
    }

    /// Watches one folder for changes of these entries; nil: of all.
    private func watch(
        _ path: String, _ events: FolderEvents, of name: ProjectName, _ entries: [[UInt8]]?
    ) -> Watching {
        do {
            return .watched(
                try watcher.watchFolder(path, events) { [weak self] change in
                    self?.assumeIsolated { $0.repositoryFolderChanged(path, change, of: name, entries) }
                })
        } catch {
            // No worktree was ever made, or it goes at this moment.
            guard error.code != ENOENT, error.code != ENOTDIR else { return .missing }
            complain(of: error, path)
            return .refused
        }
    }

    private func repositoryFolderChanged(
        _ path: String, _ change: FolderChange, of name: ProjectName, _ entries: [[UInt8]]?
    ) {
        if !change.events.isDisjoint(with: .gone) {
            followed[name]?.watches[path] = nil
        } else if change.events.isDisjoint(with: .lost), let entries, let entry = change.entry {
            guard entries.contains(entry) else { return }
        }
        lookSoon(at: name)
    }

    private func noteCut(_ repository: Repository?, of name: ProjectName) {
        guard repository?.isCut == true, followed[name]?.repository?.isCut != true else { return }
        logger.warning(
            "A repository has more worktrees than are read: requests for the others are refused",
            LogField("project", name.string), LogField("read", DiskRepositoryReader.mostWorktrees))
    }
}
