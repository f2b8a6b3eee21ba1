import Homes
import Instances
import Locking
import Projects

/// A history in memory, which one rig hands to the next as a file would be.
final class RecordedHistory: InstanceHistory {
    private let state = Locked<[ProjectName: [InstanceEvent]]>([:])

    init(_ events: [ProjectName: [InstanceEvent]] = [:]) { state.withLock { $0 = events } }

    func record(_ event: InstanceEvent, of project: ProjectName) {
        state.withLock { $0[project, default: []].append(event) }
    }

    func events(of project: ProjectName) async throws(InstanceHistoryError) -> [InstanceEvent] { self[project] }

    func lastEvents() async -> [ProjectName: InstanceEvent] { state.withLock { $0.compactMapValues(\.last) } }

    subscript(project: ProjectName) -> [InstanceEvent] { state.withLock { $0[project] ?? [] } }

    /// The events without their times, as in `ready 1.2.27` and `failed: why`.
    func words(_ project: ProjectName) -> [String] {
        self[project].map { event in
            event.kind.rawValue + (event.actor.map { " by \($0)" } ?? "") + (event.version.map { " \($0)" } ?? "")
                + (event.reason.map { ": \($0)" } ?? "")
        }
    }
}
