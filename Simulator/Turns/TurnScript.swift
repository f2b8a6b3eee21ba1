// SPDX-License-Identifier: Apache-2.0

/// The script of a turn: its scenario, the number of its deltas, the interval between them, and the initial silence.
///
/// A word in the prompt's brackets selects the scenario. If the brackets contain no scenario, the prompt's first word
/// selects the scenario. If the first word is no scenario, the model's name selects the scenario. The brackets may
/// contain further options: `[think pieces=200 interval=20ms silent=75s bytes=1500000 pace=0]`.
struct TurnScript: Equatable, Sendable {
    var scenario: Scenario
    /// The number of deltas of the text. If it is nil, each word of the text is a delta.
    var deltaCount: Int?
    /// Whether the prompt's brackets set `pieces`.
    private(set) var hasFixedDeltas = false
    /// The time between two deltas.
    var interval: Duration = .milliseconds(21)
    /// The time without a byte before the first delta.
    var silence: Duration = .milliseconds(60)
    /// The minimum size of the whole text in bytes. If it is nil, the text is not padded.
    var bytes: Int?
    /// The duration of waits, in percent of the recorded duration. Times that the prompt sets are not scaled.
    var pace: Int

    /// Creates the script that a model's name and a prompt select.
    ///
    /// - Parameter pace: The value of ``pace`` if the prompt does not set it.
    init(model: String, prompt: String, pace: Int = 100) {
        let options = TurnScript.options(in: prompt)
        let first = prompt.split(maxSplits: 1) { !$0.isLetter }.first.map(String.init) ?? ""
        scenario =
            options.scenario ?? Scenario(rawValue: first.lowercased()) ?? Scenario(rawValue: model) ?? .talk
        self.pace = options.words.first { $0.name == "pace" }.flatMap { Int($0.value) } ?? pace
        switch scenario {
        case .medium:
            deltaCount = 277
            interval = .zero
        case .fast:
            deltaCount = 2000
            interval = .zero
        case .big:
            deltaCount = 1
            interval = .zero
            bytes = 1_500_000
        case .slow: silence = .seconds(75)
        case .long:
            deltaCount = 3000
            interval = .milliseconds(10)
        default: break
        }
        interval = scaled(interval)
        silence = scaled(silence)
        for word in options.words { apply(word.name, word.value) }
    }

    /// Scales a recorded time by the pace.
    func scaled(_ time: Duration) -> Duration { time * pace / 100 }

    private mutating func apply(_ name: Substring, _ value: Substring) {
        switch name {
        case "pieces":
            deltaCount = Int(value).map { max(1, $0) } ?? deltaCount
            hasFixedDeltas = true
        case "interval": interval = TurnScript.duration(value) ?? interval
        case "silent": silence = TurnScript.duration(value) ?? silence
        case "bytes":
            bytes = Int(value) ?? bytes
            deltaCount = deltaCount ?? 1
        default: break
        }
    }

    /// Returns the prompt without the brackets that contain options, as a user would have written it.
    static func withoutOptions(_ prompt: String) -> String {
        let options = options(in: prompt)
        guard let range = options.range, !options.words.isEmpty || options.scenario != nil else { return prompt }
        let before = prompt[..<range.lowerBound]
        return String(before.last == " " ? before.dropLast() : before) + prompt[range.upperBound...]
    }

    private static func options(
        in prompt: String
    ) -> (range: Range<String.Index>?, scenario: Scenario?, words: [(name: Substring, value: Substring)]) {
        guard let start = prompt.firstIndex(of: "["), let end = prompt[start...].firstIndex(of: "]") else {
            return (nil, nil, [])
        }
        let words = prompt[prompt.index(after: start)..<end].split(separator: " ")
        let settings = words.compactMap { word in
            let sides = word.split(separator: "=", maxSplits: 1)
            return sides.count == 2 ? (name: sides[0], value: sides[1]) : nil
        }
        let scenario = words.lazy.compactMap { Scenario(rawValue: String($0)) }.first
        return (start..<prompt.index(after: end), scenario, settings)
    }

    /// Parses a duration such as `75s` or `20ms`.
    private static func duration(_ text: Substring) -> Duration? {
        if text.hasSuffix("ms") { return Int(text.dropLast(2)).map { .milliseconds($0) } }
        if text.hasSuffix("s") { return Int(text.dropLast()).map { .seconds($0) } }
        return nil
    }
}
