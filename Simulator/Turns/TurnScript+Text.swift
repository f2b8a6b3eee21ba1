// SPDX-License-Identifier: Apache-2.0

extension TurnScript {
    /// Returns the model's text in a turn without tools, as deltas. Except in the scenario `slow`, the text begins with
    /// an echo of the prompt.
    func answer(to prompt: String) -> [String] {
        let text = scenario == .slow ? "That took a while." : TurnScript.text(echoing: prompt)
        let words = TurnScript.words(of: text)
        let count = deltaCount ?? words.count
        var answer = (0..<count).map { words[$0 % words.count] }
        if let bytes {
            let missing = max(0, bytes - answer.reduce(0) { $0 + $1.utf8.count })
            // The last delta receives the remainder of the division.
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
            You said: “\(echo)” This is the simulator of an OpenCode server: no model is asked, \
            but every event looks like a real one. Unicode travels too: naïve café, 日本語, 🚀 and ‘quotes’.

            ```swift
            let answer = 42
            print("answer: \\(answer)")
            ```

            Done.
            """
    }

    /// Splits a text into words with their trailing white space, which resemble a model's deltas.
    static func words(of text: String) -> [String] {
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
