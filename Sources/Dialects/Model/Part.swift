/// A piece of a message.
package struct Part: Sendable, Equatable {
    package var id: String
    package var sessionID: String
    package var messageID: String
    package var kind: Kind
    /// Members that this model does not name, as they came.
    package var others = JSONObject()

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

    package struct Text: Sendable, Equatable {
        package var text: String
        /// Whether OpenCode wrote it in a person's place.
        package var isSynthetic: Bool?
        package var time: Time?
    }

    package struct Reasoning: Sendable, Equatable {
        package var text: String
        package var time: Time
    }

    /// A file: `url` is a data URL or an address.
    package struct File: Sendable, Equatable {
        package var mime: String
        package var filename: String?
        package var url: String
        package var source: JSON?
    }

    package struct StepFinish: Sendable, Equatable {
        package var reason: String
        package var snapshot: String?
        package var cost: Number
        package var tokens: Tokens
    }

    /// In milliseconds since 1970.
    package struct Time: Sendable, Equatable {
        package var start: Number
        package var end: Number?
        package var others = JSONObject()

        package init(start: Number, end: Number? = nil) { (self.start, self.end) = (start, end) }
    }
}

/// A tool's call.
package struct ToolCall: Sendable, Equatable {
    package var callID: String
    package var tool: String
    package var state: State

    package struct State: Sendable, Equatable {
        package var status: Status
        package var input: JSONObject
        /// What the model has written of the input; while it is pending.
        package var raw: String?
        package var output: String?
        package var title: String?
        package var metadata: JSONObject?
        package var error: String?
        package var time: Part.Time?
        package var others = JSONObject()

        package init(_ status: Status, input: JSONObject = JSONObject()) {
            (self.status, self.input) = (status, input)
        }
    }

    package enum Status: String, Sendable {
        case pending, running, completed, error
    }
}
