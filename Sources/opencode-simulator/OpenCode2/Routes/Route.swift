/// One route of OpenCode 2.
struct Route: Sendable {
    /// What the answers follow.
    enum Basis: Sendable {
        case recorded
        /// The document of 2.0.15: no recording has it. The answers are valid, and no more.
        case documented
    }

    /// Answers a call, or throws the `Refusal` that answers it.
    typealias Handler = @Sendable (_ simulator: Simulator2, _ call: Call) throws -> Outcome

    let method: String
    /// The path as the document has it: `{name}` stands for one segment, `*` at the end for all that follow.
    let path: String
    let basis: Basis
    let handler: Handler
    private let pattern: [Substring]

    init(_ method: String, _ path: String, _ basis: Basis = .recorded, _ handler: @escaping Handler) {
        (self.method, self.path, self.basis, self.handler) = (method, path, basis, handler)
        pattern = path.split(separator: "/")
    }

    /// The parameters of a request that this route is for; nil when it is for others.
    func parameters(_ method: String, _ segments: [String]) -> [String: String]? {
        guard method == self.method else { return nil }
        return Route.match(pattern, segments)
    }

    /// What a path's segments are for a pattern; nil when it does not fit.
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

/// What a route's handler is called with.
struct Call {
    let request: Request
    /// The values of the path's parameters, by their name.
    let parameters: [String: String]

    /// A parameter of the path; the route has it.
    subscript(name: String) -> String { parameters[name] ?? "" }

    /// The first value of that name in the query.
    func query(_ name: String) -> String? { request.query[name] }

    /// The body, which must be a JSON object.
    func object() throws(Refusal) -> JSON {
        guard let body = request.body.isEmpty ? .null : request.json else {
            throw .invalid("Expected a valid JSON body", "Payload")
        }
        guard case .object = body else { throw .invalid("Expected object", "Payload") }
        return body
    }
}

/// A request is refused with this answer.
struct Refusal: Error {
    let answer: Answer

    init(_ answer: Answer) {
        self.answer = answer
    }

    /// What was sent is not what the document wants. `kind` is the part of the request: `Payload`, `Query`, `Params`.
    static func invalid(_ message: String, _ kind: String) -> Refusal {
        Refusal(
            .error(
                400, "Bad Request", "InvalidRequestError", [("message", .string(message)), ("kind", .string(kind))]))
    }
}
