import TestKit

/// What a person does in one conversation.
struct ConversationScript: CustomStringConvertible {
    /// One thing to do; each is done when the session is idle again.
    enum Step {
        /// A prompt whose answer takes this course, and what its client does meanwhile.
        case turn(String, Reading)
        /// A tool asks; the answer is `once` or `reject`. (What is always allowed is not asked for in the next script.)
        case permission(String, Reading)
        /// The model asks; nil: the person rejects the question.
        case question(label: String?, Reading)
        /// The answer is stopped after a piece of its text.
        case abort(Reading)
        /// What a tool asks for is not answered: the turn is stopped.
        case abortInQuestion(Reading)
        /// Another prompt is sent while the first is answered.
        case more(Reading)
    }

    /// How the client follows the events.
    enum Reading {
        case steady
        /// It comes again behind so many events.
        case reconnecting(after: Int)
        /// It comes again when all is over.
        case asleep
    }

    let seed: UInt64
    let form: String
    let steps: [Step]

    /// The script that belongs to a number.
    init(seed: UInt64) {
        self.seed = seed
        var random = SeededGenerator(seed: seed)
        form = ["raw", "full", "delta"].randomElement(using: &random) ?? "raw"
        steps = (0..<Int.random(in: 2...5, using: &random)).map { _ in Self.step(&random) }
    }

    private static func step(_ random: inout SeededGenerator) -> Step {
        let reading = reading(&random)
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4:
            return .turn(["talk", "think", "edit", "unauthorized"].randomElement(using: &random) ?? "", reading)
        case 4..<6: return .permission(["once", "reject"].randomElement(using: &random) ?? "", reading)
        case 6: return .question(label: ["Left", "Right", nil].randomElement(using: &random) ?? nil, reading)
        case 7: return .abort(reading)
        case 8: return .abortInQuestion(reading)
        default: return .more(reading)
        }
    }

    private static func reading(_ random: inout SeededGenerator) -> Reading {
        switch Int.random(in: 0..<4, using: &random) {
        case 0, 1: .steady
        case 2: .reconnecting(after: Int.random(in: 0..<12, using: &random))
        default: .asleep
        }
    }

    var description: String { "seed \(seed), form \(form): \(steps)" }
}
