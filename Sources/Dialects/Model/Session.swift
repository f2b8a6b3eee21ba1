/// A session: what its list shows of it.
package struct Session: Sendable, Equatable {
    package var id: String
    /// A short name for addresses; OpenCode before 1.1 has none.
    package var slug: String?
    package var projectID: String
    package var directory: String
    /// The folder below the project's; nil where nobody said.
    package var path: String?
    package var parentID: String?
    package var title: String
    package var agent: String?
    package var model: Model?
    /// The OpenCode that made it.
    package var version: String
    /// What it has cost, in US dollars.
    package var cost: Number?
    package var tokens: Tokens?
    /// When it was made, in milliseconds since 1970.
    package var created: Number
    /// When it was last changed, in milliseconds since 1970.
    package var updated: Number
    /// Other times.
    package var otherTimes = JSONObject()
    package var revert: Revert?
    /// Members that this model does not name, as they came.
    package var others = JSONObject()

    /// The messages that were taken back.
    package struct Revert: Sendable, Equatable {
        /// The first of them.
        package var messageID: String
        package var partID: String?
        package var snapshot: String?
        package var others = JSONObject()
    }
}

/// A model with its provider.
package struct Model: Sendable, Equatable {
    package var providerID: String
    package var modelID: String
    package var variant: String?
    package var others = JSONObject()

    package init(providerID: String, modelID: String, variant: String? = nil) {
        (self.providerID, self.modelID, self.variant) = (providerID, modelID, variant)
    }
}

/// Tokens that were used.
package struct Tokens: Sendable, Equatable {
    /// All of them, where it was said.
    package var total: Number?
    package var input: Number = 0
    package var output: Number = 0
    package var reasoning: Number = 0
    package var cacheRead: Number = 0
    package var cacheWrite: Number = 0
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
