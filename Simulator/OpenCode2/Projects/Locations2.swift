// SPDX-License-Identifier: Apache-2.0

import TestKit

/// The directories that the server has opened, with their projects.
final class Locations2: Sendable {
    /// An opened directory, with the project that it belongs to.
    struct Location: Sendable {
        var project: Project2
        /// A latch that is opened when the directory's agents, models and other data are loaded. The data is loaded
        /// before the events are published, so that a client can fetch the data after the first event.
        let isLoaded = Latch("a directory to be loaded")
        /// A latch that is opened when all events about the loading are published.
        let isPublished = Latch("a directory's events to be published")
    }

    /// A project in use, with the properties that `/api/project` and `project.updated` contain.
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
    /// The duration of loading a directory.
    private let loading: Duration
    /// The time in milliseconds after which a project's use is announced again.
    private let quietMilliseconds: Int

    /// The events that report a loaded directory. The events in `providers` precede the event about the branch, and the
    /// events in `catalogue` follow that event.
    private static let providers = ["integration.updated", "provider.updated", "model.updated"]
    private static let catalogue = [
        "agent.updated", "command.updated", "skill.updated", "websearch.updated", "reference.updated",
        "plugin.updated",
    ]

    /// Creates a list without any directories.
    ///
    /// - Parameters:
    ///   - pace: The duration of loading, in percent of the recorded duration.
    ///   - quietMilliseconds: The time in milliseconds after which a project's use is announced again.
    init(bus: EventBus2, pace: Int, quietMilliseconds: Int = 60_000) {
        self.bus = bus
        self.quietMilliseconds = quietMilliseconds
        loading = .milliseconds(450) * pace / 100
    }

    /// The open directories, sorted by path.
    var directories: [String] { state.withLock { $0.locations.keys.sorted() } }

    /// The used projects, most recently used first.
    var projects: [Use] { state.withLock { $0.uses }.sorted { $0.active > $1.active } }

    /// Returns the project of a directory. If the repository has no commit yet, determines the project again.
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

    /// Returns whether a directory is open and its catalogue is loaded.
    func isLoaded(_ directory: String) -> Bool {
        state.withLock { $0.locations[directory] }?.isLoaded.isOpen == true
    }

    /// Returns whether a directory is open.
    func isOpen(_ directory: String) -> Bool { state.withLock { $0.locations[directory] } != nil }

    /// Opens a directory and returns its location. If the directory was not open, its data is loaded in the background,
    /// and events report the loaded data.
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

    /// Waits until a directory is loaded and the events about its loading are published.
    func wait(for directory: String) {
        try? open(directory).isPublished.wait()
    }

    /// Announces that a project is in use. Does nothing if the use was announced recently. If `directory` is nil, the
    /// event has no `location`.
    func use(_ project: Project2, in directory: String?) {
        let now = Clock.milliseconds
        let changed = state.withLock { state -> Use? in
            guard let index = state.uses.firstIndex(where: { $0.project.id == project.id }) else {
                state.uses.append(Use(project: project, created: now, active: now))
                return state.uses.last
            }
            guard now - state.uses[index].active >= quietMilliseconds else { return nil }
            state.uses[index].active = now
            return state.uses[index]
        }
        if let changed { bus.publish("project.updated", changed.json, in: directory) }
    }

    /// Closes a directory. The next use of the directory opens it again.
    func close(_ directory: String) {
        guard state.withLock({ $0.locations.removeValue(forKey: directory) }) != nil else { return }
        bus.publish("location.shutdown", [:], in: directory)
    }

    /// Closes all open directories and opens them again.
    func reload() {
        let open = directories
        for directory in open { close(directory) }
        for directory in open { self.open(directory) }
    }

    private func load(_ directory: String, _ location: Location) {
        let bus = bus
        let loading = loading
        let announce: @Sendable () -> Void = {
            location.isLoaded.open()
            for type in Locations2.providers { bus.publish(type, [:], in: directory) }
            if let branch = location.project.branch {
                bus.publish("vcs.branch.updated", ["branch": .string(branch)], in: directory)
            }
            for type in Locations2.catalogue { bus.publish(type, [:], in: directory) }
            location.isPublished.open()
        }
        guard loading > .zero else { return announce() }
        let thread = try? TestThread {
            _ = Latch("the time that loading takes").isOpened(within: loading)
            announce()
        }
        if thread == nil { announce() }
    }
}
