// SPDX-License-Identifier: Apache-2.0

package import Access
package import EventStreaming
package import GatewayCore
package import Instances
package import OpenCodeFamilies
package import Projects

/// The control plane, which the registry of instances implements.
package struct RegistryControl: ProjectControl {
    private let registry: InstanceRegistry
    private let snapshots: HubSnapshots?

    /// Creates the control plane with a registry, and with the hub's snapshots if there is a hub.
    package init(registry: InstanceRegistry, snapshots: HubSnapshots? = nil) {
        self.registry = registry
        self.snapshots = snapshots
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
        status?.report.warnings += snapshots?.warnings(of: name) ?? []
        return status
    }

    /// Forwards the call to the registry.
    package func answered(_ name: ProjectName, generation: UInt64) async {
        await registry.answered(name, generation: generation)
    }

    /// Forwards the call to the registry. An error of the registry becomes the message.
    package func projects() async -> ProjectListing {
        do {
            return .projects(try await registry.projects())
        } catch {
            return .failed("\(error)")
        }
    }

    /// Forwards the call to the registry.
    package func directories(of name: ProjectName) async -> DirectoryScope? { await registry.directories(of: name) }

    /// Forwards the call to the registry.
    package func openCodeProject(_ lookup: ProjectLookup) async -> OpenCodeProject? {
        await registry.openCodeProject(lookup)
    }

    /// Forwards the call to the registry.
    package func projectMayHaveChanged(of name: ProjectName, number: UInt64) async {
        await registry.projectMayHaveChanged(of: name, number: number)
    }
}
