// SPDX-License-Identifier: Apache-2.0

/// The possible courses of a turn, each named after the recording that it follows.
enum Scenario: String, CaseIterable, Sendable {
    /// A text in fifty deltas.
    case talk
    /// Reasoning, then a text of the model.
    case think
    /// A shell command that needs permission; `ask` is the same.
    case tools, ask
    /// A question with two answers.
    case question
    /// A child session that answers.
    case subagent
    /// A tool writes a file.
    case edit
    case todo
    /// The provider rejects the key.
    case unauthorized
    /// The provider repeatedly reports too many requests.
    case ratelimit
    /// The provider repeatedly aborts its response.
    case cutoff
    /// 75 seconds of silence, then a short text.
    case slow
    /// Texts in 277 and in 2,000 deltas without a pause.
    case medium, fast
    /// A text that takes 30 seconds.
    case long
    /// One delta of 1.5 MB.
    case big

    /// The display name of the model.
    var title: String {
        switch self {
        case .ratelimit: "Rate limit"
        case .cutoff: "Cut off"
        default: rawValue.prefix(1).uppercased() + rawValue.dropFirst()
        }
    }
}
