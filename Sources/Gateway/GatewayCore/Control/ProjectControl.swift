// SPDX-License-Identifier: Apache-2.0

package import Access
package import Instances
package import OpenCodeFamilies
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
    /// Reports that the run with this generation has responded to a client's request. Each loop reports only the first
    /// response of a run.
    func answered(_ name: ProjectName, generation: UInt64) async
    /// Returns all projects in the order that the wire contract defines, or a message with the reason why
    /// they cannot be listed.
    func projects() async -> ProjectListing
    /// Returns the current directories of a project, including a worktree that was created a moment ago.
    func directories(of name: ProjectName) async -> DirectoryScope?
    /// Returns OpenCode's project for an instance's folder; nil if the instance does not report the project.
    func openCodeProject(_ lookup: ProjectLookup) async -> OpenCodeProject?
    /// Reports that a result of ``openCodeProject(_:)`` may be outdated. `number` is
    /// the result's number (``OpenCodeProject/number``).
    func projectMayHaveChanged(of name: ProjectName, number: UInt64) async
}

/// The projects, or the reason why they cannot be listed.
package enum ProjectListing: Sendable {
    /// The projects in the order that the wire contract defines.
    case projects([Project])
    /// The message with the reason why the projects cannot be listed.
    case failed(String)
}
