// SPDX-License-Identifier: Apache-2.0

package import Access
package import Instances
package import OpenCode
package import Projects

/// The data plane's interface to the control plane, which makes every decision about instances.
package protocol ProjectControl: Sendable {
    /// Starts the project's instance for the principal, or joins a start in progress.
    func start(_ name: ProjectName, for principal: Principal?) async -> StartAnswer
    /// Stops the project's instance for the principal.
    func stop(_ name: ProjectName, for principal: Principal?) async -> StopAnswer
    /// Returns the events of the project's instance, such as starts and stops.
    func history(of name: ProjectName) async -> InstanceRegistry.HistoryAnswer
    /// Returns the project and the state of its instance; nil if there is no such project.
    func status(_ name: ProjectName) async -> ProjectStatus?
    /// Reports that the run of a project's instance with this number has answered a client's request for the first
    /// time, as far as one loop knows.
    func answered(_ name: ProjectName, generation: UInt64) async
    /// Returns all projects in the contract's order, or a sentence with the reason why they can't be listed.
    func projects() async -> ProjectListing
    /// Returns the current directories of a project; a worktree may have been created a moment ago.
    func directories(of name: ProjectName) async -> DirectoryScope?
    /// Returns OpenCode's project for the folder of an instance; nil if the instance does not report it.
    func ownProject(_ inquiry: ProjectLookup) async -> OpenCodeProject?
    /// Returns the state of a project's events; nil if the gateway is not subscribed to events or not yet.
    func events(of name: ProjectName) async -> HubReport?
    /// Reports that the answer to ``ownProject(_:)`` with this number may be outdated.
    func projectMayHaveChanged(of name: ProjectName, number: UInt64) async
}

/// The projects, or the reason why they can't be listed.
package enum ProjectListing: Sendable {
    /// The projects in the contract's order.
    case projects([Project])
    /// The sentence with the reason why the projects can't be listed.
    case failed(String)
}

/// The control plane implemented by the registry.
package struct RegistryControl: ProjectControl {
    private let registry: InstanceRegistry
    private let board: HubSnapshots?

    /// Creates the control plane with a registry, and with the hub's snapshots if there is a hub.
    package init(registry: InstanceRegistry, board: HubSnapshots? = nil) {
        self.registry = registry
        self.board = board
    }

    /// Forwards the call to the registry.
    package func start(_ name: ProjectName, for principal: Principal?) async -> StartAnswer {
        await registry.start(name, by: principal?.name)
    }

    /// Forwards the call to the registry.
    package func stop(_ name: ProjectName, for principal: Principal?) async -> StopAnswer {
        await registry.stop(name, by: principal?.name)
    }

    /// Forwards the call to the registry.
    package func history(of name: ProjectName) async -> InstanceRegistry.HistoryAnswer {
        await registry.history(of: name)
    }

    /// Returns the registry's status together with the hub's warnings.
    package func status(_ name: ProjectName) async -> ProjectStatus? {
        var status = await registry.status(name)
        status?.report.warnings += board?.warnings(of: name) ?? []
        return status
    }

    /// Forwards the call to the registry.
    package func answered(_ name: ProjectName, generation: UInt64) async {
        await registry.answered(name, generation: generation)
    }

    /// Forwards the call to the registry, whose error becomes the sentence.
    package func projects() async -> ProjectListing {
        do {
            return .projects(try await registry.projects())
        } catch {
            return .failed("\(error)")
        }
    }

    /// Reads the hub's snapshot of the project.
    package func events(of name: ProjectName) async -> HubReport? { board.map { HubReport(view: $0.view(name)) } }

    /// Forwards the call to the registry.
    package func directories(of name: ProjectName) async -> DirectoryScope? { await registry.directories(of: name) }

    /// Forwards the call to the registry.
    package func ownProject(_ inquiry: ProjectLookup) async -> OpenCodeProject? { await registry.ownProject(inquiry) }

    /// Forwards the call to the registry.
    package func projectMayHaveChanged(of name: ProjectName, number: UInt64) async {
        await registry.projectMayHaveChanged(of: name, number: number)
    }
}
