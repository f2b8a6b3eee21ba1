package import JSONText

/// A message with its parts.
package struct Message: Sendable, Equatable {
    /// Its head.
    package var info: MessageInfo
    /// In their order.
    package var parts: [Part]

    /// A message of these parts.
    package init(_ info: MessageInfo, _ parts: [Part]) { (self.info, self.parts) = (info, parts) }
}

/// What stands at the head of a message.
package enum MessageInfo: Sendable, Equatable {
    case user(UserMessage)
    case assistant(AssistantMessage)
    /// Of a role that this model does not know, as it came.
    case other(JSONObject)

    /// `msg_…`; nil where what is unknown has none.
    package var id: String? {
        switch self {
        case .user(let user): user.id
        case .assistant(let assistant): assistant.id
        case .other(let object): object["id"]?.text
        }
    }

    /// `ses_…`; nil where what is unknown has none.
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
    /// OpenCode 1's id.
    package var id: String
    /// `ses_…`.
    package var sessionID: String
    /// In milliseconds since 1970.
    package var created: Number
    /// The agent that was asked.
    package var agent: String
    /// The agent's name as OpenCode first called it.
    package var model: Model
    /// Members that this model does not name, as they came.
    package var others = JSONObject()
}

/// One step of an answer.
package struct AssistantMessage: Sendable, Equatable {
    /// OpenCode 1's id.
    package var id: String
    /// `ses_…`.
    package var sessionID: String
    /// The message that it answers.
    package var parentID: String
    /// In milliseconds since 1970.
    package var created: Number
    /// In milliseconds since 1970; nil while it is written.
    package var completed: Number?
    /// Nil where OpenCode 1 said the mode only.
    package var agent: String?
    /// The agent's name as OpenCode first called it.
    package var mode: String
    /// The agent's name as OpenCode first called it.
    package var model: Model
    /// The session's directory.
    package var directory: String
    /// The project's.
    package var root: String
    /// In US dollars.
    package var cost: Number = 0
    /// None until it is done.
    package var tokens = Tokens.zero
    /// Why it ended: `stop`, `tool-calls`, `length`, `content-filter`, `error`, `unknown`.
    package var finish: String?
    /// Why it went wrong; nil where it did not.
    package var failure: Failure?
    /// Whether it sums up what came before.
    package var isSummary: Bool?
    /// Members that this model does not name, as they came.
    package var others = JSONObject()
}

/// Why something failed: OpenCode's names of errors.
package struct Failure: Sendable, Equatable {
    /// `APIError`, `MessageAbortedError`, `ProviderAuthError`, `UnknownError` and others.
    package var name: String
    /// What belongs to the name.
    package var data: JSONObject
    /// Members that this model does not name, as they came.
    package var others = JSONObject()

    /// `name` is OpenCode's; `data` has at least a `message` for most.
    package init(_ name: String, _ data: JSONObject) { (self.name, self.data) = (name, data) }

    /// The sentence for people; nil where the name says it all.
    package var message: String? { data["message"]?.text }

    /// A person's interruption.
    package static let aborted = Failure(
        "MessageAbortedError", JSONObject([JSONObject.Member("message", "Aborted")]))

    /// A failure that has no name of its own.
    package static func unknown(_ message: String) -> Failure {
        Failure("UnknownError", JSONObject([JSONObject.Member("message", .string(message))]))
    }
}
