// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Logging
package import OpenCodeFamilies
internal import Systemd

/// The worktrees of projects with running instances. The catalogue reads and watches git's list of worktrees.
extension ProjectCatalogue {
    /// The known worktrees of one project.
    struct Followed {
        var repository: Repository?
        /// The watches of the repository's directories, by their paths.
        var watches: [String: EventSource] = [:]
        /// Whether all existing directories of the repository that list worktrees are watched.
        var isWatched = false
        var scope: DirectoryScope?
        var isLookingSoon = false
        var lastLook: SuspendingClock.Instant?

        /// The minimum time between two reads for requests. A change that may add a worktree causes an earlier read.
        private static let pause = Duration.seconds(1)

        /// Returns whether a request with an unknown directory must cause another read of the repository.
        func mayBeOutdated(now: SuspendingClock.Instant = .now) -> Bool {
            guard let lastLook, lastLook.duration(to: now) < Self.pause else { return true }
            return repository?.stamps.contains { !$0.value.isCurrent(ofFolderAt: $0.key) } ?? false
        }
    }

    /// The files of a worktree's entry that git writes when the worktree is added, moved or removed. git changes the
    /// other files with every commit.
    private static let watchedFiles: [[UInt8]] = ["gitdir", "commondir", "locked"].map { Array($0.utf8) }
    private static let list = Array("worktrees".utf8)

    /// Follows the worktrees of these projects, and stops following the worktrees of all other projects.
    package func followWorktrees(of names: Set<ProjectName>) {
        for name in followed.keys where !names.contains(name) { followed[name] = nil }
        for name in names where followed[name] == nil {
            followed[name] = Followed()
            lookAtWorktrees(of: name)
        }
    }

    /// Returns a project's directories from memory; nil if there is no such project. The result includes the project's
    /// worktrees while they are followed.
    package func scope(of name: ProjectName) -> DirectoryScope? {
        followed[name]?.scope ?? known[name]?.entry.folder?.scope
    }

    /// Returns a project's directories. If the worktrees were not read recently or may have changed, reads them from
    /// disk first. A worktree that was just created is therefore recognised.
    package func presentScope(of name: ProjectName) -> DirectoryScope? {
        // If a scheduled read has not taken place yet, read the worktrees now.
        if let project = followed[name], project.isLookingSoon || project.mayBeOutdated() { lookAtWorktrees(of: name) }
        return scope(of: name)
    }

    /// Returns the projects whose folders are or contain one of these paths.
    package func owners(of paths: [String]) -> Set<ProjectName> {
        paths.isEmpty ? [] : paths.reduce(into: []) { $0.formUnion(rules.owners(of: $1)) }
    }

    // MARK: Looking

    /// Reads a project's repository, and watches the directories that were read. If new watches were set, reads the
    /// repository again, because a watch does not report earlier changes.
    func lookAtWorktrees(of name: ProjectName) {
        guard followed[name] != nil else { return }
        followed[name]?.isLookingSoon = false
        followed[name]?.lastLook = .now
        for _ in 0..<3 {
            let folder = known[name]?.entry.folder
            let repository = folder.flatMap { repositories.repository(of: $0.resolvedPath) }
            warnIfCut(repository, of: name)
            followed[name]?.repository = repository
            if !watch(repository, of: name) { break }
        }
        if setScope(of: name) { notifySoon() }
    }

    /// Schedules reading a project's worktrees. Several events cause only one read, because git writes several files
    /// for one worktree.
    private func lookSoon(at name: ProjectName) {
        guard followed[name]?.isLookingSoon == false else { return }
        followed[name]?.isLookingSoon = true
        Task { [weak self] in await self?.lookAtWorktrees(of: name) }
    }

    /// Handles a change of a project's folder or of its `.git` entry.
    func repositoryChanged(of name: ProjectName) {
        if followed[name] != nil { lookSoon(at: name) }
    }

    /// Polls for changes that no watch reports: in the worktrees' own folders, and in directories that cannot be
    /// watched.
    func sweepWorktrees() {
        for (name, project) in followed where !project.isWatched || project.repository?.entries.isEmpty == false {
            lookAtWorktrees(of: name)
        }
    }

    /// Applies a change of the list of projects. A worktree may have become a project, or may have ceased to be one.
    func applyWorktreeRules() {
        guard followed.values.contains(where: { $0.repository?.worktrees.isEmpty == false }) else { return }
        for name in followed.keys { _ = setScope(of: name) }
    }

    /// The rules for the current projects.
    private var rules: WorktreeRules {
        if let worktreeRules { return worktreeRules }
        let home: [String] = if case .open(let home, _) = state { [path, home.resolvedPath] } else { [path] }
        let rules = WorktreeRules(known.values.lazy.compactMap(\.entry.folder), home: home)
        worktreeRules = rules
        return rules
    }

    /// Updates a project's directories. Returns whether the directories have changed.
    private func setScope(of name: ProjectName) -> Bool {
        guard let folder = known[name]?.entry.folder, let project = followed[name] else {
            followed[name]?.scope = nil
            return false
        }
        var new = folder.scope
        if let repository = project.repository, !repository.worktrees.isEmpty {
            new = rules.scope(of: folder, repository)
        }
        // Keep the same object while nothing changes, so that callers can detect changes by comparing references.
        guard new != project.scope else { return false }
        followed[name]?.scope = new
        return project.scope != nil || new != folder.scope
    }

    // MARK: Watching

    /// Watches all directories from which a repository is read. Returns whether a new watch was set.
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
            wanted.append(("\(repository.list)/\(entry)", [.appeared, .disappeared, .written], Self.watchedFiles))
        }
        var watches: [String: EventSource] = [:]
        var isComplete = true
        var isNew = false
        for (path, events, entries) in wanted {
            if let known = old[path] {
                watches[path] = known
                continue
            }
            switch watch(path, for: events, of: name, entries: entries) {
            case .watched(let source):
                watches[path] = source
                isNew = true
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

    /// Watches a directory for changes of these entries. If `entries` is nil, watches all entries.
    private func watch(
        _ path: String, for events: FolderEvents, of name: ProjectName, entries: [[UInt8]]?
    ) -> Watching {
        do {
            return .watched(
                try watcher.watchFolder(path, events) { [weak self] change in
                    self?.assumeIsolated {
                        $0.repositoryFolderChanged(path, change: change, of: name, entries: entries)
                    }
                })
        } catch {
            // A missing directory is not an error. Either no worktree was ever created, or the directory was just
            // removed.
            guard error.code != ENOENT, error.code != ENOTDIR else { return .missing }
            complain(of: error, path)
            return .refused
        }
    }

    private func repositoryFolderChanged(
        _ path: String, change: FolderChange, of name: ProjectName, entries: [[UInt8]]?
    ) {
        if !change.events.isDisjoint(with: .folderRemoved) {
            followed[name]?.watches[path] = nil
        } else if change.events.isDisjoint(with: .overflowed), let entries, let entry = change.entry {
            guard entries.contains(entry) else { return }
        }
        lookSoon(at: name)
    }

    private func warnIfCut(_ repository: Repository?, of name: ProjectName) {
        guard repository?.isCut == true, followed[name]?.repository?.isCut != true else { return }
        logger.warning(
            "a repository has more worktrees than the gateway reads: requests for the others are rejected",
            LogField("project", name.string), LogField("limit", DiskRepositoryReader.mostWorktrees))
    }
}
