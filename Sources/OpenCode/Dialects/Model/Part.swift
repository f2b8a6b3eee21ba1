// SPDX-License-Identifier: Apache-2.0

package import JSONText

/// A part of a message.
package struct Part: Sendable, Equatable {
    /// OpenCode 1's id of the part.
    package var id: String
    /// OpenCode's id of the session (`ses_…`).
    package var sessionID: String
    /// OpenCode 1's id of the message.
    package var messageID: String
    /// The kind of the part, with its data.
    package var kind: Kind
    /// Additional members, which are kept unchanged.
    package var others = JSONObject()

    /// Creates a part of a message.
    package init(id: String, sessionID: String, messageID: String, _ kind: Kind, others: JSONObject = JSONObject()) {
        self.id = id
        self.sessionID = sessionID
        self.messageID = messageID
        self.kind = kind
        self.others = others
    }

    /// The kinds of parts in OpenCode 1.18.33's OpenAPI document.
    package enum Kind: Sendable, Equatable {
        case text(Text)
        case reasoning(Reasoning)
        case file(File)
        case tool(ToolCall)
        case stepStart(snapshot: String?)
        case stepFinish(StepFinish)
        case snapshot(String)
        /// The files that a step has changed, and the snapshot before the step.
        case patch(hash: String, files: [String])
        case agent(name: String, source: JSON?)
        case retry(attempt: Number, failure: Failure, created: Number)
        case compaction(isAutomatic: Bool)
        case subtask(prompt: String, description: String, agent: String)
        /// A part of a type that this model does not define.
        case other(String)
    }

    /// A text of a user or an assistant.
    package struct Text: Sendable, Equatable {
        /// The whole text so far.
        package var text: String
        /// Whether OpenCode wrote the text on the user's behalf.
        package var isSynthetic: Bool?
        /// The times at which the text began and ended; nil for a user's text and in OpenCode 2's lists.
        package var time: Time?
    }

    /// The reasoning of a model.
    package struct Reasoning: Sendable, Equatable {
        /// The whole text so far.
        package var text: String
        /// The start and end of the reasoning.
        package var time: Time
    }

    /// A file in a message.
    package struct File: Sendable, Equatable {
        /// The media type of the file.
        package var mime: String
        /// The file name that clients show.
        package var filename: String?
        /// A data URL, or the URL of the file.
        package var url: String
        /// The reference to the file in the text, in OpenCode's format.
        package var source: JSON?
    }

    /// The end of a step.
    package struct StepFinish: Sendable, Equatable {
        /// The reason for the end, as in ``AssistantMessage/finish``.
        package var reason: String
        /// The snapshot after the step.
        package var snapshot: String?
        /// The cost in US dollars.
        package var cost: Number
        /// The tokens that the step used.
        package var tokens: Tokens
    }

    /// The start and end of an activity.
    package struct Time: Sendable, Equatable {
        /// The start, in milliseconds since 1970.
        package var start: Number
        /// The end, in milliseconds since 1970; nil before the end.
        package var end: Number?
        /// Additional members, which are kept unchanged.
        package var others = JSONObject()

        /// Creates a time span, in milliseconds since 1970.
        package init(start: Number, end: Number? = nil) {
            self.start = start
            self.end = end
        }
    }
}

/// A call of a tool by the model.
package struct ToolCall: Sendable, Equatable {
    /// The provider's id of the call.
    package var callID: String
    /// OpenCode 1's name of the tool.
    package var tool: String
    /// The state of the call, with its input and output.
    package var state: State

    /// The state of a tool call.
    package struct State: Sendable, Equatable {
        /// The status, which determines the other members.
        package var status: Status
        /// The input from the model; empty while the call is pending.
        package var input: JSONObject
        /// The incomplete input that the model has written so far, while the call is pending.
        package var raw: String?
        /// The output of the tool after it has completed.
        package var output: String?
        /// The title that clients show for the call.
        package var title: String?
        /// Additional data from the tool.
        package var metadata: JSONObject?
        /// The reason for the failure after the call has failed.
        package var error: String?
        /// The start and end of the execution; nil while the call is pending.
        package var time: Part.Time?
        /// Additional members, which are kept unchanged.
        package var others = JSONObject()

        /// Creates a state that has only an input.
        package init(_ status: Status, input: JSONObject = JSONObject()) {
            self.status = status
            self.input = input
        }
    }

    /// The status of a call, with OpenCode's names.
    package enum Status: String, Sendable {
        case pending, running, completed, error
    }
}
