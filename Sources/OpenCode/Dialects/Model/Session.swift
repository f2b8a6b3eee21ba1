// SPDX-License-Identifier: Apache-2.0

package import JSONText

/// A session with the properties that OpenCode's session list contains.
package struct Session: Sendable, Equatable {
    /// OpenCode 1's id of the session.
    package var id: String
    /// A short name for URLs. OpenCode before 1.1 has none.
    package var slug: String?
    /// OpenCode's id of the project.
    package var projectID: String
    /// The absolute path of the session's working directory.
    package var directory: String
    /// The session's directory relative to the project's directory; nil if it is unknown.
    package var path: String?
    /// The parent session whose task this session performs; nil for a root session.
    package var parentID: String?
    /// The title, which is never empty.
    package var title: String
    /// The agent of the last prompt; nil before the first prompt.
    package var agent: String?
    /// The model of the last prompt; nil before the first prompt.
    package var model: Model?
    /// The version of OpenCode that created the session.
    package var version: String
    /// The total cost in US dollars.
    package var cost: Number?
    /// The total number of tokens; nil if it is unknown.
    package var tokens: Tokens?
    /// The time of creation, in milliseconds since 1970.
    package var created: Number
    /// The time of the last change, in milliseconds since 1970.
    package var updated: Number
    /// All times except ``created`` and ``updated``.
    package var otherTimes = JSONObject()
    /// The messages that were reverted and can be restored; nil if there are none.
    package var revert: Revert?
    /// Additional members, which are kept unchanged.
    package var others = JSONObject()

    /// The messages that were reverted.
    package struct Revert: Sendable, Equatable {
        /// The id of the first reverted message.
        package var messageID: String
        /// The id of the first reverted part in that message; nil if the whole message was reverted.
        package var partID: String?
        /// The snapshot of the files before the revert.
        package var snapshot: String?
        /// Additional members, which are kept unchanged.
        package var others = JSONObject()
    }
}

/// A model of a provider.
package struct Model: Sendable, Equatable {
    /// The id of the provider.
    package var providerID: String
    /// The provider's id of the model.
    package var modelID: String
    /// The name of a set of settings; nil or `default` for the default settings.
    package var variant: String?
    /// Additional members, which are kept unchanged.
    package var others = JSONObject()

    /// Creates a model of a provider.
    package init(providerID: String, modelID: String, variant: String? = nil) {
        self.providerID = providerID
        self.modelID = modelID
        self.variant = variant
    }
}

/// The numbers of tokens that were used.
package struct Tokens: Sendable, Equatable {
    /// The total number, if OpenCode sent it.
    package var total: Number?
    /// The number of tokens sent to the model.
    package var input: Number = 0
    /// The number of tokens that the model wrote.
    package var output: Number = 0
    /// The number of tokens that the model used for reasoning.
    package var reasoning: Number = 0
    /// The number of sent tokens that the provider read from its cache.
    package var cacheRead: Number = 0
    /// The number of sent tokens that the provider wrote to its cache.
    package var cacheWrite: Number = 0
    /// Additional members, which are kept unchanged.
    package var others = JSONObject()

    /// The numbers for a step or session that used no tokens.
    package static let zero = Tokens()

    /// The sum of all numbers, which OpenCode 1 sends with a finished step; nil if a number is not an integer.
    package var sum: Number? {
        var sum = 0
        for number in [input, output, reasoning, cacheRead, cacheWrite] {
            guard let value = number.integer else { return nil }
            let (next, overflow) = sum.addingReportingOverflow(value)
            guard !overflow else { return nil }
            sum = next
        }
        return Number(sum)
    }
}
