/// Something that a tool wants to do and a person has to allow.
package struct Permission: Sendable, Equatable {
    package var id: String
    package var sessionID: String
    /// What kind of thing: `bash`, `edit`, …
    package var permission: String
    package var patterns: [String]
    package var metadata: JSONObject
    /// What the answer `always` would allow.
    package var always: [String]
    package var tool: ToolReference?
    /// When it was asked, in milliseconds since 1970; OpenCode says it up to 1.0 only.
    package var created: Number?
    /// The title that OpenCode up to 1.0 shows.
    package var title: String?
    package var others = JSONObject()
}

/// The call that a request belongs to.
package struct ToolReference: Sendable, Equatable {
    package var messageID: String
    package var callID: String
    package var others = JSONObject()

    package init(messageID: String, callID: String) { (self.messageID, self.callID) = (messageID, callID) }
}

/// Questions of a tool to a person, asked at once.
package struct Question: Sendable, Equatable {
    package var id: String
    package var sessionID: String
    package var items: [Item]
    package var tool: ToolReference?
    package var others = JSONObject()

    package struct Item: Sendable, Equatable {
        package var question: String
        package var header: String
        package var options: [Option]
        /// Whether several answers are allowed; nil means one.
        package var isMultiple: Bool?
        /// Whether an answer in own words is allowed; nil means yes.
        package var isCustom: Bool?
        package var others = JSONObject()
    }

    package struct Option: Sendable, Equatable {
        package var label: String
        package var description: String
        package var others = JSONObject()
    }
}
