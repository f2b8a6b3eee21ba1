import Access
import HTTPServer
import HTTPTypes
import Projects

/// One thing that a client can ask for: all that is said of it, and all that a new one needs. The router, `Allow`,
/// admission, preflights, `/openapi.json` and `/docs` are made from ``EndpointTable``.
struct Endpoint: Sendable {
    /// The methods that it serves. HEAD is served wherever GET is.
    let methods: MethodSet
    /// The paths that it serves; another endpoint may serve other methods of them.
    let path: PathPattern
    /// What the caller must be allowed.
    let requirement: Requirement
    /// What becomes of a request's body.
    let body: BodyRule
    /// What it is to those who read the description.
    let description: Description
    /// What answers.
    let handler: Handler

    /// An endpoint of this template; see ``PathPattern``.
    init(
        _ methods: MethodSet, _ template: String, requires requirement: Requirement, body: BodyRule = .ignored,
        _ description: Description, _ handler: Handler
    ) {
        self.methods = methods.contains(.get) ? methods.union(.head) : methods
        path = PathPattern(template)
        self.requirement = requirement
        self.body = body
        self.description = description
        self.handler = handler
    }

    /// An endpoint that the control plane answers.
    init(
        _ methods: MethodSet, _ template: String, requires requirement: Requirement, body: BodyRule = .ignored,
        _ description: Description,
        answer: @escaping @Sendable (ControlRequest, any ProjectControl) async -> ControlResponse
    ) {
        self.init(methods, template, requires: requirement, body: body, description, .control(answer))
    }

    /// What answers a request.
    enum Handler: Sendable {
        /// A text that is the same for everybody, made from the table once.
        case page(@Sendable (EndpointTable) -> StaticPage)
        /// The same answer for everybody, at once.
        case fixed(Answer)
        /// The control plane, later: with an answer or a stream.
        case control(@Sendable (ControlRequest, any ProjectControl) async -> ControlResponse)
        /// The loop itself, with what the hub has heard.
        case events(EventEndpoint)
        /// The loop itself, over a WebSocket.
        case chat
        /// The project's OpenCode instance, which gets everything that follows.
        case instance

        /// The control plane, about the project that the path names.
        static func project(
            _ answer: @escaping @Sendable (ProjectName, any ProjectControl) async -> Answer
        ) -> Handler {
            .control { request, control in
                guard let name = request.project else { return .answer(.detail(404, "Not Found")) }
                return .answer(await answer(name, control))
            }
        }

        /// The same, for this principal.
        static func project(
            _ answer: @escaping @Sendable (ProjectName, Principal?, any ProjectControl) async -> Answer
        ) -> Handler {
            .control { request, control in
                guard let name = request.project else { return .answer(.detail(404, "Not Found")) }
                return .answer(await answer(name, request.principal, control))
            }
        }

        /// Whether requests are passed on.
        var isInstance: Bool { if case .instance = self { true } else { false } }
    }
}

/// What an endpoint wants of its callers.
enum Requirement: Sendable, Equatable {
    /// Nothing: everybody may ask, without a key.
    case nothing
    /// A key that grants at least this.
    case key(Grant)
    /// The same, and the key may stand in `Sec-WebSocket-Protocol`: a browser's WebSocket can send no other field.
    case webSocketKey(Grant)

    /// Whether everybody may ask.
    var isOpen: Bool { self == .nothing }
}

/// A set of methods.
struct MethodSet: OptionSet, Sendable, Hashable {
    let rawValue: UInt16

    init(rawValue: UInt16) { self.rawValue = rawValue }

    private init(_ method: Method) { rawValue = 1 << UInt16(method.rawValue) }

    static let get = MethodSet(Method.get)
    static let head = MethodSet(Method.head)
    static let post = MethodSet(Method.post)
    static let put = MethodSet(Method.put)
    static let delete = MethodSet(Method.delete)
    static let patch = MethodSet(Method.patch)
    static let options = MethodSet(Method.options)

    /// Whether the method is one of them.
    func contains(_ method: Method) -> Bool { rawValue & MethodSet(method).rawValue != 0 }

    /// They, in the order of ``Method``.
    var methods: [Method] { Method.allCases.filter(contains) }

    /// Their names as `Allow` lists them (RFC 9110 §10.2.1).
    var allow: String { methods.compactMap(\.name).joined(separator: ", ") }
}

/// What becomes of the body of a request that the gateway answers itself.
enum BodyRule: Sendable, Equatable {
    /// It is read and not looked at.
    case ignored
    /// It is JSON of at most so many bytes; 413 and 415 say otherwise.
    case json(limit: Int)

    /// The refusal of a request whose head says already that its body is none of these.
    func refusal(of head: RequestHead, _ framing: RequestFraming) -> Answer? {
        guard case .json(let limit) = self else { return nil }
        if case .length(let length) = framing, length > limit { return Self.tooLarge(limit) }
        guard head.fields.withFirst(.contentType, Self.isJSON) == true else {
            return .detail(415, "The body must be JSON: send it with Content-Type: application/json.")
        }
        return nil
    }

    /// The refusal of a body of which more has come.
    static func tooLarge(_ limit: Int) -> Answer {
        .detail(413, "The body is larger than \(limit) bytes, which is the most that is taken here. Send less.")
    }

    /// The refusal of a whole body that is no UTF-8, as JSON between systems has to be (RFC 8259 §8.1).
    static func refusal(ofText body: [UInt8]) -> Answer? {
        guard String(validating: body, as: UTF8.self) == nil else { return nil }
        return .detail(400, "The body is not encoded as UTF-8. Send JSON in UTF-8.")
    }

    private static let json = Array("application/json".utf8)

    /// Whether a Content-Type's value is that type, with parameters or without (RFC 9110 §8.3.1).
    private static func isJSON(_ value: Span<UInt8>) -> Bool {
        guard value.count >= json.count else { return false }
        for index in json.indices where value[index].lowercasedLetter != json[index] { return false }
        var next = json.count
        while next < value.count, value[next].isOptionalWhiteSpace { next += 1 }
        return next == value.count || value[next] == UInt8(ascii: ";")
    }
}
