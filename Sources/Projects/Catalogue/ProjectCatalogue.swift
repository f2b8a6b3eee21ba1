package import Logging
package import Systemd

/// The project folders under the home directory, kept in memory and kept right by inotify. Lives on the control loop.
///
/// The home directory and every project are watched. What can't be watched (links, whose targets change elsewhere;
/// folders for which the user has no watches left; a home directory that is gone) is looked at again every few seconds,
/// so nothing gets stale for good.
package actor ProjectCatalogue {
    /// Why the home directory could not be listed.
    package struct ListingError: Error, Equatable, CustomStringConvertible {
        /// One sentence.
        package let description: String
    }

    /// How long what can't be watched may be out of date.
    package static let defaultInterval = Duration.seconds(5)

    /// The control loop.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    struct Known {
        var entry: ProjectEntry
        var watch: EventSource?
    }

    enum State {
        case closed
        case open(HomeFolder, watch: EventSource?)
        case unavailable(ListingError)
    }

    let loop: SystemEventLoop
    let reader: any ProjectReader
    let logger: Logger
    let watcher: any FolderWatcher
    let interval: Duration
    /// The home directory, without a slash at its end.
    package nonisolated let path: String
    var state = State.closed
    var known: [ProjectName: Known] = [:]
    var sweepTimer: EventSource?
    /// Watches of the folders that hold the home directory, by their paths.
    var surroundings: [String: EventSource] = [:]
    /// Whether the home directory's own end would be told by one of them.
    var isEndTold = false
    var isReadingSoon = false
    let repositories: any RepositoryReader
    /// The projects whose worktrees are followed.
    var followed: [ProjectName: Followed] = [:]
    /// Made when it is needed, out of the projects of now.
    var worktreeRules: WorktreeRules?
    /// Whether the log says that something can't be watched.
    var hasComplained = false
    private var sorted: [ProjectFolder]?
    private var allNames: Set<ProjectName>?
    private var isTellingSoon = false
    private var onChange: (@Sendable () -> Void)?

    /// A catalogue of `home`, an absolute path; it knows nothing before ``open(onChange:)``. `interval` is how long what
    /// can't be watched may be out of date.
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

    /// Reads the home directory and begins to watch it. `onChange` is called on the loop soon after something has changed,
    /// once for many changes.
    package func open(onChange: @escaping @Sendable () -> Void) {
        self.onChange = onChange
        openHome()
    }

    /// All projects, sorted by their lower-cased names. From memory; where nobody would tell that the home directory has
    /// gone, it is looked for.
    package func folders() throws(ListingError) -> [ProjectFolder] {
        if !isEndTold { checkHome() }
        if case .unavailable(let error) = state { throw error }
        if let sorted { return sorted }
        let folders = known.values.compactMap(\.entry.folder).inListOrder()
        sorted = folders
        return folders
    }

    /// The project of that name; nil when there is none. Looks at this one entry of the disk, so that whoever has just
    /// made or removed a folder is understood.
    package func folder(named name: ProjectName) -> ProjectFolder? {
        update(name)
        return known[name]?.entry.folder
    }

    /// Which folder a project is, from memory; nil when there is none of that name.
    package func identity(of name: ProjectName) -> FolderIdentity? { known[name]?.entry.identity }

    /// The names of all projects; nil before they are known.
    package var names: Set<ProjectName>? {
        if case .closed = state { return nil }
        if let allNames { return allNames }
        let names = Set(known.lazy.filter { $0.value.entry.folder != nil }.map(\.key))
        allNames = names
        return names
    }

    // MARK: Changes

    /// Puts an entry in its place, or takes it away, and tells of it when that makes a difference.
    func set(_ name: ProjectName, _ new: Known?) {
        let old = known[name]
        known[name] = new
        guard old?.entry.folder != new?.entry.folder else { return }
        repositoryChanged(of: name)
        tellSoon()
    }

    /// Forgets all entries.
    func removeAll() {
        known = [:]
        tellSoon()
    }

    /// Many folders may come at once: whoever listens hears of all together.
    func tellSoon() {
        sorted = nil
        allNames = nil
        worktreeRules = nil
        guard !isTellingSoon else { return }
        isTellingSoon = true
        Task { [weak self] in await self?.tell() }
    }

    private func tell() {
        isTellingSoon = false
        applyWorktreeRules()
        onChange?()
    }
}
