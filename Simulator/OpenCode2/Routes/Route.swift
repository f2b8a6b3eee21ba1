// SPDX-License-Identifier: Apache-2.0

/// A route of OpenCode 2's API.
struct Route: Sendable {
    /// The source of the responses' format.
    enum Basis: Sendable {
        case recorded
        /// OpenCode 2.0.15's API document. No recording contains the route, so the responses are only valid according
        /// to the document.
        case documented
    }

    /// A function that responds to a call, or throws a `RequestError` that contains the response.
    typealias Handler = @Sendable (_ simulator: Simulator2, _ call: Call) throws -> RequestOutcome

    let method: String
    /// The path as in OpenCode's API document. `{name}` matches one segment, and a final `*` matches all remaining
    /// segments.
    let path: String
    let basis: Basis
    let handler: Handler
    private let pattern: [Substring]

    init(_ method: String, _ path: String, basis: Basis = .recorded, handler: @escaping Handler) {
        self.method = method
        self.path = path
        self.basis = basis
        self.handler = handler
        pattern = path.split(separator: "/")
    }

    /// Returns the path parameters of a request; nil if the request does not match this route.
    func parameters(_ method: String, _ segments: [String]) -> [String: String]? {
        guard method == self.method else { return nil }
        return Route.match(pattern, segments)
    }

    /// Returns the parameters of a pattern in a path's segments; nil if the segments do not match the pattern.
    static func match(_ pattern: [Substring], _ segments: [String]) -> [String: String]? {
        let takesRest = pattern.last == "*"
        guard takesRest ? segments.count >= pattern.count : segments.count == pattern.count else { return nil }
        var parameters: [String: String] = [:]
        for (part, segment) in zip(pattern, segments) {
            if part == "*" {
                parameters["*"] = segments[(pattern.count - 1)...].joined(separator: "/")
            } else if part.hasPrefix("{") {
                parameters[String(part.dropFirst().dropLast())] = segment
            } else if part != segment {
                return nil
            }
        }
        return parameters
    }
}

/// The arguments of a route's handler.
struct Call {
    let request: Request
    /// The path parameters, by name.
    let parameters: [String: String]

    /// Returns a path parameter. The route's path must contain the parameter.
    subscript(name: String) -> String { parameters[name] ?? "" }

    /// Returns the value of the first query parameter with this name.
    func query(_ name: String) -> String? { request.query[name] }

    /// Returns the body, which must be a JSON object.
    func object() throws(RequestError) -> JSON {
        guard let body = request.body.isEmpty ? .null : request.json else {
            throw .invalid("Expected a valid JSON body", "Payload")
        }
        guard case .object = body else { throw .invalid("Expected object", "Payload") }
        return body
    }
}

/// An error that contains the response to a rejected request.
struct RequestError: Error {
    let answer: SimulatedAnswer

    init(_ answer: SimulatedAnswer) {
        self.answer = answer
    }

    /// Returns the error for input that does not match the schema in OpenCode's API document.
    ///
    /// - Parameter kind: The invalid part of the request: `Payload`, `Query` or `Params`.
    static func invalid(_ message: String, _ kind: String) -> RequestError {
        RequestError(
            .error(
                400, "Bad Request", tag: "InvalidRequestError",
                members: [("message", .string(message)), ("kind", .string(kind))]))
    }
}
