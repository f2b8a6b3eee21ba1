// SPDX-License-Identifier: Apache-2.0

package import JSONText

/// An event of an answer while it is being written, independent of the protocol.
package enum TurnEvent: Sendable, Equatable {
    case thinking(String)
    /// The thought took this number of milliseconds.
    case thinkingDone(milliseconds: Int64)
    case toolStarted(ToolStart)
    case toolDone(ToolStart, ToolEnd)
    case text(String)
    case failed(String)
    /// The answer has ended. `fullText` is its whole text.
    case done(fullText: String)
}

/// A tool call that is running.
package struct ToolStart: Sendable, Equatable {
    /// The id of the call, a UUID in lower case.
    package let id: String
    /// OpenCode's name of the tool.
    package let name: String
    /// The input from the model.
    package let input: JSONObject
    /// The time of the start, in milliseconds since 1970.
    let time: Int64
}

/// The end of a tool call.
package struct ToolEnd: Sendable, Equatable {
    /// The output, or the reason for the failure.
    package let outcome: ToolResult
    /// The duration of the call, in milliseconds.
    package let milliseconds: Int64

    /// The output of a tool, or the reason for its failure.
    package enum ToolResult: Sendable, Equatable {
        case success(String)
        case failure(String)
    }
}

/// An event of a conversation for all clients that watch it.
package struct ConversationEvent: Sendable, Equatable {
    /// The kind of an event, with its data.
    package enum Content: Sendable, Equatable {
        /// An event of the answer with this UUID.
        case answer(id: String, TurnEvent)
        /// OpenCode has replaced the id of a message that was sent.
        case renamed(sent: String, as: String)
        /// The conversation was deleted in OpenCode.
        case deleted
    }

    /// OpenCode's id of the session.
    package let session: String
    /// The id of the conversation.
    package let conversation: ConversationID
    /// The kind of the event, with its data.
    package let content: Content
}
