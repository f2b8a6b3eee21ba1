package import Addresses
package import OpenCode
package import Projects

/// Where requests go: an immutable picture of all instances, which the loops read without a lock.
package struct RoutingTable: Sendable {
    /// One instance as a request sees it. An object, because each request takes it along: that costs one reference
    /// count instead of one for each part.
    package final class Route: Sendable {
        /// The project.
        package let name: ProjectName
        /// The name as text, made once.
        package let text: String
        /// What its instance is doing, for the sentence of a refusal.
        package let state: InstanceState
        /// Where to send requests; nil unless it is ready.
        package let endpoint: InstanceEndpoint?

        /// Whether there is an ``endpoint``; asking copies nothing.
        package let isReachable: Bool
        /// Whether there is an ``endpoint`` that speaks OpenCode 2; asking copies nothing.
        package let speaksOpenCode2: Bool

        /// What requests may name as their directory; nil for anything.
        package let scope: DirectoryScope?
        /// The project that the instance's folder is to OpenCode; nil: to be asked for
        /// (``InstanceRegistry/ownProject(_:)``).
        package let ownProject: OwnProject?

        /// Who has its instance end, while that is under way.
        package let ender: InstanceEnder?

        /// A route to an instance.
        package init(
            name: ProjectName, state: InstanceState, endpoint: InstanceEndpoint?, scope: DirectoryScope? = nil,
            ownProject: OwnProject? = nil, ender: InstanceEnder? = nil
        ) {
            self.name = name
            text = name.string
            self.state = state
            self.endpoint = endpoint
            isReachable = endpoint != nil
            speaksOpenCode2 = endpoint?.family == .two
            self.scope = scope
            self.ownProject = ownProject
            self.ender = ender
        }
    }

    /// A table without instances.
    package static let empty = RoutingTable([])

    /// Sorted by the names' bytes.
    private let routes: [Route]
    /// One more than the greatest slot of an endpoint; 0 without endpoints.
    package let slotCount: Int
    /// The names of all projects on disk; nil: not known yet.
    private let projects: Set<ProjectName>?

    /// A table of these routes, one a name, and of the names of all projects, running or not; nil: not known yet.
    package init(_ routes: [Route], projects: Set<ProjectName>? = nil) {
        self.projects = projects
        self.routes = routes.sorted { $0.name.bytes.lexicographicallyPrecedes($1.name.bytes) }
        slotCount = routes.lazy.compactMap { $0.endpoint?.slot }.max().map { $0 + 1 } ?? 0
    }

    /// The routes to instances that are ready.
    package var reachable: [Route] { routes.filter(\.isReachable) }

    /// Whether there may be a project of that name: a folder on disk, or an instance whose folder has gone.
    package func mayBeProject(_ name: ProjectName) -> Bool {
        projects?.contains(name) ?? true || find(name.bytes[...]) != nil
    }

    /// Whether there is a project of that name, as far as is known: a folder on disk, or an instance.
    package func isProject(_ name: ProjectName) -> Bool {
        projects?.contains(name) ?? false || find(name.bytes[...]) != nil
    }

    /// The project, where there is just one as far as is known.
    package var onlyProject: ProjectName? { projects?.count == 1 ? projects?.first : nil }

    /// The route of a project.
    package func route(to name: ProjectName) -> Route? { find(name.bytes[...]) }

    /// The route for one raw segment of a request's path. Allocates nothing unless the segment is percent-encoded.
    package func route(forSegment segment: ArraySlice<UInt8>) -> Route? {
        // A name in this table that is spelt without an escape is its own segment.
        guard segment.contains(UInt8(ascii: "%")) else { return find(segment) }
        return ProjectName(percentEncoded: segment).flatMap { find($0.bytes[...]) }
    }

    /// Where to send a request for one raw segment; nil unless a ready instance has that name.
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

/// Where and how a ready instance is reached.
package struct InstanceEndpoint: Sendable, Equatable {
    /// Where it listens.
    package let address: InstanceAddress
    /// The value of the `Authorization` field that it wants; secret. Nil: it wants none.
    package let authorization: [UInt8]?
    /// The number of its process: another number is another process, even on the same port.
    package let generation: UInt64
    /// The instance's place in what a loop counts for each instance: small, and the same for all of its runs.
    package let slot: Int

    /// Whether it was seen to refuse a request without its password: who refuses the password itself is another server.
    package let enforcesPassword: Bool
    /// Which of OpenCode's APIs it speaks; nil: not known.
    package let family: APIFamily?
    /// OpenCode's version, as the server said it; nil: not known.
    package let version: String?

    /// An endpoint.
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
    /// Without the secret.
    package var description: String { "\(address) (generation \(generation))" }
    /// Without the secret.
    package var debugDescription: String { description }
    /// Without the secret.
    package var customMirror: Mirror { Mirror(self, children: ["address": address, "generation": generation]) }
}
