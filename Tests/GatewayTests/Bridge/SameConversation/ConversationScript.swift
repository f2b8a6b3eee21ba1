// SPDX-License-Identifier: Apache-2.0

import TestKit

/// The actions of a user in one conversation.
struct ConversationScript: CustomStringConvertible {
    /// An action. The next one begins when the session is idle again.
    enum Step {
        /// The user sends a prompt whose answer takes this course, and the client reads the events in this way.
        case turn(String, Reading)
        /// A tool asks for permission, and the answer is `once` or `reject`. (A tool that is always allowed does not
        /// ask in the next script.)
        case permission(String, Reading)
        /// The model asks a question. The label is nil if the user rejects it.
        case question(label: String?, Reading)
        /// The user aborts the answer after a part of its text.
        case abort(Reading)
        /// The user aborts the turn while a tool waits for permission.
        case abortInQuestion(Reading)
        /// The user sends another prompt while the first one is being answered.
        case more(Reading)
    }

    /// How the client reads the events.
    enum Reading {
        case steady
        /// The client reconnects after this many events.
        case reconnecting(after: Int)
        /// The client reconnects when the step has ended.
        case asleep
    }

    let seed: UInt64
    let encoding: String
    let steps: [Step]

    /// Creates the script of this number.
    init(seed: UInt64) {
        self.seed = seed
        var random = SeededGenerator(seed: seed)
        encoding = ["raw", "full", "delta"].randomElement(using: &random) ?? "raw"
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

    var description: String { "seed \(seed), form \(encoding): \(steps)" }
}
