// SPDX-License-Identifier: Apache-2.0

/// Splits a command into words as a shell does, without any expansion (POSIX Shell Command Language §2.2).
package enum CommandWords {
    /// The reason why a text is not a command. The two parts, the problem and the fix, form one sentence.
    package struct Problem: Error, Equatable {
        /// The problem, as a phrase that follows the text, such as `has a quote that never ends`.
        package let problem: String
        /// The fix, as a phrase that follows a colon, such as `add the closing "`.
        package let fix: String

        init(_ problem: String, fix: String) {
            self.problem = problem
            self.fix = fix
        }
    }

    /// Splits a text into the words of a command.
    ///
    /// Spaces, tabs and line feeds separate words. `'…'` keeps every character. `"…"` keeps every character except the
    /// escapes `\"`, `\\`, `\$` and `` \` ``. Elsewhere, a backslash keeps the next character.
    package static func parse(_ text: String) throws(Problem) -> [String] {
        var words: [String] = []
        var word: String?
        var remaining = text.unicodeScalars[...]
        while let scalar = remaining.popFirst() {
            switch scalar {
            case " ", "\t", "\n":
                if let finished = word { words.append(finished) }
                word = nil
            case "'": word = (word ?? "") + (try singleQuoted(&remaining))
            case "\"": word = (word ?? "") + (try doubleQuoted(&remaining))
            case "\\":
                guard let next = remaining.popFirst() else {
                    throw Problem("ends in a backslash", fix: #"write \\ for a backslash"#)
                }
                word = (word ?? "") + String(next)
            default: word = (word ?? "") + String(scalar)
            }
        }
        if let finished = word { words.append(finished) }
        guard let program = words.first, !program.isEmpty else {
            throw Problem("names no program", fix: "write a command, for example opencode or /usr/bin/opencode")
        }
        return words
    }

    private static func singleQuoted(_ remaining: inout Substring.UnicodeScalarView) throws(Problem) -> String {
        guard let end = remaining.firstIndex(of: "'") else { throw unclosed("'") }
        defer { remaining = remaining[remaining.index(after: end)...] }
        return String(remaining[..<end])
    }

    private static func doubleQuoted(_ remaining: inout Substring.UnicodeScalarView) throws(Problem) -> String {
        var text = String.UnicodeScalarView()
        while let scalar = remaining.popFirst() {
            if scalar == "\"" { return String(text) }
            if scalar == "\\", let next = remaining.first, "\"\\$`".unicodeScalars.contains(next) {
                text.append(next)
                remaining.removeFirst()
            } else {
                text.append(scalar)
            }
        }
        throw unclosed("\"")
    }

    private static func unclosed(_ quote: String) -> Problem {
        Problem("has a quote that never ends", fix: "add the closing \(quote)")
    }

    /// Returns the words as one command that ``parse(_:)`` splits into the same words.
    package static func text(_ words: [String]) -> String {
        words.map(ShellWord.quoted).joined(separator: " ")
    }
}
