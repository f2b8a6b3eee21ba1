/// A request method (RFC 9110 §9). Methods are case-sensitive: `get` is not `GET`.
package enum Method: Sendable, Equatable {
    case get, head, post, put, delete, patch, options, connect, trace
    /// A method that the gateway does not know; its spelling stands in ``RequestHead/methodName``.
    case other

    /// Reads a method's name as it stands in the request line.
    package init(name: String) {
        self = Self.known[name] ?? .other
    }

    /// Whether repeating the request has the same effect as sending it once (RFC 9110 §9.2.2).
    package var isIdempotent: Bool {
        switch self {
        case .get, .head, .put, .delete, .options, .trace: true
        case .post, .patch, .connect, .other: false
        }
    }

    private static let known: [String: Method] = [
        "GET": .get, "HEAD": .head, "POST": .post, "PUT": .put, "DELETE": .delete, "PATCH": .patch,
        "OPTIONS": .options, "CONNECT": .connect, "TRACE": .trace,
    ]
}
