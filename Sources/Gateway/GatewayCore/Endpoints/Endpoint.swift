// SPDX-License-Identifier: Apache-2.0

package import Access
package import Audit
package import HTTPServer
package import HTTPTypes
package import OpenCodeFamilies
package import Projects

/// A complete definition of an endpoint. A new endpoint needs nothing else, because the router, `Allow`, admission,
/// preflights, `/openapi.json` and `/docs` are derived from ``EndpointTable``.
package struct Endpoint: Sendable {
    /// The methods that the endpoint serves. An endpoint that serves GET also serves HEAD.
    let methods: MethodSet
    /// The paths that the endpoint serves. Another endpoint may serve other methods of the same paths.
    package let path: PathPattern
    /// The permission that a caller needs.
    package let requirement: Requirement
    /// The treatment of a request's body.
    package let body: BodyRule
    /// The text for `/openapi.json` and `/docs`.
    package let description: Description
    /// The handler that serves requests.
    let handler: Handler
    /// Whether the task of a control plane handler is cancelled when its client disconnects. Set this only for a
    /// handler that changes nothing.
    package var isCancelledWithoutClient = false

    /// Whether a request continues although its key was revoked in the meantime. Set this only for a handler that checks
    /// the key itself when it makes the change, so that a key can change or revoke itself and receive the response.
    package var outlivesKey = false

    /// The action that the audit log records for each request; nil if it records none.
    private(set) var auditedAction: AuditAction?

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

    /// Creates an endpoint that the control plane serves.
    init(
        _ methods: MethodSet, _ template: String, requires requirement: Requirement, body: BodyRule = .ignored,
        description: Description,
        answer: @escaping @Sendable (ControlRequest, any ProjectControl) async -> ControlResponse
    ) {
        self.init(
            methods, template, requires: requirement, body: body, description: description, handler: .control(answer))
    }

    /// Returns a copy of the endpoint whose requests the audit log records as this action.
    package func audited(as action: AuditAction) -> Endpoint {
        var endpoint = self
        endpoint.auditedAction = action
        return endpoint
    }

    /// The component that serves a request.
    package enum Handler: Sendable {
        /// A text that is the same for all clients. The gateway generates the text from the table when a client
        /// requests the text for the first time.
        case page(@Sendable (EndpointTable) -> StaticPage)
        /// An immediate response that is the same for all clients.
        case fixed(GatewayAnswer)
        /// The control plane, which responds asynchronously with a complete response or a stream.
        case control(@Sendable (ControlRequest, any ProjectControl) async -> ControlResponse)
        /// A feature of the loop, without the control plane.
        case loop(@Sendable (ControlRequest, ClientConnection, GatewayLoop) -> Void)
        /// The project's OpenCode instance, which receives the remainder of the path.
        case instance

        /// Returns a control plane handler for the project that the path names.
        package static func project(
            _ answer: @escaping @Sendable (ProjectName, any ProjectControl) async -> ControlResponse
        ) -> Handler {
            .control { request, control in
                guard let name = request.project else { return .error(.notFound) }
                return await answer(name, control)
            }
        }

        /// Returns a control plane handler for the project that the path names, with the request's principal.
        package static func project(
            _ answer: @escaping @Sendable (ProjectName, Principal?, any ProjectControl) async -> ControlResponse
        ) -> Handler {
            .control { request, control in
                guard let name = request.project else { return .error(.notFound) }
                return await answer(name, request.principal, control)
            }
        }

        /// Whether requests are forwarded to an instance.
        var isInstance: Bool { if case .instance = self { true } else { false } }
    }
}

/// The permission that an endpoint requires of its callers.
package enum Requirement: Sendable, Equatable {
    /// No permission. Any client may send requests without a key.
    case nothing
    /// A key with at least this scope.
    case key(Scope)
    /// Like ``key(_:)``, but the key may also be sent in `Sec-WebSocket-Protocol`, the only field that a browser's
    /// WebSocket can set.
    case webSocketKey(Scope)

    /// Whether any client may send requests without a key.
    package var isOpen: Bool { self == .nothing }
}

/// A set of request methods.
package struct MethodSet: OptionSet, Sendable, Hashable {
    /// One bit for each method, by ``Method/rawValue``.
    package let rawValue: UInt16

    /// Creates a set from its bits.
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    private init(_ method: Method) { rawValue = 1 << UInt16(method.rawValue) }

    /// The set that contains only GET.
    package static let get = MethodSet(Method.get)
    /// The set that contains only HEAD.
    package static let head = MethodSet(Method.head)
    /// The set that contains only POST.
    package static let post = MethodSet(Method.post)
    /// The set that contains only PUT.
    package static let put = MethodSet(Method.put)
    /// The set that contains only DELETE.
    package static let delete = MethodSet(Method.delete)
    /// The set that contains only PATCH.
    package static let patch = MethodSet(Method.patch)
    /// The set that contains only OPTIONS.
    package static let options = MethodSet(Method.options)

    /// Returns whether the set contains the method.
    func contains(_ method: Method) -> Bool { rawValue & MethodSet(method).rawValue != 0 }

    /// The methods of the set, in the order of ``Method``.
    package var methods: [Method] { Method.allCases.filter(contains) }

    /// The names of the methods in the form of the `Allow` field (RFC 9110 §10.2.1).
    var allow: String { methods.compactMap(\.name).joined(separator: ", ") }
}
