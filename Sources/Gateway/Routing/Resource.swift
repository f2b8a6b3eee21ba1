import HTTPTypes

/// The kinds of resources that the gateway has. ``Router`` finds a path's, `Allow` and the API's description are made
/// from it.
enum Resource: CaseIterable {
    case health
    case apiDescription
    case documentation
    case projects
    case start
    case stop
    case status
    /// A project's OpenCode instance, with everything below it.
    case instance

    /// The path, its parts that vary in braces (OpenAPI 3.1 §4.8.8).
    var template: String {
        switch self {
        case .health: "/health"
        case .apiDescription: "/openapi.json"
        case .documentation: "/docs"
        case .projects: "/projects"
        case .start: "/projects/{name}/start"
        case .stop: "/projects/{name}/stop"
        case .status: "/projects/{name}/status"
        case .instance: "/projects/{name}/api/{path}"
        }
    }

    /// Whether everybody may ask, without a key.
    var isOpen: Bool {
        switch self {
        case .health, .apiDescription, .documentation: true
        case .projects, .start, .stop, .status, .instance: false
        }
    }

    /// Whether a request with this method is served.
    func accepts(_ method: Method) -> Bool {
        switch self {
        case .health, .apiDescription, .documentation, .projects, .status: method == .get || method == .head
        case .start: method == .post
        case .stop: method == .delete
        case .instance:
            switch method {
            case .connect, .trace, .other: false
            case .get, .head, .post, .put, .delete, .patch, .options: true
            }
        }
    }

    /// The methods' names as `Allow` lists them (RFC 9110 §10.2.1).
    var allow: String { Method.allCases.filter(accepts).compactMap(\.name).joined(separator: ", ") }
}
