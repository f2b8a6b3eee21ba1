// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Logging
internal import Systemd

/// Watches the file system for changes. Each watch is set before its directory is read, so that no change is missed.
extension ProjectCatalogue {
    /// The names of the entries in a project's folder whose presence is part of the list of projects.
    private static let observedEntries: [[UInt8]] = [Array(".git".utf8), Array("package.json".utf8)]

    /// Watches and reads the home directory. After a failure, logs the reason and tries again later.
    func openHome() {
        watchParents(of: [path])
        do throws(ProjectListingError) {
            let home = try reader.home()
            if case .unavailable = state { logger.notice("the projects can be listed again", LogField("home", path)) }
            state = .open(home, watch: watchHome())
            watchParents(of: [path, home.resolvedPath])
            try readAll(in: home)
        } catch {
            loseHome(error)
        }
        armSweep()
    }

    private func watchHome() -> EventSource? {
        do {
            return try watcher.watchFolder(path, [.appeared, .disappeared, .attributes]) { [weak self] change in
                self?.assumeIsolated { $0.homeChanged(change) }
            }
        } catch {
            complain(of: error, path)
            return nil
        }
    }

    private func loseHome(_ error: ProjectListingError) {
        if case .unavailable = state { return }
        logger.error("cannot list the projects", LogField("home", path), LogField("reason", "\(error)"))
        state = .unavailable(error)
        removeAll()
    }

    /// Watches the directories that contain the home directory. The gateway keeps the home directory open for its lock.
    /// A watch on an open directory does not report the directory's removal (IN_DELETE_SELF, inotify(7)).
    private func watchParents(of paths: [String]) {
        var watches: [String: EventSource] = [:]
        isEndReported = true
        for path in Set(paths) {
            guard let slash = path.lastIndex(of: "/"), path != "/" else { continue }
            let folder = slash == path.startIndex ? "/" : String(path[..<slash])
            let entry = Array(path[path.index(after: slash)...].utf8)
            watches[path] = parentWatches[path] ?? watchParent(folder, entry)
            if watches[path] == nil { isEndReported = false }
        }
        parentWatches = watches
    }

    /// Watches a directory for new and removed entries. Returns nil if the directory does not exist or is not readable.
    /// The catalogue then polls the home directory.
    private func watchParent(_ folder: String, _ entry: [UInt8]) -> EventSource? {
        try? watcher.watchFolder(folder, [.appeared, .disappeared]) { [weak self] change in
            self?.assumeIsolated { $0.parentChanged(change, entry) }
        }
    }

    private func parentChanged(_ change: FolderChange, _ home: [UInt8]) {
        if !change.events.isDisjoint(with: .folderRemoved) {
            parentWatches = [:]
        } else if change.events.isDisjoint(with: .overflowed), change.entry != home {
            return
        }
        checkHome()
    }

    /// Checks whether the home directory exists and is still the same directory.
    func checkHome() {
        switch state {
        case .closed: return
        case .open(let home, _): if (try? reader.home()) != home { reopenHome() }
        case .unavailable: openHome()
        }
    }

    private func readAll(in home: HomeFolder) throws(ProjectListingError) {
        let names = Set(try reader.names())
        for name in known.keys where !names.contains(name) { set(name, nil) }
        for name in names { update(name) }
    }

    /// Updates one entry of the home directory.
    func update(_ name: ProjectName) {
        guard case .open(let home, _) = state else { return }
        guard var entry = reader.entry(name, in: home) else { return set(name, nil) }
        let old = known[name]
        var source = old?.entry.identity == entry.identity ? old?.watch : nil
        if source == nil, let folder = entry.folder {
            source = watchProject(folder)
            // Read the entry again, because the watch does not report earlier changes.
            if source != nil { entry = reader.entry(name, in: home) ?? entry }
        }
        set(name, Known(entry: entry, watch: source))
    }

    private func watchProject(_ folder: ProjectFolder) -> EventSource? {
        do {
            return try watcher.watchFolder(folder.path, [.appeared, .disappeared]) {
                [weak self, name = folder.name] change in
                self?.assumeIsolated { $0.projectChanged(name, change) }
            }
        } catch {
            // A missing folder is not an error, because the home directory's watch reports the removal of the folder.
            if error.code != ENOENT, error.code != ENOTDIR { complain(of: error, folder.path) }
            return nil
        }
    }

    // MARK: Events

    private func homeChanged(_ change: FolderChange) {
        if !change.events.isDisjoint(with: .overflowed) { return readSoon() }
        if !change.events.isDisjoint(with: .folderRemoved) { return reopenHome() }
        guard let entry = change.entry else { return readSoon() }
        if let name = ProjectName(directoryName: entry) { update(name) }
    }

    private func projectChanged(_ name: ProjectName, _ change: FolderChange) {
        if !change.events.isDisjoint(with: .overflowed) { return readSoon() }
        if !change.events.isDisjoint(with: .folderRemoved) {
            known[name]?.watch = nil
            update(name)
        } else if let entry = change.entry, Self.observedEntries.contains(entry) {
            update(name)
            if entry == Self.observedEntries[0] { repositoryChanged(of: name) }
        }
    }

    /// Schedules reading all entries again. Several calls cause only one read, because the kernel notifies every watch
    /// after it has lost events.
    private func readSoon() {
        guard !isReadingSoon else { return }
        isReadingSoon = true
        Task { [weak self] in await self?.readAgain() }
    }

    private func readAgain() {
        isReadingSoon = false
        guard case .open(let home, let source) = state else { return }
        do throws(ProjectListingError) {
            if source == nil { state = .open(home, watch: watchHome()) }
            try readAll(in: home)
        } catch {
            reopenHome()
        }
    }

    /// Opens the home directory again after its removal or replacement.
    private func reopenHome() {
        known = known.mapValues { Known(entry: $0.entry, watch: nil) }
        openHome()
    }

    // MARK: Polling

    private func armSweep() {
        do {
            sweepTimer = try loop.timer(after: isHomeOpen ? interval : min(interval, Self.retryInterval)) {
                [weak self] in
                self?.assumeIsolated { $0.sweep() }
            }
        } catch {
            logger.error(
                "cannot detect changes in unwatched directories", LogField("home", path), LogField("reason", "\(error)")
            )
        }
    }

    /// The maximum delay before the gateway detects that the home directory exists again.
    private static let retryInterval = Duration.milliseconds(500)

    private var isHomeOpen: Bool { if case .open = state { true } else { false } }

    /// Polls for changes that no watch reports.
    private func sweep() {
        guard case .open(let home, let source) = state, let now = try? reader.home(), now == home else {
            return reopenHome()
        }
        if source == nil {
            readAgain()
        } else {
            for (name, project) in known where project.entry.isLink || project.watch == nil { update(name) }
        }
        sweepWorktrees()
        endComplaint()
        armSweep()
    }

    /// Logs a warning that a folder cannot be watched, once until all projects are watched again.
    func complain(of error: SystemdError, _ folder: String) {
        guard !hasComplained else { return }
        hasComplained = true
        let hint =
            switch error.code {
            case ENOSPC: "The user has no inotify watches left: raise fs.inotify.max_user_watches (sysctl(8))."
            case EMFILE:
                "No descriptors or inotify instances are left: raise fs.inotify.max_user_instances (sysctl(8))."
            default: "Check that the gateway's user may read the directory."
            }
        logger.warning(
            "cannot watch a directory, so the gateway reads it every few seconds", LogField("folder", folder),
            LogField("reason", error.reason), LogField("hint", hint))
    }

    private func endComplaint() {
        guard hasComplained, case .open(_, .some) = state,
            known.values.allSatisfy({ $0.entry.folder == nil || $0.watch != nil })
        else { return }
        hasComplained = false
        logger.notice("all projects are watched again", LogField("home", path))
    }
}
