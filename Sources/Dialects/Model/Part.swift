package import JSONText

/// A piece of a message.
package struct Part: Sendable, Equatable {
    /// OpenCode 1's id.
    package var id: String
    /// `ses_…`.
    package var sessionID: String
    /// OpenCode 1's id of the message.
    package var messageID: String
    /// What it is.
    package var kind: Kind
    /// Members that this model does not name, as they came.
    package var others = JSONObject()

    /// A part of a message.
    package init(id: String, sessionID: String, messageID: String, _ kind: Kind, others: JSONObject = JSONObject()) {
        (self.id, self.sessionID, self.messageID, self.kind, self.others) = (id, sessionID, messageID, kind, others)
    }

    /// The kinds of 1.18.33's document.
    package enum Kind: Sendable, Equatable {
        case text(Text)
        case reasoning(Reasoning)
        case file(File)
        case tool(ToolCall)
        case stepStart(snapshot: String?)
        case stepFinish(StepFinish)
        case snapshot(String)
        /// Files that a step has changed, and the snapshot before it.
        case patch(hash: String, files: [String])
        case agent(name: String, source: JSON?)
        case retry(attempt: Number, failure: Failure, created: Number)
        case compaction(isAutomatic: Bool)
        case subtask(prompt: String, description: String, agent: String)
        /// Of a type that this model does not know.
        case other(String)
    }

    /// What was said.
    package struct Text: Sendable, Equatable {
        /// The whole text so far.
        package var text: String
        /// Whether OpenCode wrote it in a person's place.
        package var isSynthetic: Bool?
        /// When it was written; nil for a person's and in OpenCode 2's lists.
        package var time: Time?
    }

    /// What the model has thought.
    package struct Reasoning: Sendable, Equatable {
        /// The whole text so far.
        package var text: String
        /// When it was thought.
        package var time: Time
    }

    /// A file: `url` is a data URL or an address.
    package struct File: Sendable, Equatable {
        /// The media type.
        package var mime: String
        /// Its name for people.
        package var filename: String?
        /// A data URL, or an address.
        package var url: String
        /// Where the text names it, as OpenCode says it.
        package var source: JSON?
    }

    /// How a step ended.
    package struct StepFinish: Sendable, Equatable {
        /// As ``AssistantMessage/finish``.
        package var reason: String
        /// The snapshot after it.
        package var snapshot: String?
        /// In US dollars.
        package var cost: Number
        /// What it used.
        package var tokens: Tokens
    }

    /// In milliseconds since 1970.
    package struct Time: Sendable, Equatable {
        /// In milliseconds since 1970.
        package var start: Number
        /// In milliseconds since 1970; nil while it lasts.
        package var end: Number?
        /// Members that this model does not name, as they came.
        package var others = JSONObject()

        /// In milliseconds since 1970.
        package init(start: Number, end: Number? = nil) { (self.start, self.end) = (start, end) }
    }
}

/// A tool's call.
package struct ToolCall: Sendable, Equatable {
    /// The provider's name of the call.
    package var callID: String
    /// OpenCode 1's name of the tool.
    package var tool: String
    /// How far it is.
    package var state: State

    /// How far a call is.
    package struct State: Sendable, Equatable {
        /// Which of the members below are there.
        package var status: Status
        /// What the model gave; empty while it is pending.
        package var input: JSONObject
        /// What the model has written of the input; while it is pending.
        package var raw: String?
        /// What the tool gave; once it is completed.
        package var output: String?
        /// What is shown beside it.
        package var title: String?
        /// What the tool says besides.
        package var metadata: JSONObject?
        /// Why it failed; once it has.
        package var error: String?
        /// When it ran; nil while it is pending.
        package var time: Part.Time?
        /// Members that this model does not name, as they came.
        package var others = JSONObject()

        /// A state with nothing but its input.
        package init(_ status: Status, input: JSONObject = JSONObject()) {
            (self.status, self.input) = (status, input)
        }
    }

    /// OpenCode's words for how far a call is.
    package enum Status: String, Sendable {
        case pending, running, completed, error
    }
}
