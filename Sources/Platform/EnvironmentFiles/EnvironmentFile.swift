// SPDX-License-Identifier: Apache-2.0

/// The content of a file in the syntax of systemd's environment files (systemd.exec(5), `EnvironmentFile=`), parsed as
/// systemd parses it.
///
/// This parser is stricter than systemd in two ways. The parser reports an unclosed quote as an error, because the
/// quote would turn the remainder of the file into one value. The parser also lists in `ignoredLines` every line that
/// systemd ignores. systemd ignores some of these lines without a message.
///
/// A comment ends at the end of its line, even after a backslash, as in systemd 254 and later.
package struct EnvironmentFile: Sendable, Equatable {
    /// An assignment of the form `NAME=VALUE`.
    package struct Assignment: Sendable, Equatable {
        /// The name: letters, digits and `_`, not beginning with a digit.
        package let name: String
        /// The value after resolving quotes and escapes. The value may be empty and may contain line feeds, but no NUL.
        package let value: String
        /// The number of the line that contains the name, counted from 1.
        package let line: Int

        /// Creates an assignment without validating its parts.
        package init(name: String, value: String, line: Int) {
            self.name = name
            self.value = value
            self.line = line
        }
    }

    /// The path of the file, for messages.
    package let path: String
    /// The assignments in file order, including repeated assignments to one name.
    package let assignments: [Assignment]
    /// The lines that are not assignments and therefore have no effect.
    package let ignoredLines: [EnvironmentFileProblem]

    /// Parses the content of an environment file.
    ///
    /// - Parameters:
    ///   - bytes: The file's content, as read from disk.
    ///   - path: The path of the file, for messages.
    /// - Throws: A problem that makes the whole content unreliable: a NUL, a name or value that is not UTF-8, or an
    ///   unclosed quote.
    package init(parsing bytes: [UInt8], path: String) throws(EnvironmentFileProblem) {
        var reader = EnvironmentFileReader(bytes, path: path)
        try reader.readAll()
        self.path = path
        assignments = reader.assignments
        ignoredLines = reader.ignoredLines
    }

    /// The value of each name. If a name is assigned more than once, the last assignment applies.
    package var values: [String: String] {
        Dictionary(assignments.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
    }
}

/// A problem with a line of an environment file. The description never includes the line's content, which could be a
/// secret.
package struct EnvironmentFileProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// The path of the environment file.
    package let path: String
    /// The line number, counted from 1.
    package let line: Int
    /// The problem and its fix, as the end of a sentence about the line, such as `has no "=": write NAME=VALUE`.
    package let problem: String

    /// Creates the description of a problem with the given line.
    package init(path: String, line: Int, problem: String) {
        self.path = path
        self.line = line
        self.problem = problem
    }

    /// A message, such as `/home/vibe/.config/opencode/env, line 3 has no "=": write NAME=VALUE.`
    package var description: String { "\(path), line \(line) \(problem)." }
}
