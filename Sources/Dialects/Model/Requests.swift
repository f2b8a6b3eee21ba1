package import JSONText

/// Something that a tool wants to do and a person has to allow.
package struct Permission: Sendable, Equatable {
    /// OpenCode 1's id.
    package var id: String
    /// `ses_…`.
    package var sessionID: String
    /// What kind of thing: `bash`, `edit`, …
    package var permission: String
    /// What it is about: command lines, paths, …
    package var patterns: [String]
    /// What is shown with it.
    package var metadata: JSONObject
    /// What the answer `always` would allow.
    package var always: [String]
    /// The call that asks; nil where none does.
    package var tool: ToolReference?
    /// When it was asked, in milliseconds since 1970; OpenCode says it up to 1.0 only.
    package var created: Number?
    /// The title that OpenCode up to 1.0 shows.
    package var title: String?
    /// Members that this model does not name, as they came.
    package var others = JSONObject()
}

/// The call that a request belongs to.
package struct ToolReference: Sendable, Equatable {
    /// OpenCode 1's id of the message.
    package var messageID: String
    /// The provider's name of the call.
    package var callID: String
    /// Members that this model does not name, as they came.
    package var others = JSONObject()

    /// OpenCode 1's ids.
    package init(messageID: String, callID: String) { (self.messageID, self.callID) = (messageID, callID) }
}

/// Questions of a tool to a person, asked at once.
package struct Question: Sendable, Equatable {
    /// OpenCode 1's id.
    package var id: String
    /// `ses_…`.
    package var sessionID: String
    /// The questions in their order; answers have a row for each.
    package var items: [Item]
    /// The call that asks; nil where none does.
    package var tool: ToolReference?
    /// Members that this model does not name, as they came.
    package var others = JSONObject()

    /// One question.
    package struct Item: Sendable, Equatable {
        /// The whole sentence.
        package var question: String
        /// A word for it.
        package var header: String
        /// The answers to choose from.
        package var options: [Option]
        /// Whether several answers are allowed; nil means one.
        package var isMultiple: Bool?
        /// Whether an answer in own words is allowed; nil means yes.
        package var isCustom: Bool?
        /// Members that this model does not name, as they came.
        package var others = JSONObject()
    }

    /// An answer to choose.
    package struct Option: Sendable, Equatable {
        /// What is shown, and sent as the answer.
        package var label: String
        /// What it means; may be empty.
        package var description: String
        /// Members that this model does not name, as they came.
        package var others = JSONObject()
    }
}
