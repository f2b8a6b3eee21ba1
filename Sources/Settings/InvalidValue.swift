/// Why a value is refused, in the two halves of a sentence: what it is, and what to write instead.
package struct InvalidValue: Error, Equatable {
    /// Follows the setting's name and the value, such as `is not a duration`.
    package let problem: String
    /// Follows a colon, such as `write for example 10s or 15min`.
    package let fix: String

    /// A problem and its fix.
    package init(_ problem: String, fix: String) {
        self.problem = problem
        self.fix = fix
    }
}

/// A setting that can't be used, or a command line that can't be understood: one sentence for the person who typed it.
package struct SettingError: Error, Equatable, CustomStringConvertible {
    /// Names the setting as it was given, the value (never a secret's) and the fix.
    package let description: String

    /// An error of that sentence.
    package init(_ description: String) {
        self.description = description
    }

    /// `source` is the flag or environment name that was used; `value` is nil where it must not be shown.
    init(source: String, value: String?, _ invalid: InvalidValue) {
        let shown = value.map { " " + Self.quoted($0) } ?? ""
        self.init("\(source)\(shown) \(invalid.problem): \(invalid.fix).")
    }

    /// A value in quotes, cut where it is very long; what could command a terminal is shown by its code point.
    static func quoted(_ value: String) -> String {
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
