import HTTPTypes

/// One thing that a client can ask for, as the API's description and its page tell it.
struct Operation {
    /// One kind of answer.
    struct Outcome {
        /// The status; nil for all others.
        let status: Int?
        /// When it comes.
        let meaning: String
        let content: Content
        /// Fields of the answer that mean something to a client, each with what.
        var fields: KeyValuePairs<String, String> = [:]
    }

    /// What stands in an answer's body.
    enum Content {
        /// JSON of this form.
        case json(Schema)
        /// A page for people.
        case page
        /// No body at all.
        case nothing
        /// Whatever OpenCode has sent, or the HTTP library by itself; errors can be the gateway's own as well.
        case anything
    }

    let method: Method
    /// The name that programs made from the description use.
    let id: String
    let summary: String
    let description: String
    let outcomes: [Outcome]
}

extension Operation.Outcome {
    /// An error in the gateway's form.
    static func error(_ status: Int, _ meaning: String) -> Operation.Outcome {
        Operation.Outcome(status: status, meaning: meaning, content: .json(.error))
    }

    /// An error that is the gateway's or OpenCode's.
    static func passedError(_ status: Int, _ meaning: String) -> Operation.Outcome {
        Operation.Outcome(status: status, meaning: meaning, content: .anything)
    }

    /// The head could be read in two ways, or breaks the grammar.
    static let malformed = error(400, "The request's head is malformed. The connection is closed.")
    /// There is no project of that name.
    static let noProject = error(404, "There is no project of this name.")
    /// No key, or a wrong one.
    static let noKey = Operation.Outcome(
        status: 401, meaning: "The Authorization field is missing, or its key is wrong.", content: .json(.error),
        fields: ["WWW-Authenticate": "The scheme that is wanted: `Bearer`."])
    /// Too many wrong keys.
    static let tooManyTries = Operation.Outcome(
        status: 429, meaning: "Too many wrong keys came from the client's address.", content: .json(.error),
        fields: ["Retry-After": "Seconds after which a key is looked at again."])
    /// The head or the body was not complete in time.
    static let late = error(408, "The request did not arrive in time. The connection is closed.")
    /// Nobody could count the body's bytes; the HTTP library says so itself.
    static let largeBody = Operation.Outcome(
        status: 413, meaning: "The body's length, or a chunk's, is beyond 64 bits. The connection is closed.",
        content: .anything)
    /// The head is too large.
    static let largeHead = error(431, "The request's line and header fields are too large.")
}
