// SPDX-License-Identifier: Apache-2.0

package import Logging
package import Systemd

/// The project folders in the home directory, cached in memory and updated through inotify. Runs on the control loop.
///
/// The catalogue watches the home directory and every project. Some entries cannot be watched: links, whose targets
/// change elsewhere, directories beyond the user's limit of watches, and a missing home directory. The catalogue polls
/// these entries every few seconds, so that no information remains outdated.
package actor ProjectCatalogue {
    /// The default of the maximum time for which information about unwatched folders may be outdated.
    package static let defaultInterval = Duration.seconds(5)

    /// The executor of the control loop.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    struct Known {
        var entry: ProjectEntry
        var watch: EventSource?
    }

    enum State {
        case closed
        case open(HomeFolder, watch: EventSource?)
        case unavailable(ProjectListingError)
    }

    let loop: SystemEventLoop
    let reader: any ProjectReader
    let logger: Logger
    let watcher: any FolderWatcher
    let interval: Duration
    /// The path of the home directory, without a trailing slash.
    package nonisolated let path: String
    var state = State.closed
    var known: [ProjectName: Known] = [:]
    var sweepTimer: EventSource?
    /// The watches of the directories that contain the home directory, by their paths.
    var parentWatches: [String: EventSource] = [:]
    /// Whether one of ``parentWatches`` would report the removal of the home directory.
    var isEndReported = false
    var isReadingSoon = false
    let repositories: any RepositoryReader
    /// The projects whose worktrees are followed.
    var followed: [ProjectName: Followed] = [:]
    /// The rules for the current projects, which are created when they are needed.
    var worktreeRules: WorktreeRules?
    /// Whether the catalogue has logged that a folder cannot be watched.
    var hasComplained = false
    private var sorted: [ProjectFolder]?
    private var allNames: Set<ProjectName>?
    private var isNotificationPending = false
    private var onChange: (@Sendable () -> Void)?

    /// Creates a catalogue that is empty until ``open(onChange:)``.
    ///
    /// - Parameters:
    ///   - home: The absolute path of the home directory.
    ///   - interval: The maximum time for which information about unwatched folders may be outdated.
    package init(
        loop: SystemEventLoop, home: String, followsLinks: Bool, logger: Logger,
        interval: Duration = ProjectCatalogue.defaultInterval, reader: (any ProjectReader)? = nil,
        watcher: (any FolderWatcher)? = nil, repositories: any RepositoryReader = DiskRepositoryReader()
    ) {
        let trimmed = home.reversed().drop { $0 == "/" }.reversed()
        path = trimmed.isEmpty ? "/" : String(trimmed)
        self.loop = loop
        self.logger = logger
        self.interval = interval
        self.reader = reader ?? DiskProjectReader(home: path, followsLinks: followsLinks)
        self.watcher = watcher ?? loop
        self.repositories = repositories
    }

    /// Reads the home directory and starts to watch it.
    ///
    /// - Parameter onChange: A function that is called on the loop soon after a change. Several changes in a short time
    ///   cause only one call.
    package func open(onChange: @escaping @Sendable () -> Void) {
        self.onChange = onChange
        openHome()
    }

    /// Returns all projects from memory, sorted by their lower-cased names. If no watch would report the removal of the
    /// home directory, checks first whether the home directory still exists.
    package func folders() throws(ProjectListingError) -> [ProjectFolder] {
        if !isEndReported { checkHome() }
        if case .unavailable(let error) = state { throw error }
        if let sorted { return sorted }
        let folders = known.values.compactMap(\.entry.folder).inListOrder()
        sorted = folders
        return folders
    }

    /// Returns the project with this name; nil if there is none. Reads the project's folder from disk, because the
    /// folder may have just been created or removed.
    package func folder(named name: ProjectName) -> ProjectFolder? {
        update(name)
        return known[name]?.entry.folder
    }

    /// Returns the identity of a project's folder from memory; nil if there is no project with this name.
    package func identity(of name: ProjectName) -> FolderIdentity? { known[name]?.entry.identity }

    /// The names of all projects; nil before ``open(onChange:)``.
    package var names: Set<ProjectName>? {
        if case .closed = state { return nil }
        if let allNames { return allNames }
        let names = Set(known.lazy.filter { $0.value.entry.folder != nil }.map(\.key))
        allNames = names
        return names
    }

    // MARK: Changes

    /// Sets or removes an entry. If a project has changed, schedules a notification.
    func set(_ name: ProjectName, _ new: Known?) {
        let old = known[name]
        known[name] = new
        guard old?.entry.folder != new?.entry.folder else { return }
        repositoryChanged(of: name)
        notifySoon()
    }

    /// Removes all entries and schedules a notification.
    func removeAll() {
        known = [:]
        notifySoon()
    }

    /// Schedules a notification. Several changes cause only one notification, because many folders may appear at once.
    func notifySoon() {
        sorted = nil
        allNames = nil
        worktreeRules = nil
        guard !isNotificationPending else { return }
        isNotificationPending = true
        Task { [weak self] in await self?.notify() }
    }

    private func notify() {
        isNotificationPending = false
        applyWorktreeRules()
        onChange?()
    }
}
