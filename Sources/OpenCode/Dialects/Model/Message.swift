// SPDX-License-Identifier: Apache-2.0

package import JSONText

/// A message with its parts.
package struct Message: Sendable, Equatable {
    /// The properties of the message without its parts.
    package var info: MessageInfo
    /// The parts in their order.
    package var parts: [Part]

    /// Creates a message of these parts.
    package init(_ info: MessageInfo, _ parts: [Part]) {
        self.info = info
        self.parts = parts
    }
}

/// The properties of a message without its parts.
package enum MessageInfo: Sendable, Equatable {
    case user(UserMessage)
    case assistant(AssistantMessage)
    /// An unchanged message with a role that this model does not define.
    case other(JSONObject)

    /// The message's id (`msg_…`); nil if a message with an unknown role has none.
    package var id: String? {
        switch self {
        case .user(let user): user.id
        case .assistant(let assistant): assistant.id
        case .other(let object): object["id"]?.text
        }
    }

    /// OpenCode's id of the session (`ses_…`); nil if a message with an unknown role has none.
    package var sessionID: String? {
        switch self {
        case .user(let user): user.sessionID
        case .assistant(let assistant): assistant.sessionID
        case .other(let object): object["sessionID"]?.text
        }
    }
}

/// A user's message or prompt.
package struct UserMessage: Sendable, Equatable {
    /// OpenCode 1's id of the message.
    package var id: String
    /// OpenCode's id of the session (`ses_…`).
    package var sessionID: String
    /// The time of creation, in milliseconds since 1970.
    package var created: Number
    /// The agent that the prompt was sent to.
    package var agent: String
    /// The model that the prompt was sent to.
    package var model: Model
    /// Additional members, which are kept unchanged.
    package var others = JSONObject()
}

/// A step of an answer.
package struct AssistantMessage: Sendable, Equatable {
    /// OpenCode 1's id of the message.
    package var id: String
    /// OpenCode's id of the session (`ses_…`).
    package var sessionID: String
    /// The id of the message that this step answers.
    package var parentID: String
    /// The time of creation, in milliseconds since 1970.
    package var created: Number
    /// The time of completion, in milliseconds since 1970; nil while the step is being written.
    package var completed: Number?
    /// The agent's name; nil if OpenCode 1 sent only the mode.
    package var agent: String?
    /// The agent's name in the member `mode`, which is OpenCode's original term for an agent.
    package var mode: String
    /// The model that wrote the answer.
    package var model: Model
    /// The directory of the session.
    package var directory: String
    /// The directory of the project.
    package var root: String
    /// The cost in US dollars.
    package var cost: Number = 0
    /// The tokens that were used; zero until the step has ended.
    package var tokens = Tokens.zero
    /// The reason for the end: `stop`, `tool-calls`, `length`, `content-filter`, `error`, or `unknown`.
    package var finish: String?
    /// The failure of the step; nil if it did not fail.
    package var failure: Failure?
    /// Whether the message summarizes the previous messages.
    package var isSummary: Bool?
    /// Additional members, which are kept unchanged.
    package var others = JSONObject()
}

/// The reason for a failure, with OpenCode's name of the error.
package struct Failure: Sendable, Equatable {
    /// The name, such as `APIError`, `MessageAbortedError`, `ProviderAuthError` or `UnknownError`.
    package var name: String
    /// The details, which depend on the name.
    package var data: JSONObject
    /// Additional members, which are kept unchanged.
    package var others = JSONObject()

    /// Creates a failure with OpenCode's name. For most names, `data` contains at least a `message`.
    package init(_ name: String, _ data: JSONObject) {
        self.name = name
        self.data = data
    }

    /// The human-readable message; nil if OpenCode sent none.
    package var message: String? { data["message"]?.text }

    /// The failure of an answer that a user has aborted.
    package static let aborted = Failure(
        "MessageAbortedError", JSONObject([JSONObject.Member("message", "Aborted")]))

    /// Creates a failure for which OpenCode has no specific name.
    package static func unknown(_ message: String) -> Failure {
        Failure("UnknownError", JSONObject([JSONObject.Member("message", .string(message))]))
    }
}
