package import Access
package import Instances
package import OpenCode
package import Projects

/// What the data plane asks of the control plane: every decision about instances is made there.
package protocol ProjectControl: Sendable {
    /// Starts the project's instance, or joins a start that is under way; `principal`: who has asked.
    func start(_ name: ProjectName, for principal: Principal?) async -> StartAnswer
    /// Stops the project's instance; `principal`: who has asked.
    func stop(_ name: ProjectName, for principal: Principal?) async -> StopAnswer
    /// What happened to the project's instance.
    func history(of name: ProjectName) async -> InstanceRegistry.HistoryAnswer
    /// The project and its instance; nil where there is none.
    func status(_ name: ProjectName) async -> ProjectStatus?
    /// The run of a project's instance with this number has answered a client's request for the first time, as far as one
    /// loop knows.
    func answered(_ name: ProjectName, generation: UInt64) async
    /// All projects in the contract's order, or a sentence saying why they can't be listed.
    func projects() async -> ProjectListing
    /// The directories of a project as they are at this moment: a worktree may just have been made.
    func directories(of name: ProjectName) async -> DirectoryScope?
    /// The project that the folder of an instance is to OpenCode; nil where the instance does not say.
    func ownProject(_ inquiry: ProjectLookup) async -> OpenCodeProject?
    /// How it stands with what a project's instance says; nil where the gateway does not listen, or has not yet.
    func events(of name: ProjectName) async -> HubReport?
    /// The answer to ``ownProject(_:)`` with this number may be wrong by now.
    func projectMayHaveChanged(of name: ProjectName, number: UInt64) async
}

/// The projects, or why they can't be listed.
package enum ProjectListing: Sendable {
    /// In the contract's order.
    case projects([Project])
    /// Not to be had; a sentence.
    case failed(String)
}

/// The registry as the data plane sees it.
package struct RegistryControl: ProjectControl {
    private let registry: InstanceRegistry
    private let board: HubSnapshots?

    /// Asks this registry, and the hub's board, where there is a hub.
    package init(registry: InstanceRegistry, board: HubSnapshots? = nil) {
        self.registry = registry
        self.board = board
    }

    /// Asks the registry.
    package func start(_ name: ProjectName, for principal: Principal?) async -> StartAnswer {
        await registry.start(name, by: principal?.name)
    }

    /// Asks the registry.
    package func stop(_ name: ProjectName, for principal: Principal?) async -> StopAnswer {
        await registry.stop(name, by: principal?.name)
    }

    /// Asks the registry.
    package func history(of name: ProjectName) async -> InstanceRegistry.HistoryAnswer {
        await registry.history(of: name)
    }

    /// Asks the registry.
    package func status(_ name: ProjectName) async -> ProjectStatus? {
        var status = await registry.status(name)
        status?.report.warnings += board?.warnings(of: name) ?? []
        return status
    }

    /// Tells the registry.
    package func answered(_ name: ProjectName, generation: UInt64) async {
        await registry.answered(name, generation: generation)
    }

    /// Asks the registry; its error becomes the sentence.
    package func projects() async -> ProjectListing {
        do {
            return .projects(try await registry.projects())
        } catch {
            return .failed("\(error)")
        }
    }

    /// Looks at the hub's board.
    package func events(of name: ProjectName) async -> HubReport? { board.map { HubReport(view: $0.view(name)) } }

    /// Asks the registry.
    package func directories(of name: ProjectName) async -> DirectoryScope? { await registry.directories(of: name) }

    /// Asks the registry.
    package func ownProject(_ inquiry: ProjectLookup) async -> OpenCodeProject? { await registry.ownProject(inquiry) }

    /// Tells the registry.
    package func projectMayHaveChanged(of name: ProjectName, number: UInt64) async {
        await registry.projectMayHaveChanged(of: name, number: number)
    }
}
