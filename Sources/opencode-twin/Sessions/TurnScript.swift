/// How a turn goes: what the model says, in how many pieces, how fast, and how long it is silent before.
///
/// The model's name chooses one of the recorded scenarios; a bracket in the prompt changes it, such as
/// `[pieces=200 interval=20ms silent=75s bytes=1500000]`.
struct TurnScript: Equatable {
    /// How many pieces the text is streamed in; nil takes the text's own words.
    var pieces: Int?
    /// The time between two pieces.
    var interval: Duration = .milliseconds(21)
    /// The time without a byte before the first piece.
    var silence: Duration = .milliseconds(60)
    /// How many bytes the whole text has at least; nil takes what the pieces give.
    var bytes: Int?

    /// The scenario of a model's name, with what the prompt asks for.
    init(model: String, prompt: String) {
        switch model {
        case "medium": (pieces, interval) = (277, .zero)
        case "fast": (pieces, interval) = (2000, .zero)
        case "big": (pieces, interval, bytes) = (1, .zero, 1_500_000)
        case "slow": silence = .seconds(75)
        case "long": (pieces, interval) = (3000, .milliseconds(10))
        default: break
        }
        for word in TurnScript.options(in: prompt).words { apply(word.name, word.value) }
    }

    private mutating func apply(_ name: Substring, _ value: Substring) {
        switch name {
        case "pieces": pieces = Int(value).map { max(1, $0) } ?? pieces
        case "interval": interval = TurnScript.duration(value) ?? interval
        case "silent": silence = TurnScript.duration(value) ?? silence
        case "bytes":
            bytes = Int(value) ?? bytes
            pieces = pieces ?? 1
        default: break
        }
    }

    /// The prompt without its bracket: what a person would have said.
    static func withoutOptions(_ prompt: String) -> String {
        let options = options(in: prompt)
        guard let range = options.range, !options.words.isEmpty else { return prompt }
        let before = prompt[..<range.lowerBound]
        return String(before.last == " " ? before.dropLast() : before) + prompt[range.upperBound...]
    }

    private static func options(
        in prompt: String
    ) -> (range: Range<String.Index>?, words: [(name: Substring, value: Substring)]) {
        guard let start = prompt.firstIndex(of: "["), let end = prompt[start...].firstIndex(of: "]") else {
            return (nil, [])
        }
        let words = prompt[prompt.index(after: start)..<end].split(separator: " ").compactMap { word in
            let sides = word.split(separator: "=", maxSplits: 1)
            return sides.count == 2 ? (name: sides[0], value: sides[1]) : nil
        }
        return (start..<prompt.index(after: end), words)
    }

    /// `75s` or `20ms`.
    private static func duration(_ text: Substring) -> Duration? {
        if text.hasSuffix("ms") { return Int(text.dropLast(2)).map { .milliseconds($0) } }
        if text.hasSuffix("s") { return Int(text.dropLast()).map { .seconds($0) } }
        return nil
    }

    /// The pieces of the answer, which begins with an echo of the prompt.
    func answer(to prompt: String) -> [String] {
        let words = TurnScript.words(of: TurnScript.text(echoing: prompt))
        let count = pieces ?? words.count
        var answer = (0..<count).map { words[$0 % words.count] }
        if let bytes {
            let missing = max(0, bytes - answer.reduce(0) { $0 + $1.utf8.count })
            // The last piece takes what does not divide.
            for index in answer.indices {
                let share = missing / count + (index == count - 1 ? missing % count : 0)
                answer[index] += String(repeating: "x", count: share)
            }
        }
        return answer
    }

    private static func text(echoing prompt: String) -> String {
        let line = withoutOptions(prompt).split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
        let echo = line.count > 60 ? line.prefix(60) + "…" : line[...]
        return """
            You said: “\(echo)” This is the twin of an OpenCode server: no model is asked, \
            but every event looks like a real one. Unicode travels too: naïve café, 日本語, 🚀 and ‘quotes’.

            ```swift
            let answer = 42
            print("answer: \\(answer)")
            ```

            Done.
            """
    }

    /// The words with the white space behind them, as a model's pieces are.
    private static func words(of text: String) -> [String] {
        var words: [String] = []
        var word = ""
        for character in text {
            word.append(character)
            if character == " " || character == "\n" {
                words.append(word)
                word = ""
            }
        }
        return word.isEmpty ? words : words + [word]
    }
}
