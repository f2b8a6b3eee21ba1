// SPDX-License-Identifier: Apache-2.0

/// The possible scenarios of a turn. Each scenario has the name of the recording that it follows.
enum Scenario: String, CaseIterable, Sendable {
    /// The model sends a text word by word.
    case talk
    /// The model sends reasoning, then a text.
    case think
    /// The model calls a shell command that needs permission. `ask` is the same scenario.
    case tools, ask
    /// The model asks a question with two answers.
    case question
    /// The model starts a child session, which returns an answer.
    case subagent
    /// The model calls a tool that writes a file.
    case edit
    case todo
    /// The provider rejects the API key.
    case unauthorized
    /// The provider repeatedly reports too many requests.
    case ratelimit
    /// The provider repeatedly aborts its response.
    case cutoff
    /// The model is silent for 75 seconds and then sends a short text.
    case slow
    /// The model sends a text in 277 (`medium`) or 2,000 (`fast`) deltas without pauses.
    case medium, fast
    /// The model sends a text that takes 30 seconds.
    case long
    /// The model sends one delta of 1.5 MB.
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
