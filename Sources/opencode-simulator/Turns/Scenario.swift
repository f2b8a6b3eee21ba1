/// The courses that a turn can take, each with the name of the recording that it follows.
enum Scenario: String, CaseIterable, Sendable {
    /// A text in fifty pieces.
    case talk
    /// Reasoning, then a text.
    case think
    /// A shell command that asks for permission first; `ask` is the same.
    case tools, ask
    /// A question with two answers.
    case question
    /// A child session that answers.
    case subagent
    /// A file is written.
    case edit
    case todo
    /// The provider refuses the key.
    case unauthorized
    /// The provider wants fewer requests, again and again.
    case ratelimit
    /// The provider breaks off, again and again.
    case cutoff
    /// 75 seconds of silence, then a short text.
    case slow
    /// Texts in 277 and in 2,000 pieces without a pause.
    case medium, fast
    /// A text that goes on for 30 seconds.
    case long
    /// One piece of 1.5 MB.
    case big

    /// The model's name as a person reads it.
    var title: String {
        switch self {
        case .ratelimit: "Rate limit"
        case .cutoff: "Cut off"
        default: rawValue.prefix(1).uppercased() + rawValue.dropFirst()
        }
    }
}
