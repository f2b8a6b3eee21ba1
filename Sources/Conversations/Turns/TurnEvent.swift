package import JSONText

/// What is told of an answer while it is written, before it is put into a protocol's words.
package enum TurnEvent: Sendable, Equatable {
    case thinking(String)
    /// So many milliseconds were thought.
    case thinkingDone(milliseconds: Int64)
    case toolStarted(ToolStart)
    case toolDone(ToolStart, ToolEnd)
    case text(String)
    case failed(String)
    /// The answer is over; all of its text.
    case done(fullText: String)
}

/// A tool that runs.
package struct ToolStart: Sendable, Equatable {
    /// A UUID, in lower case.
    package let id: String
    /// OpenCode's name of it.
    package let name: String
    /// What the model gave it.
    package let input: JSONObject
    /// When it began: milliseconds since 1970.
    let time: Int64
}

/// How a tool has ended.
package struct ToolEnd: Sendable, Equatable {
    /// What it gave, or why it failed.
    package let outcome: Result
    /// How long it took, in milliseconds.
    package let milliseconds: Int64

    /// What a tool gave, or why it failed.
    package enum Result: Sendable, Equatable {
        case success(String)
        case failure(String)
    }
}

/// Something that happened to a conversation, for everybody who looks at it.
package struct Told: Sendable, Equatable {
    /// What it is.
    package enum Content: Sendable, Equatable {
        /// Of the answer with this UUID.
        case answer(id: String, TurnEvent)
        /// OpenCode has given the message that was sent under an id another one.
        case renamed(sent: String, as: String)
        /// The conversation is gone.
        case deleted
    }

    /// OpenCode's id.
    package let session: String
    /// Which conversation.
    package let conversation: ConversationID
    /// What it is.
    package let content: Content
}
