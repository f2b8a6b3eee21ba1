import TestKit

/// The directories that the server has opened, with their projects.
final class Locations2: Sendable {
    /// A directory that is open.
    struct Location: Sendable {
        var project: Project2
        /// Opened when its agents, models and the like are there, and before that is told: who hears of them gets them.
        let isLoaded = Latch("a directory to be loaded")
        /// Opened when all of that was told.
        let isTold = Latch("a directory to be told of")
    }

    /// A project that was used, as `/api/project` and `project.updated` show it.
    struct Use: Sendable {
        let project: Project2
        let created: Int
        var active: Int

        var json: JSON {
            let start: JSON = ["id": .string(project.id), "canonical": .string(project.canonical)]
            return start.adding(project.isRepository ? [("vcs", "git")] : []).adding([
                (
                    "time",
                    ["created": .integer(created), "updated": .integer(created), "active": .integer(active)]
                ), ("sandboxes", []),
            ])
        }
    }

    private struct State {
        var locations: [String: Location] = [:]
        var uses: [Use] = []
    }

    private let state = Monitor(State())
    private let bus: EventBus2
    /// The time that loading takes.
    private let loading: Duration
    /// A project's use is told again after this time.
    private let quietMilliseconds: Int

    /// What loading announces, behind the branch and before it.
    private static let providers = ["integration.updated", "provider.updated", "model.updated"]
    private static let catalogue = [
        "agent.updated", "command.updated", "skill.updated", "websearch.updated", "reference.updated",
        "plugin.updated",
    ]

    /// `pace` is the time that loading takes, in percent of the recorded one. `quietMilliseconds` is the time after which
    /// a project's use is told again.
    init(bus: EventBus2, pace: Int, quietMilliseconds: Int = 60_000) {
        (self.bus, self.quietMilliseconds) = (bus, quietMilliseconds)
        loading = .milliseconds(450) * pace / 100
    }

    /// The directories that are open, sorted.
    var directories: [String] { state.withLock { $0.locations.keys.sorted() } }

    /// The projects that were used, the last used first.
    var projects: [Use] { state.withLock { $0.uses }.sorted { $0.active > $1.active } }

    /// The project of a directory. A folder whose repository has no commit yet is asked about again.
    func project(of directory: String) -> Project2 {
        let known = state.withLock { $0.locations[directory]?.project }
        if let known, known.id != "global" { return known }
        let project = Project2(of: directory)
        let isChanged = state.withLock { state in
            guard let before = state.locations[directory]?.project, before != project else { return false }
            state.locations[directory]?.project = project
            return true
        }
        if isChanged { use(project, in: directory) }
        return project
    }

    /// Whether a directory was opened and what it has is loaded.
    func isLoaded(_ directory: String) -> Bool {
        state.withLock { $0.locations[directory] }?.isLoaded.isOpen == true
    }

    /// Whether a directory was opened.
    func isOpen(_ directory: String) -> Bool { state.withLock { $0.locations[directory] } != nil }

    /// Opens a directory: its first use loads it, beside whoever asked, and tells what was loaded.
    @discardableResult
    func open(_ directory: String) -> Location {
        if let location = state.withLock({ $0.locations[directory] }) { return location }
        let made = Location(project: Project2(of: directory))
        let (location, isNew) = state.withLock { state in
            if let other = state.locations[directory] { return (other, false) }
            state.locations[directory] = made
            return (made, true)
        }
        guard isNew else { return location }
        use(location.project, in: directory)
        load(directory, location)
        return location
    }

    /// Waits until a directory is loaded, and that was told.
    func wait(for directory: String) {
        try? open(directory).isTold.wait()
    }

    /// Tells that a project is used, unless that was told a short time ago. Without a directory the event has no
    /// `location`.
    func use(_ project: Project2, in directory: String?) {
        let now = Clock.milliseconds
        let told = state.withLock { state -> Use? in
            guard let index = state.uses.firstIndex(where: { $0.project.id == project.id }) else {
                state.uses.append(Use(project: project, created: now, active: now))
                return state.uses.last
            }
            guard now - state.uses[index].active >= quietMilliseconds else { return nil }
            state.uses[index].active = now
            return state.uses[index]
        }
        if let told { bus.publish("project.updated", told.json, in: directory) }
    }

    /// Closes a directory; its next use opens it again.
    func close(_ directory: String) {
        guard state.withLock({ $0.locations.removeValue(forKey: directory) }) != nil else { return }
        bus.publish("location.shutdown", [:], in: directory)
    }

    /// Closes all open directories, and opens them again.
    func reload() {
        let open = directories
        for directory in open { close(directory) }
        for directory in open { self.open(directory) }
    }

    private func load(_ directory: String, _ location: Location) {
        let (bus, loading) = (bus, loading)
        let announce: @Sendable () -> Void = {
            location.isLoaded.open()
            for type in Locations2.providers { bus.publish(type, [:], in: directory) }
            if let branch = location.project.branch {
                bus.publish("vcs.branch.updated", ["branch": .string(branch)], in: directory)
            }
            for type in Locations2.catalogue { bus.publish(type, [:], in: directory) }
            location.isTold.open()
        }
        guard loading > .zero else { return announce() }
        let thread = try? TestThread {
            _ = Latch("the time that loading takes").isOpened(within: loading)
            announce()
        }
        if thread == nil { announce() }
    }
}
