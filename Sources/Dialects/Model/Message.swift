/// A message with its parts.
package struct Message: Sendable, Equatable {
    package var info: MessageInfo
    package var parts: [Part]

    package init(_ info: MessageInfo, _ parts: [Part]) { (self.info, self.parts) = (info, parts) }
}

/// What stands at the head of a message.
package enum MessageInfo: Sendable, Equatable {
    case user(UserMessage)
    case assistant(AssistantMessage)
    /// Of a role that this model does not know, as it came.
    case other(JSONObject)

    package var id: String? {
        switch self {
        case .user(let user): user.id
        case .assistant(let assistant): assistant.id
        case .other(let object): object["id"]?.text
        }
    }

    package var sessionID: String? {
        switch self {
        case .user(let user): user.sessionID
        case .assistant(let assistant): assistant.sessionID
        case .other(let object): object["sessionID"]?.text
        }
    }
}

/// What a person has said.
package struct UserMessage: Sendable, Equatable {
    package var id: String
    package var sessionID: String
    /// In milliseconds since 1970.
    package var created: Number
    package var agent: String
    package var model: Model
    package var others = JSONObject()
}

/// One step of an answer.
package struct AssistantMessage: Sendable, Equatable {
    package var id: String
    package var sessionID: String
    /// The message that it answers.
    package var parentID: String
    /// In milliseconds since 1970.
    package var created: Number
    /// In milliseconds since 1970; nil while it is written.
    package var completed: Number?
    package var agent: String?
    package var mode: String
    package var model: Model
    /// The session's directory.
    package var directory: String
    /// The project's.
    package var root: String
    /// In US dollars.
    package var cost: Number = 0
    package var tokens = Tokens.zero
    /// Why it ended: `stop`, `tool-calls`, `length`, `content-filter`, `error`, `unknown`.
    package var finish: String?
    package var failure: Failure?
    /// Whether it sums up what came before.
    package var isSummary: Bool?
    package var others = JSONObject()
}

/// Why something failed: OpenCode's names of errors.
package struct Failure: Sendable, Equatable {
    /// `APIError`, `MessageAbortedError`, `ProviderAuthError`, `UnknownError` and others.
    package var name: String
    package var data: JSONObject
    package var others = JSONObject()

    package init(_ name: String, _ data: JSONObject) { (self.name, self.data) = (name, data) }

    package var message: String? { data["message"]?.text }

    /// A person's interruption.
    package static let aborted = Failure(
        "MessageAbortedError", JSONObject([JSONObject.Member("message", "Aborted")]))

    /// A failure that has no name of its own.
    package static func unknown(_ message: String) -> Failure {
        Failure("UnknownError", JSONObject([JSONObject.Member("message", .string(message))]))
    }
}
