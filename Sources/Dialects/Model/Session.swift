package import JSONText

/// A session: what its list shows of it.
package struct Session: Sendable, Equatable {
    /// OpenCode 1's id.
    package var id: String
    /// A short name for addresses; OpenCode before 1.1 has none.
    package var slug: String?
    /// OpenCode's id of the project.
    package var projectID: String
    /// The absolute path it works in.
    package var directory: String
    /// The folder below the project's; nil where nobody said.
    package var path: String?
    /// The session whose task it does; nil for one of its own.
    package var parentID: String?
    /// Never empty.
    package var title: String
    /// The agent of the last prompt; nil before the first.
    package var agent: String?
    /// The model of the last prompt; nil before the first.
    package var model: Model?
    /// The OpenCode that made it.
    package var version: String
    /// What it has cost, in US dollars.
    package var cost: Number?
    /// All that it has used; nil where nobody said.
    package var tokens: Tokens?
    /// When it was made, in milliseconds since 1970.
    package var created: Number
    /// When it was last changed, in milliseconds since 1970.
    package var updated: Number
    /// Other times.
    package var otherTimes = JSONObject()
    /// What was taken back and may come again; nil where nothing was.
    package var revert: Revert?
    /// Members that this model does not name, as they came.
    package var others = JSONObject()

    /// The messages that were taken back.
    package struct Revert: Sendable, Equatable {
        /// The first of them.
        package var messageID: String
        /// The first part of it; nil: the whole message.
        package var partID: String?
        /// The files as they were.
        package var snapshot: String?
        /// Members that this model does not name, as they came.
        package var others = JSONObject()
    }
}

/// A model with its provider.
package struct Model: Sendable, Equatable {
    /// The provider's id.
    package var providerID: String
    /// The model of the last prompt; nil before the first.
    package var modelID: String
    /// A name of settings; nil or `default` for the usual ones.
    package var variant: String?
    /// Members that this model does not name, as they came.
    package var others = JSONObject()

    /// A provider's model.
    package init(providerID: String, modelID: String, variant: String? = nil) {
        (self.providerID, self.modelID, self.variant) = (providerID, modelID, variant)
    }
}

/// Tokens that were used.
package struct Tokens: Sendable, Equatable {
    /// All of them, where it was said.
    package var total: Number?
    /// Sent to the model.
    package var input: Number = 0
    /// Written by it.
    package var output: Number = 0
    /// Thought by it.
    package var reasoning: Number = 0
    /// Sent, and known to the provider.
    package var cacheRead: Number = 0
    /// Sent, and kept by the provider.
    package var cacheWrite: Number = 0
    /// Members that this model does not name, as they came.
    package var others = JSONObject()

    /// None.
    package static let zero = Tokens()

    /// The sum of all kinds, which OpenCode 1 says with a finished step; nil where one is no whole number.
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
