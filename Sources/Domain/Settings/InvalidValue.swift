// SPDX-License-Identifier: Apache-2.0

/// The reason why a value is rejected, as the two parts of a sentence: the problem and the fix.
package struct InvalidValue: Error, Equatable {
    /// The text after the setting's name and the value, such as `is not a duration`.
    package let problem: String
    /// The text after a colon, such as `write, for example, 10s or 15min`.
    package let fix: String

    /// Creates a reason from a problem and its fix.
    package init(_ problem: String, fix: String) {
        self.problem = problem
        self.fix = fix
    }
}

/// An error about an invalid setting or command line, as a message for the user.
package struct SettingError: Error, Equatable, CustomStringConvertible {
    /// The message with the setting's source, the value (unless it is a secret) and the fix.
    package let description: String

    /// Creates an error from a message.
    package init(_ description: String) {
        self.description = description
    }

    /// Creates an error about a value.
    ///
    /// - Parameters:
    ///   - source: The flag or environment name that was used.
    ///   - value: The value; nil if it must not be shown.
    ///   - invalid: The problem and its fix.
    init(source: String, value: String?, _ invalid: InvalidValue) {
        let shown = value.map { " " + Self.quoted($0) } ?? ""
        self.init("\(source)\(shown) \(invalid.problem): \(invalid.fix).")
    }

    /// Returns a value in quotes, truncated if it is very long. Characters that could control a terminal are replaced
    /// by their code points.
    package static func quoted(_ value: String) -> String {
        let longest = 80
        let shown = value.unicodeScalars.prefix(longest).map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                "\\u{" + String(scalar.value, radix: 16) + "}"
            default: String(scalar)
            }
        }
        return "\"" + shown.joined() + (value.unicodeScalars.count > longest ? "…\"" : "\"")
    }
}
