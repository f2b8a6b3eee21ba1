// SPDX-License-Identifier: Apache-2.0

import EventHub
import GatewayCore
internal import Locking
package import Projects

/// The current snapshots of all projects, for threads that receive no updates.
package final class HubSnapshots: Sendable {
    private let snapshots = Locked<[ProjectName: HubSnapshot]>([:])
    private let sharedIndex = Locked<EventIndex?>(nil)

    /// Creates a store without snapshots and without an index.
    package init() {}

    func set(_ snapshot: HubSnapshot) { snapshots.withLock { $0[snapshot.project] = snapshot } }

    /// The event index of all projects.
    var index: EventIndex? { sharedIndex.withLock { $0 } }

    func set(_ index: EventIndex) { sharedIndex.withLock { $0 = index } }

    /// Returns the current snapshot of a project; nil if the hub has no log for the project.
    package func snapshot(of name: ProjectName) -> HubSnapshot? { snapshots.withLock { $0[name] } }

    /// Returns the warnings that `status` shows for a project's events.
    package func warnings(of name: ProjectName) -> [String] {
        snapshot(of: name).map { $0.warnings + ($0.log.warning.map { [$0] } ?? []) } ?? []
    }
}
