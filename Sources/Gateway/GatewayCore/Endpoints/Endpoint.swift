// SPDX-License-Identifier: Apache-2.0

package import Access
package import HTTPServer
package import HTTPTypes
package import Projects

/// An endpoint with its complete definition; a new endpoint needs nothing else. The router, `Allow`, admission,
/// preflights, `/openapi.json` and `/docs` are derived from ``EndpointTable``.
package struct Endpoint: Sendable {
    /// The methods that it serves. An endpoint that serves GET also serves HEAD.
    let methods: MethodSet
    /// The paths that it serves. Another endpoint may serve other methods of the same paths.
    package let path: PathPattern
    /// The permission that a caller needs.
    package let requirement: Requirement
    /// The treatment of a request's body.
    package let body: BodyRule
    /// The text for `/openapi.json` and `/docs`.
    package let description: Description
    /// The handler that answers requests.
    let handler: Handler

    /// Creates an endpoint with a path template; see ``PathPattern``.
    package init(
        _ methods: MethodSet, _ template: String, requires requirement: Requirement, body: BodyRule = .ignored,
        description: Description, handler: Handler
    ) {
        self.methods = methods.contains(.get) ? methods.union(.head) : methods
        path = PathPattern(template)
        self.requirement = requirement
        self.body = body
        self.description = description
        self.handler = handler
    }

    /// Creates an endpoint that the control plane answers.
    init(
        _ methods: MethodSet, _ template: String, requires requirement: Requirement, body: BodyRule = .ignored,
        description: Description,
        answer: @escaping @Sendable (ControlRequest, any ProjectControl) async -> ControlResponse
    ) {
        self.init(
            methods, template, requires: requirement, body: body, description: description, handler: .control(answer))
    }

    /// The component that answers a request.
    package enum Handler: Sendable {
        /// A text that is the same for all clients, generated once from the table.
        case page(@Sendable (EndpointTable) -> StaticPage)
        /// An immediate answer that is the same for all clients.
        case fixed(GatewayAnswer)
        /// The control plane, which responds asynchronously with an answer or a stream.
        case control(@Sendable (ControlRequest, any ProjectControl) async -> ControlResponse)
        /// A feature of the loop, without the control plane.
        case loop(@Sendable (ControlRequest, ClientConnection, GatewayLoop) -> Void)
        /// The project's OpenCode instance, which receives the rest of the path.
        case instance

        /// Returns a control plane handler for the project that the path names.
        package static func project(
            _ answer: @escaping @Sendable (ProjectName, any ProjectControl) async -> GatewayAnswer
        ) -> Handler {
            .control { request, control in
                guard let name = request.project else { return .answer(.detail(404, "Not Found")) }
                return .answer(await answer(name, control))
            }
        }

        /// Returns a control plane handler for the project that the path names, with the request's principal.
        package static func project(
            _ answer: @escaping @Sendable (ProjectName, Principal?, any ProjectControl) async -> GatewayAnswer
        ) -> Handler {
            .control { request, control in
                guard let name = request.project else { return .answer(.detail(404, "Not Found")) }
                return .answer(await answer(name, request.principal, control))
            }
        }

        /// Whether requests are forwarded to an instance.
        var isInstance: Bool { if case .instance = self { true } else { false } }
    }
}

/// The permission that an endpoint requires of its callers.
package enum Requirement: Sendable, Equatable {
    /// No permission: any client may send requests, without a key.
    case nothing
    /// A key that grants at least this.
    case key(Grant)
    /// Like ``key(_:)``, but the key may also be sent in `Sec-WebSocket-Protocol`, the only field that a browser's
    /// WebSocket can set.
    case webSocketKey(Grant)

    /// Whether any client may send requests without a key.
    package var isOpen: Bool { self == .nothing }
}

/// A set of request methods.
package struct MethodSet: OptionSet, Sendable, Hashable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    private init(_ method: Method) { rawValue = 1 << UInt16(method.rawValue) }

    package static let get = MethodSet(Method.get)
    package static let head = MethodSet(Method.head)
    package static let post = MethodSet(Method.post)
    package static let put = MethodSet(Method.put)
    package static let delete = MethodSet(Method.delete)
    package static let patch = MethodSet(Method.patch)
    package static let options = MethodSet(Method.options)

    /// Whether the set contains the method.
    func contains(_ method: Method) -> Bool { rawValue & MethodSet(method).rawValue != 0 }

    /// The methods of the set, in the order of ``Method``.
    package var methods: [Method] { Method.allCases.filter(contains) }

    /// The names of the methods in the form of the `Allow` field (RFC 9110 §10.2.1).
    var allow: String { methods.compactMap(\.name).joined(separator: ", ") }
}

/// The treatment of the body of a request that the gateway answers itself.
package enum BodyRule: Sendable, Equatable {
    /// The body is read and discarded.
    case ignored
    /// The body must be JSON of at most `limit` bytes; other bodies are rejected with 413 or 415.
    case json(limit: Int)

    /// Returns the refusal of a request whose head already shows that its body violates the rule.
    func refusal(of head: RequestHead, _ framing: RequestFraming) -> GatewayAnswer? {
        guard case .json(let limit) = self else { return nil }
        if case .length(let length) = framing, length > limit { return Self.tooLarge(limit) }
        guard head.fields.withFirst(.contentType, Self.isJSON) == true else {
            return .detail(415, "The body must be JSON. Send it with Content-Type: application/json.")
        }
        return nil
    }

    /// Returns the refusal of a body that turned out to be longer than the limit.
    static func tooLarge(_ limit: Int) -> GatewayAnswer {
        .detail(413, "The body is larger than \(limit) bytes, the limit of this endpoint. Send a smaller body.")
    }

    /// Returns the refusal of a complete body that is not UTF-8, which JSON between systems must be (RFC 8259 §8.1).
    package static func refusal(ofText body: [UInt8]) -> GatewayAnswer? {
        guard String(validating: body, as: UTF8.self) == nil else { return nil }
        return .detail(400, "The body is not encoded as UTF-8. Send JSON in UTF-8.")
    }

    private static let json = Array("application/json".utf8)

    /// Whether a Content-Type value is `application/json`, with or without parameters (RFC 9110 §8.3.1).
    private static func isJSON(_ value: Span<UInt8>) -> Bool {
        guard value.count >= json.count else { return false }
        for index in json.indices where value[index].lowercasedLetter != json[index] { return false }
        var next = json.count
        while next < value.count, value[next].isOptionalWhiteSpace { next += 1 }
        return next == value.count || value[next] == UInt8(ascii: ";")
    }
}
