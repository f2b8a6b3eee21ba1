// SPDX-License-Identifier: Apache-2.0

internal import Encodings
internal import EnvironmentFiles

/// The syntax of a kind of value: its placeholder in help, its parser, and its conversion to text.
struct ValueSyntax<Value: Sendable>: Sendable {
    /// The text after the flag in help, such as `HOST:PORT` or `on|off`.
    let placeholder: String
    /// Whether the value is a secret. A secret has no flag, because every local user can read command lines. Printing a
    /// secret shows only a mask.
    var isSecret = false
    /// The completions that a shell offers for the value.
    var hint = ValueHint.none
    /// Parses a value from text.
    let parse: @Sendable (String) throws(InvalidValue) -> Value
    /// Converts a value to text that `parse` accepts. A secret becomes its mask.
    let text: @Sendable (Value) -> String

    /// Returns this syntax with an additional check. A value is rejected if `check` returns an error for it.
    func checked(_ check: @escaping @Sendable (Value) -> InvalidValue?) -> ValueSyntax {
        let parse = self.parse
        return ValueSyntax(
            placeholder: placeholder, isSecret: isSecret, hint: hint,
            parse: { (text) throws(InvalidValue) in
                let value = try parse(text)
                if let invalid = check(value) { throw invalid }
                return value
            },
            text: text)
    }
}

extension ValueSyntax where Value == ListenAddress {
    /// The syntax of `HOST:PORT` with a numeric host.
    static let address = ValueSyntax(placeholder: "HOST:PORT", parse: ListenAddress.parse, text: \.description)
}

extension ValueSyntax where Value == String {
    /// The syntax of a directory's absolute path. The parser does not check whether the directory exists.
    static let directory = ValueSyntax(
        placeholder: "DIR", hint: .folder,
        parse: { (text) throws(InvalidValue) in
            try AbsolutePath.check(text, fix: "write a path that begins with /, for example /home/vibe")
            var path = text[...]
            while path.count > 1, path.hasSuffix("/") { path.removeLast() }
            return String(path)
        },
        text: { $0 })
}

extension ValueSyntax where Value == String? {
    /// The syntax of the absolute path of a file, or `none`.
    static let file = ValueSyntax(
        placeholder: "FILE|none", hint: .file,
        parse: { (text) throws(InvalidValue) in
            if text == none { return nil }
            try AbsolutePath.check(text, fix: "write a path that begins with /, or none")
            return text
        },
        text: { $0 ?? none })

    private static let none = "none"
}

/// Validates the paths in settings.
private enum AbsolutePath {
    static func check(_ text: String, fix: String) throws(InvalidValue) {
        guard text.hasPrefix("/") else { throw InvalidValue("is not an absolute path", fix: fix) }
        // A control character in a path could break a line of a message or of the log.
        let hasControl = text.unicodeScalars.contains { $0.properties.generalCategory == .control }
        if hasControl { throw InvalidValue("contains a control character", fix: fix) }
    }
}

extension ValueSyntax where Value == [String] {
    /// The syntax of a program with its arguments.
    static let command = ValueSyntax(
        placeholder: "COMMAND",
        parse: { (text) throws(InvalidValue) in
            do throws(CommandWords.Problem) {
                return try CommandWords.parse(text)
            } catch {
                throw InvalidValue(error.problem, fix: error.fix)
            }
        }, text: CommandWords.text)
}

extension ValueSyntax where Value == Bool {
    /// The syntax of a value that is `on` or `off`.
    static let onOff = ValueSyntax(
        placeholder: "on|off", hint: .words(["on", "off"]),
        parse: { (text) throws(InvalidValue) in
            switch text {
            case "on": return true
            case "off": return false
            default: throw InvalidValue("is not a known choice", fix: "use on or off")
            }
        },
        text: { $0 ? "on" : "off" })
}

extension ValueSyntax where Value == Int {
    /// Returns the syntax of a whole number within a range.
    static func number(in range: ClosedRange<Int>) -> ValueSyntax {
        let fix = "write a number from \(range.lowerBound) to \(range.upperBound)"
        return ValueSyntax(
            placeholder: "N",
            parse: { (text) throws(InvalidValue) in
                guard let number = Int(text) else { throw InvalidValue("is not a whole number", fix: fix) }
                return number
            },
            text: { "\($0)" }
        ).checked { range.contains($0) ? nil : InvalidValue("is out of range", fix: fix) }
    }

    /// Returns the syntax of a size in bytes within a range.
    static func size(in range: ClosedRange<Int>) -> ValueSyntax {
        let fix = "write \(Quantity.text(size: range.lowerBound)) to \(Quantity.text(size: range.upperBound))"
        return ValueSyntax(placeholder: "SIZE", parse: Quantity.parseSize, text: Quantity.text(size:))
            .checked { range.contains($0) ? nil : InvalidValue("is out of range", fix: fix) }
    }
}

extension ValueSyntax where Value == Duration {
    /// Returns the syntax of a duration within a range.
    static func duration(in range: ClosedRange<Duration>) -> ValueSyntax {
        let fix = "write \(range.lowerBound.text(.setting)) to \(range.upperBound.text(.setting))"
        return ValueSyntax(placeholder: "TIME", parse: Quantity.parseDuration, text: { $0.text(.setting) })
            .checked { range.contains($0) ? nil : InvalidValue("is out of range", fix: fix) }
    }
}

extension ValueSyntax {
    /// Returns a syntax that accepts one of several words.
    static func choice(_ words: [(name: String, value: Value)], text: @escaping @Sendable (Value) -> String)
        -> ValueSyntax
    {
        let names = words.map(\.name)
        return ValueSyntax(
            placeholder: names.joined(separator: "|"), hint: .words(names),
            parse: { (text) throws(InvalidValue) in
                if let word = words.first(where: { $0.name == text }) { return word.value }
                let list = names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
                throw InvalidValue("is not a known choice", fix: "use \(list)")
            },
            text: text)
    }
}

extension ValueSyntax where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// The syntax of an enumeration. The accepted words are the raw values of its cases.
    static var cases: ValueSyntax {
        choice(Value.allCases.map { ($0.rawValue, $0) }, text: \.rawValue)
    }
}

extension ValueSyntax {
    /// Returns the syntax of a list of elements separated by commas. The word `none` represents the empty list.
    static func list<Element: Sendable>(
        of placeholder: String, _ parse: @escaping @Sendable (String) throws(InvalidValue) -> Element,
        text: @escaping @Sendable (Element) -> String
    ) -> ValueSyntax where Value == [Element] {
        ValueSyntax(
            placeholder: "\(placeholder)[,\(placeholder)…]",
            parse: { (list) throws(InvalidValue) in
                if list == "none" { return [] }
                var elements: [Element] = []
                let parts = list.split(separator: ",", omittingEmptySubsequences: false)
                for part in parts {
                    let element = String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
                    do throws(InvalidValue) {
                        elements.append(try parse(element))
                    } catch {
                        guard parts.count > 1 else { throw error }
                        throw InvalidValue(
                            "contains \(SettingError.quoted(element)), which \(error.problem)", fix: error.fix)
                    }
                }
                return elements
            },
            text: { $0.isEmpty ? "none" : $0.map(text).joined(separator: ",") })
    }
}

/// The completions that a shell can offer for a setting's value.
package enum ValueHint: Sendable, Equatable {
    /// The shell offers no completions.
    case none
    /// The shell offers these words.
    case words([String])
    /// The shell offers the names of directories.
    case folder
    /// The shell offers the names of files.
    case file
}
