/// A text in the syntax of systemd's environment files (systemd.exec(5), `EnvironmentFile=`), read as systemd reads it.
///
/// Two things are stricter: a quote that is never closed, which would make all that follows one value, is an error; and
/// every line that systemd leaves out, in part without a word, is told in `ignoredLines`. A comment ends with its line,
/// also behind a backslash, as since systemd 254.
package struct EnvironmentFile: Sendable, Equatable {
    /// One `NAME=VALUE`.
    package struct Assignment: Sendable, Equatable {
        /// Letters, digits and `_`, no digit in front.
        package let name: String
        /// What remains when quotes and escapes are resolved. May be empty and may hold line feeds, never a NUL.
        package let value: String
        /// The line on which the name stands, from 1.
        package let line: Int

        /// An assignment that is already known to be right.
        package init(name: String, value: String, line: Int) {
            self.name = name
            self.value = value
            self.line = line
        }
    }

    /// The path of the file, for messages.
    package let path: String
    /// The assignments in the file's order, a name that is given several times each time.
    package let assignments: [Assignment]
    /// What is no assignment and so without effect.
    package let ignoredLines: [EnvironmentFileProblem]

    /// Reads `bytes`, the content of the file `path`. Throws where no meaning can be relied on: a NUL, a name or value that
    /// is not UTF-8, a quote that is never closed.
    package init(parsing bytes: [UInt8], path: String) throws(EnvironmentFileProblem) {
        var reader = EnvironmentFileReader(bytes, path: path)
        try reader.readAll()
        self.path = path
        assignments = reader.assignments
        ignoredLines = reader.ignoredLines
    }

    /// Each name's value; the last one where it is given several times.
    package var values: [String: String] {
        Dictionary(assignments.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
    }
}

/// What is wrong with a line of an environment file. Never shows what stands there: it could be a secret.
package struct EnvironmentFileProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// The file.
    package let path: String
    /// The line, from 1.
    package let line: Int
    /// What is wrong and what to write instead, as the rest of a sentence about the line, such as
    /// `has no "=": write NAME=VALUE`.
    package let problem: String

    /// A problem of that line.
    package init(path: String, line: Int, problem: String) {
        self.path = path
        self.line = line
        self.problem = problem
    }

    /// `/home/vibe/.config/opencode/env, line 3 has no "=": write NAME=VALUE.`
    package var description: String { "\(path), line \(line) \(problem)." }
}
