// SPDX-License-Identifier: Apache-2.0

internal import JSONText

/// A route of OpenCode 1: a method and a path whose variable segments have names.
struct OpenCode1Route: Hashable, Sendable, CustomStringConvertible {
    /// A method of OpenCode 1's routes.
    enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    let method: Method
    /// The path as in OpenCode's document, such as `/session/{sessionID}`.
    let template: String

    init(_ method: Method, _ template: String) {
        self.method = method
        self.template = template
    }

    /// Creates a route from a method and a path template; nil if the method is unknown.
    init?(method: some StringProtocol, template: some StringProtocol) {
        guard let method = Method(rawValue: String(method)) else { return nil }
        self.init(method, String(template))
    }

    var description: String { "\(method.rawValue) \(template)" }

    /// The segments of a path template, prepared for matching.
    struct Pattern: Sendable {
        /// The literal segments, with nil for each variable segment.
        let literals: [String?]
        /// The names of the variable segments in order.
        let names: [String]

        init(_ template: String) {
            let segments = template.split(separator: "/")
            literals = segments.map { $0.first == "{" ? nil : String($0) }
            names = segments.filter { $0.first == "{" }.map { String($0.dropFirst().dropLast()) }
        }

        /// Returns the values of the variable segments; nil if the path does not match. The path must have as many
        /// segments as the pattern.
        func values(_ path: [String]) -> PathValues? {
            var values: [String] = []
            for (literal, segment) in zip(literals, path) {
                if let literal {
                    guard literal == segment else { return nil }
                } else {
                    guard !segment.isEmpty else { return nil }
                    values.append(segment)
                }
            }
            return PathValues(names: names, values: values)
        }
    }
}

/// The values of the variable segments of a request's path.
struct PathValues: Sendable {
    let names: [String]
    let values: [String]

    /// The number of variable segments.
    var count: Int { values.count }

    /// The value of the variable segment with this name. The route's template must contain the name.
    subscript(name: String) -> String {
        guard let index = names.firstIndex(of: name) else {
            assertionFailure("the route has no segment \(name)")
            return ""
        }
        return values[index]
    }

    /// The id of the session that the path names.
    var session: String { self["sessionID"] }
}

/// A route of OpenCode 1 that the gateway supports for OpenCode 2 instances.
struct BridgeRoute: Sendable {
    /// A function that handles a request, and throws only ``BridgeError``. The type does not state this error, because
    /// Swift 6.3 does not infer the error's type in closures.
    typealias Handler = @Sendable (Bridge, PathValues, ClientRequest) async throws -> ClientAnswer
    /// A function that handles a request, and may send the response's body in batches. The function throws only
    /// ``BridgeError``.
    typealias StreamHandler = @Sendable (Bridge, PathValues, ClientRequest) async throws -> BridgeResponse

    /// The component that handles a request.
    enum Handling: Sendable {
        /// The bridge itself, with this handler.
        case bridge(StreamHandler)
        /// The event hub, whose streams are translated.
        case eventStream
        /// The instance, which serves the terminal's WebSocket under another path.
        case terminal
    }

    let route: OpenCode1Route
    let handling: Handling
    /// Returns the response to a body that violates OpenCode 1's document. The argument is the first violation.
    let invalidBody: @Sendable (BodySchema.Mismatch) -> ClientAnswer

    init(
        _ method: OpenCode1Route.Method, _ template: String, handling: Handling,
        invalidBody: @escaping @Sendable (BodySchema.Mismatch) -> ClientAnswer = { Refusals.bad($0.message) }
    ) {
        route = OpenCode1Route(method, template)
        self.handling = handling
        self.invalidBody = invalidBody
    }

    /// Creates a route that the bridge handles.
    init(
        _ method: OpenCode1Route.Method, _ template: String,
        invalidBody: @escaping @Sendable (BodySchema.Mismatch) -> ClientAnswer = { Refusals.bad($0.message) },
        handler: @escaping Handler
    ) {
        let whole: StreamHandler = { bridge, path, request in .answer(try await handler(bridge, path, request)) }
        self.init(method, template, handling: .bridge(whole), invalidBody: invalidBody)
    }

    /// Creates a route whose response the bridge sends in batches.
    init(_ method: OpenCode1Route.Method, _ template: String, streaming handler: @escaping StreamHandler) {
        self.init(method, template, handling: .bridge(handler))
    }

    /// Creates a GET route that always has the same response.
    init(_ template: String, answer: JSON) {
        self.init(.get, template) { _, _, _ in ClientAnswer(answer) }
    }

    /// All OpenCode 1 routes that the gateway supports for OpenCode 2 instances.
    static let all: [BridgeRoute] =
        Bridge.sessions + Bridge.turns + Bridge.requests + Bridge.catalogue + Bridge.files + Bridge.terminals
        + [
            BridgeRoute(.get, "/event", handling: .eventStream),
            BridgeRoute(.get, "/global/event", handling: .eventStream),
            BridgeRoute(.get, "/pty/{ptyID}/connect", handling: .terminal),
        ]
}
