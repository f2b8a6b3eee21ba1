import HTTPTypes

extension Endpoint {
    /// What an endpoint is to those who read `/openapi.json` and `/docs`.
    struct Description: Sendable {
        /// The name that programs made from the description use. Where several methods are described it is followed by
        /// each method's.
        let id: String
        let summary: String
        let text: String
        /// What its query can say.
        var query: [Parameter] = []
        /// What it answers, besides what every endpoint can answer.
        let outcomes: [Outcome]

        /// A description.
        init(_ id: String, _ summary: String, _ text: String, _ outcomes: Outcome...) {
            self.id = id
            self.summary = summary
            self.text = text
            self.outcomes = outcomes
        }

        /// The same, with what its query can say.
        func with(query: [Parameter]) -> Self {
            var described = self
            described.query = query
            return described
        }
    }

    /// A parameter of a query; each can be left out.
    struct Parameter: Sendable {
        let name: String
        /// What it does, and what holds without it.
        let meaning: String
        let form: JSONValue
    }

    /// One kind of answer.
    struct Outcome: Sendable {
        /// The status; nil for all others.
        let status: Int?
        /// When it comes.
        let meaning: String
        let content: Content
        /// Fields of the answer that mean something to a client, each with what.
        var fields: KeyValuePairs<String, String> = [:]
    }

    /// What stands in an answer's body.
    enum Content: Sendable {
        /// JSON of this form.
        case json(Schema)
        /// A page for people.
        case page
        /// An event stream (WHATWG HTML §9.2).
        case eventStream
        /// An event stream, or JSON of this form where the query asks for a page.
        case eventStreamOrPage(Schema)
        /// No body at all.
        case nothing
        /// Whatever OpenCode has sent, or the HTTP library by itself; errors can be the gateway's own as well.
        case anything
    }

    /// The methods that are described: HEAD goes without saying where GET is, but for instances, which see it.
    var describedMethods: [Method] {
        (handler.isInstance ? methods : methods.subtracting(methods.contains(.get) ? .head : [])).methods
    }

    /// The name of one of its methods, for programs.
    func operationID(_ method: Method) -> String {
        guard describedMethods.count > 1, let name = method.name else { return description.id }
        return description.id + name.prefix(1) + name.dropFirst().lowercased()
    }

    /// One line about one of its methods.
    func summary(_ method: Method) -> String {
        describedMethods.count > 1 ? "\(description.summary), \(method.name ?? "")" : description.summary
    }

    /// All that it can answer, in the order of the statuses.
    var outcomes: [Outcome] {
        var common: [Outcome] = [.malformed, .late, .largeHead]
        switch body {
        case .ignored: common.append(.largeBody())
        case .json(let limit): common += [.largeBody("The body is larger than \(limit) bytes."), .notJSON]
        }
        if !requirement.isOpen { common += [.noKey, .tooManyTries] }
        // What an instance answers has its own form, whatever the status.
        if handler.isInstance || ConversationService.isTheirs(Array(path.template.utf8)[...]) {
            common = common.map { .passedError($0.status ?? 0, $0.meaning) }
        }
        // What the endpoint itself says of a status stands for both.
        common.removeAll { outcome in description.outcomes.contains { $0.status == outcome.status } }
        return (description.outcomes + common).sorted { ($0.status ?? 0) < ($1.status ?? 0) }
    }
}

extension Endpoint.Outcome {
    /// An error in the gateway's form.
    static func error(_ status: Int, _ meaning: String) -> Self {
        Self(status: status, meaning: meaning, content: .json(.error))
    }

    /// An error that is the gateway's or OpenCode's.
    static func passedError(_ status: Int, _ meaning: String) -> Self {
        Self(status: status, meaning: meaning, content: .anything)
    }

    /// JSON of this form.
    static func json(_ status: Int, _ schema: Schema, _ meaning: String) -> Self {
        Self(status: status, meaning: meaning, content: .json(schema))
    }

    /// The head could be read in two ways, or breaks the grammar.
    static let malformed = error(400, "The request's head is malformed. The connection is closed.")
    /// There is no project of that name.
    static let noProject = error(404, "There is no project of this name.")
    /// No key, or a wrong one.
    static let noKey = Self(
        status: 401, meaning: "The Authorization field is missing, or its key is wrong.", content: .json(.error),
        fields: ["WWW-Authenticate": "The scheme that is wanted: `Bearer`."])
    /// Too many wrong keys.
    static let tooManyTries = Self(
        status: 429, meaning: "Too many wrong keys came from the client's address.", content: .json(.error),
        fields: ["Retry-After": "Seconds after which a key is looked at again."])
    /// The head or the body was not complete in time.
    static let late = error(408, "The request did not arrive in time. The connection is closed.")
    /// The body is longer than the endpoint takes, where it has a limit, or than any can be: what is beyond 64 bits the HTTP
    /// library refuses by itself.
    static func largeBody(_ limit: String? = nil) -> Self {
        let any =
            "longer than any can be: its Content-Length is 2^63 or more, or a chunk's size is beyond 64 bits. The connection "
            + "is closed."
        return passedError(413, limit.map { "\($0) Or it is \(any)" } ?? "The body is \(any)")
    }
    /// The body has another form than the endpoint takes.
    static let notJSON = error(415, "The body is not JSON.")
    /// The head is too large.
    static let largeHead = error(431, "The request's line and header fields are too large.")
}
