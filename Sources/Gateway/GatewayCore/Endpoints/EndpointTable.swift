// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import HTTPTypes
import Locking
import Projects

/// The table of all endpoints, which finds the endpoint for a request's head. Routing depends only on the head, and
/// performs no I/O.
package struct EndpointTable: Sendable {
    /// The result of routing a request.
    enum Match: Equatable {
        /// The endpoint with this index.
        case endpoint(Int)
        /// The endpoint with this index, which forwards requests to an instance. `segment` is the project's name as it
        /// appears in the path, neither decoded nor checked. `target` is the request target for the instance.
        case instance(Int, segment: ArraySlice<UInt8>, target: ArraySlice<UInt8>)
        /// The endpoint with this index serves the path, but the path's segment for the project cannot be a project's
        /// name. The string is the segment as it appears in the path.
        case unknownProject(Int, String)
        /// The path is known, but no endpoint serves the method on this path. The value is the content of the Allow
        /// field (RFC 9110 §10.2.1).
        case methodNotAllowed(allow: String)
        case notFound
    }

    /// The endpoints that share a path.
    private struct PathEndpoints {
        let pattern: PathPattern
        /// The index of the endpoint that serves a method, by ``Method/rawValue``; -1 if there is none.
        var endpoints = [Int](repeating: -1, count: Method.allCases.count)
        var methods = MethodSet()
        /// The index of the first endpoint of the path.
        let first: Int
        let isInstance: Bool
    }

    /// The endpoints in the order of their descriptions.
    package let endpoints: [Endpoint]
    /// The requirement of each endpoint, in a separate array so that reading a requirement does not copy the endpoint.
    let requirements: [Requirement]
    private let entries: [PathEndpoints]
    /// The first segments of the gateway's own paths.
    private let ownSegments: [[UInt8]]
    private let pages = Pages()

    /// Creates a table of these endpoints.
    package init(_ endpoints: [Endpoint]) {
        self.endpoints = endpoints
        requirements = endpoints.map(\.requirement)
        var entries: [PathEndpoints] = []
        for (index, endpoint) in endpoints.enumerated() {
            if !entries.contains(where: { $0.pattern == endpoint.path }) {
                entries.append(
                    PathEndpoints(pattern: endpoint.path, first: index, isInstance: endpoint.handler.isInstance))
            }
            for entry in entries.indices where entries[entry].pattern == endpoint.path {
                entries[entry].methods.formUnion(endpoint.methods)
                for method in endpoint.methods.methods { entries[entry].endpoints[Int(method.rawValue)] = index }
            }
        }
        ownSegments = Array(
            Set(
                endpoints.compactMap { Self.firstSegment($0.path.template.utf8).map(Array.init) } + [
                    [UInt8(ascii: "-")]
                ]))
        // Match the paths of instances first, because most requests go to instances.
        self.entries = entries.filter(\.isInstance) + entries.filter { !$0.isInstance }
    }

    /// The methods of requests to instances, in the form of the `Allow` field; nil if no endpoint forwards requests.
    var instanceMethods: String? { entries.first(where: \.isInstance)?.methods.allow }

    /// Returns whether the first segment of a path is that of one of the gateway's own paths, such as `/projects/…` or
    /// `/-/…`. No instance receives such a path at the root.
    func isOwn(_ path: ArraySlice<UInt8>) -> Bool {
        guard let first = Self.firstSegment(path) else { return false }
        return ownSegments.contains { $0.elementsEqual(first) }
    }

    private static func firstSegment<Bytes: Collection<UInt8>>(_ path: Bytes) -> Bytes.SubSequence? {
        path.split(separator: UInt8(ascii: "/"), maxSplits: 1).first
    }

    /// Returns a table that also contains these endpoints.
    package func adding(_ others: [Endpoint]) -> EndpointTable {
        others.isEmpty ? self : EndpointTable(endpoints + others)
    }

    /// Returns the page of the endpoint with this index; nil if the endpoint has no page.
    func page(_ index: Int) -> StaticPage? {
        guard case .page(let make) = endpoints[index].handler else { return nil }
        return pages.page(index) { make(self) }
    }

    /// Returns the match for a request's head. The Host field is ignored, because the gateway has only one site.
    func match(_ head: RequestHead) -> Match {
        guard let target = RequestTarget(head.target) else { return .notFound }
        let path = target.path
        for index in entries.indices {
            guard let captures = entries[index].pattern.match(path.span) else { continue }
            let endpoint = entries[index].endpoints[Int(head.method.rawValue)]
            if entries[index].isInstance, endpoint >= 0 {
                return .instance(
                    endpoint, segment: path[captures.segment.shifted(by: path.startIndex)],
                    target: target.from(path[(path.startIndex + captures.remainder)...]))
            }
            return match(entries[index], of: endpoint, with: path[captures.segment.shifted(by: path.startIndex)])
        }
        return .notFound
    }

    private func match(_ entry: PathEndpoints, of endpoint: Int, with segment: ArraySlice<UInt8>) -> Match {
        if entry.pattern.namesProject, !entry.isInstance, ProjectName(percentEncoded: segment) == nil {
            return .unknownProject(entry.first, String(decoding: segment, as: UTF8.self))
        }
        return endpoint >= 0 ? .endpoint(endpoint) : .methodNotAllowed(allow: entry.methods.allow)
    }

    /// Returns the segment of a head's path that names a project for the endpoint with this index; nil if the endpoint
    /// concerns all projects.
    func projectSegment(_ index: Int, of head: RequestHead) -> ArraySlice<UInt8>? {
        let pattern = endpoints[index].path
        guard pattern.namesProject, let path = RequestTarget(head.target)?.path else { return nil }
        return pattern.parameters(of: path)["name"]
    }

    /// Returns the methods of the path in a head's target, in the form of the `Allow` field; nil if the path is
    /// unknown.
    func allow(_ head: RequestHead) -> String? {
        guard let path = RequestTarget(head.target)?.path else { return nil }
        return entries.first { $0.pattern.match(path.span) != nil }?.methods.allow
    }
}

/// The pages of a table and of its copies. The table generates a page when a client requests the page for the first
/// time. Most gateways never serve these pages, and earlier generation would delay the start.
private final class Pages: Sendable {
    private let generated = Locked<[Int: StaticPage]>([:])

    /// Returns a page. Another loop that needs a page at the same time waits a few milliseconds until this loop has
    /// generated its page.
    func page(_ index: Int, make: () -> StaticPage) -> StaticPage {
        generated.withLock { pages in
            if let page = pages[index] { return page }
            let page = make()
            pages[index] = page
            return page
        }
    }
}

extension Range<Int> {
    fileprivate func shifted(by distance: Int) -> Range<Int> { (lowerBound + distance)..<(upperBound + distance) }
}
