// SPDX-License-Identifier: Apache-2.0

/// A route of OpenCode 2's API.
struct Route: Sendable {
    /// The source that the responses follow.
    enum Basis: Sendable {
        case recorded
        /// The document of 2.0.15. No recording contains the route, so its responses are only valid according to the
        /// document.
        case documented
    }

    /// Responds to a call, or throws the `RequestError` that is the response.
    typealias Handler = @Sendable (_ simulator: Simulator2, _ call: Call) throws -> RequestOutcome

    let method: String
    /// The path as in the document. `{name}` matches one segment, and a final `*` matches all remaining segments.
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

    /// Returns the path parameters of a request that matches this route; nil if it does not match.
    func parameters(_ method: String, _ segments: [String]) -> [String: String]? {
        guard method == self.method else { return nil }
        return Route.match(pattern, segments)
    }

    /// Returns the parameters that a pattern finds in a path's segments; nil if it does not match.
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

    /// Returns a path parameter. The route must declare it.
    subscript(name: String) -> String { parameters[name] ?? "" }

    /// Returns the first query parameter with that name.
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

/// An error that carries the response to a rejected request.
struct RequestError: Error {
    let answer: SimulatedAnswer

    init(_ answer: SimulatedAnswer) {
        self.answer = answer
    }

    /// Returns the error for input that does not match the document's schema.
    ///
    /// - Parameter kind: The part of the request: `Payload`, `Query` or `Params`.
    static func invalid(_ message: String, _ kind: String) -> RequestError {
        RequestError(
            .error(
                400, "Bad Request", tag: "InvalidRequestError",
                members: [("message", .string(message)), ("kind", .string(kind))]))
    }
}
