import HTTPTypes
import Instances

/// What a request asks for: method and raw path mapped to one case.
enum Route: Equatable {
    case health
    case projects
    case start(ProjectName)
    case stop(ProjectName)
    case status(ProjectName)
    /// To a project's instance: the project's name as it stands in the path, not decoded and not checked, and the
    /// target that the instance gets.
    case proxy(segment: ArraySlice<UInt8>, target: ArraySlice<UInt8>)
    /// A path under `/projects/` whose name cannot be a project's; the name as it came.
    case unknownProject(String)
    case notFound
    /// The path is known, the method is not its own; the value of the Allow field (RFC 9110 §10.2.1).
    case methodNotAllowed(allow: String)
}

/// Maps requests to routes. Pure: the same bytes give the same route, whatever else is going on.
enum Router {
    /// Methods that are passed on to instances.
    private static let proxied = "GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS"

    /// The route of a request with this method and raw target.
    static func route(_ method: Method, _ target: [UInt8]) -> Route {
        guard let target = RequestTarget(target) else { return .notFound }
        if target.path.elementsEqual(health) { return read(method, .health) }
        if target.path.elementsEqual(projects) { return read(method, .projects) }
        guard target.path.starts(with: projectsPrefix) else { return .notFound }
        let afterPrefix = target.path.dropFirst(projectsPrefix.count)
        guard let nameEnd = afterPrefix.firstIndex(of: UInt8(ascii: "/")) else { return .notFound }
        let rawName = afterPrefix[..<nameEnd]
        let rest = afterPrefix[nameEnd...]
        guard let resource = Resource(rest) else { return .notFound }
        if case .api(let path) = resource {
            guard method != .other, method != .connect, method != .trace else {
                return .methodNotAllowed(allow: proxied)
            }
            return .proxy(segment: rawName, target: target.from(path))
        }
        guard let name = ProjectName(percentEncoded: rawName) else {
            return .unknownProject(String(decoding: rawName, as: UTF8.self))
        }
        switch resource {
        case .start: return method == .post ? .start(name) : .methodNotAllowed(allow: "POST")
        case .stop: return method == .delete ? .stop(name) : .methodNotAllowed(allow: "DELETE")
        case .status: return read(method, .status(name))
        case .api: return .notFound
        }
    }

    /// What stands behind a project's name.
    private enum Resource {
        case start, stop, status
        case api(ArraySlice<UInt8>)

        init?(_ path: ArraySlice<UInt8>) {
            if path.elementsEqual(Router.start) {
                self = .start
            } else if path.elementsEqual(Router.stop) {
                self = .stop
            } else if path.elementsEqual(Router.status) {
                self = .status
            } else if path.starts(with: Router.api) {
                let rest = path.dropFirst(Router.api.count)
                guard rest.isEmpty || rest.first == UInt8(ascii: "/") else { return nil }
                self = .api(rest)
            } else {
                return nil
            }
        }
    }

    private static func read(_ method: Method, _ route: Route) -> Route {
        method == .get || method == .head ? route : .methodNotAllowed(allow: "GET, HEAD")
    }

    private static let health = Array("/health".utf8)
    private static let projects = Array("/projects".utf8)
    private static let projectsPrefix = Array("/projects/".utf8)
    private static let start = Array("/start".utf8)
    private static let stop = Array("/stop".utf8)
    private static let status = Array("/status".utf8)
    private static let api = Array("/api".utf8)
}
