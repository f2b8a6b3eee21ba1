import HTTPTypes
internal import Projects

/// Maps requests to routes. Pure: the same bytes give the same route, whatever else is going on.
enum Router {
    /// The route of a request with this method and raw target.
    static func route(_ method: Method, _ target: [UInt8]) -> Route {
        guard let target = RequestTarget(target), let place = Place(target.path) else { return .notFound }
        let resource = place.resource
        if resource == .instance, resource.accepts(method) {
            return .proxy(segment: target.path[place.segment], target: target.from(target.path[place.rest...]))
        }
        switch resource {
        case .start, .stop, .status:
            guard let name = ProjectName(percentEncoded: target.path[place.segment]) else {
                return .unknownProject(String(decoding: target.path[place.segment], as: UTF8.self))
            }
            guard resource.accepts(method) else { break }
            return resource == .start ? .start(name) : resource == .stop ? .stop(name) : .status(name)
        case .health where resource.accepts(method): return .health
        case .apiDescription where resource.accepts(method): return .apiDescription
        case .documentation where resource.accepts(method): return .documentation
        case .projects where resource.accepts(method): return .projects
        case .health, .apiDescription, .documentation, .projects, .instance: break
        }
        return .methodNotAllowed(allow: resource.allow)
    }

    /// The kind of resource that a raw target names, whatever the method; nil where there is none.
    static func resource(_ target: [UInt8]) -> Resource? {
        RequestTarget(target).flatMap { Place($0.path) }?.resource
    }

    /// A path taken apart: what it names, and where in it the parts stand that vary.
    private struct Place {
        let resource: Resource
        /// The project's name as it came; empty where the path names none.
        let segment: Range<Int>
        /// The beginning of what stands behind `/api`.
        let rest: Int

        init?(_ path: ArraySlice<UInt8>) {
            guard path.starts(with: Router.projectsPrefix) else {
                guard let resource = Router.plainPaths.first(where: { path.elementsEqual($0.path) })?.resource else {
                    return nil
                }
                self.resource = resource
                segment = path.endIndex..<path.endIndex
                rest = path.endIndex
                return
            }
            let nameStart = path.startIndex + Router.projectsPrefix.count
            var nameEnd = nameStart
            while nameEnd < path.endIndex, path[nameEnd] != UInt8(ascii: "/") { nameEnd += 1 }
            guard nameEnd < path.endIndex else { return nil }
            segment = nameStart..<nameEnd
            let tail = path[nameEnd...]
            if tail.starts(with: Router.api) {
                rest = nameEnd + Router.api.count
                guard rest == path.endIndex || path[rest] == UInt8(ascii: "/") else { return nil }
                resource = .instance
            } else {
                guard let resource = Router.projectPaths.first(where: { tail.elementsEqual($0.path) })?.resource else {
                    return nil
                }
                self.resource = resource
                rest = path.endIndex
            }
        }
    }

    private static let projectsPrefix = Array("/projects/".utf8)
    private static let api = Array("/api".utf8)
    private static let plainPaths = paths(of: [.health, .apiDescription, .documentation, .projects])
    private static let projectPaths = paths(of: [.start, .stop, .status], below: "/projects/{name}")

    private static func paths(of resources: [Resource], below prefix: String = "") -> [(
        path: [UInt8], resource: Resource
    )] {
        resources.map { (Array($0.template.dropFirst(prefix.count).utf8), $0) }
    }
}
