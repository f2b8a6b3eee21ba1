// SPDX-License-Identifier: Apache-2.0

/// A request method (RFC 9110 §9). Methods are case-sensitive: `get` is not `GET`.
package enum Method: UInt8, Sendable, Equatable, CaseIterable {
    case get, head, post, put, delete, patch, options, connect, trace
    /// A method that the gateway does not know; ``RequestHead/methodName`` contains its spelling.
    case other

    /// Returns whether two methods are equal. The explicit implementation allows other modules to inline the
    /// comparison.
    @inlinable package static func == (left: Method, right: Method) -> Bool { left.rawValue == right.rawValue }

    /// Creates the method for a name from the request line.
    package init(name: String) {
        self =
            switch name {
            case "GET": .get
            case "HEAD": .head
            case "POST": .post
            case "PUT": .put
            case "DELETE": .delete
            case "PATCH": .patch
            case "OPTIONS": .options
            case "CONNECT": .connect
            case "TRACE": .trace
            default: .other
            }
    }

    /// The method's name; nil for ``other``.
    package var name: String? {
        switch self {
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .delete: "DELETE"
        case .patch: "PATCH"
        case .options: "OPTIONS"
        case .connect: "CONNECT"
        case .trace: "TRACE"
        case .other: nil
        }
    }

    /// Whether repeating the request has the same effect as sending it once (RFC 9110 §9.2.2).
    package var isIdempotent: Bool {
        switch self {
        case .get, .head, .put, .delete, .options, .trace: true
        case .post, .patch, .connect, .other: false
        }
    }
}
