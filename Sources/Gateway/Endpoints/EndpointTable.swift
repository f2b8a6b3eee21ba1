import HTTPServer
import HTTPTypes
import Projects

/// All endpoints, and the way from a request's head to one of them. Pure: the same head gives the same endpoint,
/// whatever else is going on.
struct EndpointTable: Sendable {
    /// What a request asks for.
    enum Match: Equatable {
        /// The endpoint with this index.
        case endpoint(Int)
        /// The endpoint with this index, which passes requests on: to the instance of the project with this name, as it
        /// stands in the path, neither decoded nor checked; and the target that the instance gets.
        case instance(Int, segment: ArraySlice<UInt8>, target: ArraySlice<UInt8>)
        /// A path of the endpoint with this index, whose name cannot be a project's; the name as it came.
        case unknownProject(Int, String)
        /// The path is known, the method is not its own; the value of the Allow field (RFC 9110 §10.2.1).
        case methodNotAllowed(allow: String)
        case notFound
    }

    /// The endpoints that share a path.
    private struct Place {
        let pattern: PathPattern
        /// The index of the endpoint that serves a method, by ``Method/rawValue``; -1 for none.
        var endpoints = [Int](repeating: -1, count: Method.allCases.count)
        var methods = MethodSet()
        /// The first of them.
        let first: Int
        let isInstance: Bool
    }

    /// The endpoints in the order in which they are described.
    let endpoints: [Endpoint]
    /// What each of them wants of its callers: what a request looks at, without a copy of the rest.
    let requirements: [Requirement]
    private let places: [Place]
    private let pages: [StaticPage?]

    /// A table of these endpoints.
    init(_ endpoints: [Endpoint]) {
        self.init(endpoints, pages: endpoints.map { _ in nil })
        let pages = endpoints.map { endpoint -> StaticPage? in
            if case .page(let make) = endpoint.handler { make(self) } else { nil }
        }
        self.init(endpoints, pages: pages)
    }

    private init(_ endpoints: [Endpoint], pages: [StaticPage?]) {
        self.endpoints = endpoints
        self.pages = pages
        requirements = endpoints.map(\.requirement)
        var places: [Place] = []
        for (index, endpoint) in endpoints.enumerated() {
            if !places.contains(where: { $0.pattern == endpoint.path }) {
                places.append(Place(pattern: endpoint.path, first: index, isInstance: endpoint.handler.isInstance))
            }
            for place in places.indices where places[place].pattern == endpoint.path {
                places[place].methods.formUnion(endpoint.methods)
                for method in endpoint.methods.methods { places[place].endpoints[Int(method.rawValue)] = index }
            }
        }
        // Most requests go to instances: their path is looked at first.
        self.places = places.filter(\.isInstance) + places.filter { !$0.isInstance }
    }

    /// The same with more.
    func adding(_ others: [Endpoint]) -> EndpointTable { others.isEmpty ? self : EndpointTable(endpoints + others) }

    /// The page that the endpoint with this index answers with.
    func page(_ index: Int) -> StaticPage? { pages[index] }

    /// What a request with this head asks for. The site is chosen by its Host field once there is more than one.
    func match(_ head: RequestHead) -> Match {
        guard let target = RequestTarget(head.target) else { return .notFound }
        let path = target.path
        for index in places.indices {
            guard let captures = places[index].pattern.match(path.span) else { continue }
            let endpoint = places[index].endpoints[Int(head.method.rawValue)]
            if places[index].isInstance, endpoint >= 0 {
                return .instance(
                    endpoint, segment: path[captures.segment.shifted(by: path.startIndex)],
                    target: target.from(path[(path.startIndex + captures.remainder)...]))
            }
            return match(places[index], endpoint, path[captures.segment.shifted(by: path.startIndex)])
        }
        return .notFound
    }

    private func match(_ place: Place, _ endpoint: Int, _ segment: ArraySlice<UInt8>) -> Match {
        if place.pattern.namesProject, !place.isInstance, ProjectName(percentEncoded: segment) == nil {
            return .unknownProject(place.first, String(decoding: segment, as: UTF8.self))
        }
        return endpoint >= 0 ? .endpoint(endpoint) : .methodNotAllowed(allow: place.methods.allow)
    }

    /// The methods of the path that a head's target names, as `Allow` lists them; nil where there is nothing.
    func allow(_ head: RequestHead) -> String? {
        guard let path = RequestTarget(head.target)?.path else { return nil }
        return places.first { $0.pattern.match(path.span) != nil }?.methods.allow
    }
}

extension Range<Int> {
    fileprivate func shifted(by distance: Int) -> Range<Int> { (lowerBound + distance)..<(upperBound + distance) }
}
