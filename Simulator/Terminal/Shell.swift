// SPDX-License-Identifier: Apache-2.0

/// The shell of a terminal, which echoes its input. The shell supports the commands that the recordings need: `echo`,
/// `seq` and `exit`.
struct Shell {
    /// The prompt of every input line.
    static let prompt = "# "
    private var line = ""
    /// Whether the client has typed `exit`.
    private(set) var hasExited = false

    /// Returns the output for typed characters: their echo, and the output and the next prompt after each complete
    /// line.
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

    /// Returns the output of a command with LF as the line end instead of CRLF.
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

    /// Returns a word in which every `$((A+B))` is replaced with its value.
    private static func expand(_ word: String) -> String {
        guard let start = word.firstRange(of: "$(("), let end = word[start.upperBound...].firstRange(of: "))") else {
            return word
        }
        let numbers = word[start.upperBound..<end.lowerBound].split(separator: "+").map { Int($0) ?? 0 }
        return word[..<start.lowerBound] + String(numbers.reduce(0, +)) + expand(String(word[end.upperBound...]))
    }
}
