/// The shell of a terminal as far as the recording needs one: it echoes what is typed and knows `echo`, `seq` and
/// `exit`.
///
/// Takes what the client typed and returns what the terminal shows.
struct Shell {
    /// What is shown before a line is typed.
    static let prompt = "# "
    private var line = ""
    /// Whether `exit` was typed.
    private(set) var hasExited = false

    /// The output for more typed characters: their echo, then what each finished line prints, then the next prompt.
    mutating func type(_ input: String) -> String {
        var output = ""
        for character in input where !hasExited {
            if character == "\n" || character == "\r" {
                output += "\r\n" + run(line)
                line = ""
                if !hasExited { output += Shell.prompt }
            } else {
                output.append(character)
                line.append(character)
            }
        }
        return output
    }

    /// What a command prints, without a terminal's line ends.
    mutating func output(of command: String) -> String {
        run(command).replacing("\r\n", with: "\n")
    }

    private mutating func run(_ line: String) -> String {
        let words = line.split(separator: " ").map(String.init)
        switch words.first {
        case nil: return ""
        case "exit":
            hasExited = true
            return ""
        case "echo": return words.dropFirst().map(Shell.expand).joined(separator: " ") + "\r\n"
        case "seq":
            let last = words.count > 1 ? Int(words[1]) ?? 0 : 0
            return last < 1 ? "" : (1...last).map { "\($0)\r\n" }.joined()
        case .some(let command): return "sh: \(command): not found\r\n"
        }
    }

    /// A word with each `$((A+B))` in it worked out.
    private static func expand(_ word: String) -> String {
        guard let start = word.firstRange(of: "$(("), let end = word[start.upperBound...].firstRange(of: "))") else {
            return word
        }
        let numbers = word[start.upperBound..<end.lowerBound].split(separator: "+").map { Int($0) ?? 0 }
        return word[..<start.lowerBound] + String(numbers.reduce(0, +)) + expand(String(word[end.upperBound...]))
    }
}
