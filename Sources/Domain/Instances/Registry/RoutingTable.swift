// SPDX-License-Identifier: Apache-2.0

package import Addresses
package import OpenCodeFamilies
package import Projects

/// The routes of requests: an immutable snapshot of all instances. The loops read the table without a lock.
package struct RoutingTable: Sendable {
    /// The facts about an instance that a request needs. `Route` is a class because each request retains a route.
    /// Retaining an object takes one reference count, and retaining a structure would take one for each property.
    package final class Route: Sendable {
        /// The name of the project.
        package let name: ProjectName
        /// The name as text, which is created only once.
        package let text: String
        /// The state of the project's instance, for error messages.
        package let state: InstanceState
        /// The destination of requests; nil if the instance has not been found healthy.
        package let endpoint: InstanceEndpoint?

        /// Whether the route has an ``endpoint``. Reading this property copies no data.
        package let isReachable: Bool
        /// Whether the route has an ``endpoint`` with the OpenCode 2 API. Reading this property copies no data.
        package let isOpenCode2: Bool

        /// The directories that requests may name; nil if requests may name any directory.
        package let scope: DirectoryScope?
        /// The OpenCode project of the instance's folder; nil if the project must be queried
        /// (``InstanceRegistry/openCodeProject(_:)``).
        package let openCodeProject: OpenCodeProject?

        /// The initiator of the instance's end; nil unless the instance is ending.
        package let stopInitiator: StopInitiator?

        /// Creates a route to an instance.
        package init(
            name: ProjectName, state: InstanceState, endpoint: InstanceEndpoint?, scope: DirectoryScope? = nil,
            openCodeProject: OpenCodeProject? = nil, stopInitiator: StopInitiator? = nil
        ) {
            self.name = name
            text = name.string
            self.state = state
            self.endpoint = endpoint
            isReachable = endpoint != nil
            isOpenCode2 = endpoint?.family == .two
            self.scope = scope
            self.openCodeProject = openCodeProject
            self.stopInitiator = stopInitiator
        }
    }

    /// A table without any routes.
    package static let empty = RoutingTable([])

    /// The routes, sorted by the bytes of their names.
    private let routes: [Route]
    /// One more than the greatest slot of an endpoint; 0 if there are no endpoints.
    package let slotCount: Int
    /// The names of all projects on disk; nil while unknown.
    private let projects: Set<ProjectName>?

    /// Creates a table.
    ///
    /// - Parameters:
    ///   - routes: The routes, at most one for each name.
    ///   - projects: The names of all projects, with and without a running instance; nil while unknown.
    package init(_ routes: [Route], projects: Set<ProjectName>? = nil) {
        self.projects = projects
        self.routes = routes.sorted { $0.name.bytes.lexicographicallyPrecedes($1.name.bytes) }
        slotCount = routes.lazy.compactMap { $0.endpoint?.slot }.max().map { $0 + 1 } ?? 0
    }

    /// The routes to instances that are ready.
    package var reachable: [Route] { routes.filter(\.isReachable) }

    /// Returns whether there may be a project with this name. A project has a folder on disk, or an instance whose
    /// folder was removed.
    package func mayBeProject(_ name: ProjectName) -> Bool {
        projects?.contains(name) ?? true || find(name.bytes[...]) != nil
    }

    /// Returns whether a project with this name is known. A known project has a folder on disk or an instance.
    package func isProject(_ name: ProjectName) -> Bool {
        projects?.contains(name) ?? false || find(name.bytes[...]) != nil
    }

    /// The only known project; nil if there are none or several.
    package var onlyProject: ProjectName? { projects?.count == 1 ? projects?.first : nil }

    /// Returns the route of a project.
    package func route(to name: ProjectName) -> Route? { find(name.bytes[...]) }

    /// Returns the route for a raw segment of a request's path. Only a percent-encoded segment causes an allocation.
    package func route(forSegment segment: ArraySlice<UInt8>) -> Route? {
        // A name that needs no percent-encoding equals its path segment. No decoding is necessary.
        guard segment.contains(UInt8(ascii: "%")) else { return find(segment) }
        return ProjectName(percentEncoded: segment).flatMap { find($0.bytes[...]) }
    }

    /// Returns the endpoint for a raw path segment; nil if no ready instance has that name.
    package func endpoint(forSegment segment: ArraySlice<UInt8>) -> InstanceEndpoint? {
        route(forSegment: segment)?.endpoint
    }

    private func find(_ name: ArraySlice<UInt8>) -> Route? {
        var low = 0
        var high = routes.count
        while low < high {
            let middle = (low + high) / 2
            if routes[middle].name.bytes.lexicographicallyPrecedes(name) { low = middle + 1 } else { high = middle }
        }
        guard low < routes.count, routes[low].name.bytes.elementsEqual(name) else { return nil }
        return routes[low]
    }
}

/// The address and the parameters of a ready instance.
package struct InstanceEndpoint: Sendable, Equatable {
    /// The address on which the instance listens.
    package let address: InstanceAddress
    /// The value of the `Authorization` field for the instance, which is secret; nil if the instance requires none.
    package let authorization: [UInt8]?
    /// The number of the instance's run. A different number means a different process, even on the same port.
    package let generation: UInt64
    /// The instance's index in per-instance counters. The index is small and the same for all runs of the instance.
    package let slot: Int

    /// Whether the instance was observed to reject a request without its password. If so, a server at this address that
    /// rejects the password is another server.
    package let enforcesPassword: Bool
    /// The OpenCode API that the instance implements; nil if unknown.
    package let family: APIFamily?
    /// OpenCode's version as reported by the server; nil if unknown.
    package let version: String?

    /// Creates an endpoint with the given values.
    package init(
        address: InstanceAddress, authorization: [UInt8]?, generation: UInt64, slot: Int,
        enforcesPassword: Bool = false,
        family: APIFamily? = nil, version: String? = nil
    ) {
        self.address = address
        self.authorization = authorization
        self.generation = generation
        self.slot = slot
        self.enforcesPassword = enforcesPassword
        self.family = family
        self.version = version
    }
}

extension InstanceEndpoint: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A description that omits the secret.
    package var description: String { "\(address) (generation \(generation))" }
    /// A description that omits the secret.
    package var debugDescription: String { description }
    /// A mirror that omits the secret.
    package var customMirror: Mirror { Mirror(self, children: ["address": address, "generation": generation]) }
}
