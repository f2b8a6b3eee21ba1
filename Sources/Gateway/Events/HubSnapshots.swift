import EventHub
internal import Locking
internal import Projects

/// The present views of all projects, for threads that are told of nothing.
package final class HubSnapshots: Sendable {
    private let views = Locked<[ProjectName: HubSnapshot]>([:])
    private let sharedIndex = Locked<EventIndex?>(nil)

    /// Nothing is known yet.
    package init() {}

    func set(_ view: HubSnapshot) { views.withLock { $0[view.project] = view } }

    /// The count over all projects.
    var index: EventIndex? { sharedIndex.withLock { $0 } }

    func set(_ index: EventIndex) { sharedIndex.withLock { $0 = index } }

    func view(_ name: ProjectName) -> HubSnapshot? { views.withLock { $0[name] } }

    /// What `status` says about a project's events.
    func warnings(of name: ProjectName) -> [String] {
        view(name).map { $0.warnings + ($0.log.warning.map { [$0] } ?? []) } ?? []
    }
}
