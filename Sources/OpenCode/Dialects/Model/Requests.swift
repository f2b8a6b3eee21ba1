// SPDX-License-Identifier: Apache-2.0

package import JSONText

/// A tool's request for a permission that a user has to grant.
package struct Permission: Sendable, Equatable {
    /// OpenCode 1's id of the request.
    package var id: String
    /// OpenCode's id of the session (`ses_…`).
    package var sessionID: String
    /// The kind of permission: `bash`, `edit`, …
    package var permission: String
    /// The objects that the request concerns, such as command lines or paths.
    package var patterns: [String]
    /// Additional data that clients show.
    package var metadata: JSONObject
    /// The patterns that the reply `always` would permit.
    package var always: [String]
    /// The tool call that makes the request; nil if there is none.
    package var tool: ToolReference?
    /// The time of the request, in milliseconds since 1970. Only OpenCode up to 1.0 sends this time.
    package var created: Number?
    /// The title that OpenCode up to 1.0 shows.
    package var title: String?
    /// Additional members, which are kept unchanged.
    package var others = JSONObject()
}

/// A reference to the tool call that makes a request.
package struct ToolReference: Sendable, Equatable {
    /// OpenCode 1's id of the message.
    package var messageID: String
    /// The provider's id of the call.
    package var callID: String
    /// Additional members, which are kept unchanged.
    package var others = JSONObject()

    /// Creates a reference from OpenCode 1's ids.
    package init(messageID: String, callID: String) {
        self.messageID = messageID
        self.callID = callID
    }
}

/// A tool's request to a user, with one or more questions.
package struct Question: Sendable, Equatable {
    /// OpenCode 1's id of the request.
    package var id: String
    /// OpenCode's id of the session (`ses_…`).
    package var sessionID: String
    /// The questions in their order. An answer contains one array of selected labels for each question.
    package var items: [Item]
    /// The tool call that makes the request; nil if there is none.
    package var tool: ToolReference?
    /// Additional members, which are kept unchanged.
    package var others = JSONObject()

    /// A question with its options.
    package struct Item: Sendable, Equatable {
        /// The full text of the question.
        package var question: String
        /// A short label for the question.
        package var header: String
        /// The answers to choose from.
        package var options: [Option]
        /// Whether several answers are allowed; nil means one.
        package var isMultiple: Bool?
        /// Whether a free-text answer is allowed; nil means yes.
        package var isCustom: Bool?
        /// Additional members, which are kept unchanged.
        package var others = JSONObject()
    }

    /// An option of a question.
    package struct Option: Sendable, Equatable {
        /// The text of the option, which clients show and send as the answer.
        package var label: String
        /// An explanation of the option; the text may be empty.
        package var description: String
        /// Additional members, which are kept unchanged.
        package var others = JSONObject()
    }
}
