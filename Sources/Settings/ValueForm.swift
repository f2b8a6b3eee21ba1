internal import EnvironmentFiles

/// How one kind of value is written: its name in help, how text becomes a value, and how a value becomes text again.
struct ValueForm<Value: Sendable>: Sendable {
    /// What stands behind the flag in help, such as `HOST:PORT` or `on|off`.
    let placeholder: String
    /// Secrets have no flag, because every local user can read command lines, and are masked wherever they are printed.
    var isSecret = false
    /// What a shell can complete a value with.
    var hint = ValueHint.none
    /// Reads a value.
    let parse: @Sendable (String) throws(InvalidValue) -> Value
    /// Writes a value so that `parse` reads it back (a secret as its mask).
    let text: @Sendable (Value) -> String

    /// The same form, which also refuses what `check` finds fault with.
    func checked(_ check: @escaping @Sendable (Value) -> InvalidValue?) -> ValueForm {
        let parse = self.parse
        return ValueForm(
            placeholder: placeholder, isSecret: isSecret, hint: hint,
            parse: { (text) throws(InvalidValue) in
                let value = try parse(text)
                if let invalid = check(value) { throw invalid }
                return value
            },
            text: text)
    }
}

extension ValueForm where Value == ListenAddress {
    /// `HOST:PORT`.
    static let address = ValueForm(placeholder: "HOST:PORT", parse: ListenAddress.parse, text: \.description)
}

extension ValueForm where Value == String {
    /// An absolute path. Whether it exists is for the caller to find out.
    static let directory = ValueForm(
        placeholder: "DIR", hint: .folder,
        parse: { (text) throws(InvalidValue) in
            try AbsolutePath.check(text, fix: "write a folder from / on, for example /home/vibe")
            var path = text[...]
            while path.count > 1, path.hasSuffix("/") { path.removeLast() }
            return String(path)
        },
        text: { $0 })
}

extension ValueForm where Value == String? {
    /// The absolute path of a file, or `none`.
    static let file = ValueForm(
        placeholder: "FILE|none", hint: .file,
        parse: { (text) throws(InvalidValue) in
            if text == none { return nil }
            try AbsolutePath.check(text, fix: "write a path from / on, or none")
            return text
        },
        text: { $0 ?? none })

    private static let none = "none"
}

/// What every path in a setting must be.
private enum AbsolutePath {
    static func check(_ text: String, fix: String) throws(InvalidValue) {
        guard text.hasPrefix("/") else { throw InvalidValue("is not an absolute path", fix: fix) }
        // Such a path would break the lines of messages and log.
        let holdsControl = text.unicodeScalars.contains { $0.properties.generalCategory == .control }
        if holdsControl { throw InvalidValue("holds a control character", fix: fix) }
    }
}

extension ValueForm where Value == [String] {
    /// A program with its arguments.
    static let command = ValueForm(
        placeholder: "COMMAND",
        parse: { (text) throws(InvalidValue) in
            do throws(CommandWords.Problem) {
                return try CommandWords.parse(text)
            } catch {
                throw InvalidValue(error.problem, fix: error.fix)
            }
        }, text: CommandWords.text)
}

extension ValueForm where Value == Bool {
    /// `on` or `off`.
    static let onOff = ValueForm(
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

extension ValueForm where Value == Int {
    /// A whole number within a range.
    static func number(in range: ClosedRange<Int>) -> ValueForm {
        let fix = "write a number from \(range.lowerBound) to \(range.upperBound)"
        return ValueForm(
            placeholder: "N",
            parse: { (text) throws(InvalidValue) in
                guard let number = Int(text) else { throw InvalidValue("is not a whole number", fix: fix) }
                return number
            },
            text: { "\($0)" }
        ).checked { range.contains($0) ? nil : InvalidValue("is out of range", fix: fix) }
    }

    /// A size in bytes within a range.
    static func size(in range: ClosedRange<Int>) -> ValueForm {
        let fix = "write \(Quantity.text(size: range.lowerBound)) to \(Quantity.text(size: range.upperBound))"
        return ValueForm(placeholder: "SIZE", parse: Quantity.parseSize, text: Quantity.text(size:))
            .checked { range.contains($0) ? nil : InvalidValue("is out of range", fix: fix) }
    }
}

extension ValueForm where Value == Duration {
    /// A span of time within a range.
    static func duration(in range: ClosedRange<Duration>) -> ValueForm {
        let fix = "write \(Quantity.text(range.lowerBound)) to \(Quantity.text(range.upperBound))"
        return ValueForm(placeholder: "TIME", parse: Quantity.parseDuration, text: { Quantity.text($0) })
            .checked { range.contains($0) ? nil : InvalidValue("is out of range", fix: fix) }
    }
}

extension ValueForm {
    /// One word out of a few.
    static func choice(_ words: [(name: String, value: Value)], text: @escaping @Sendable (Value) -> String)
        -> ValueForm
    {
        let names = words.map(\.name)
        return ValueForm(
            placeholder: names.joined(separator: "|"), hint: .words(names),
            parse: { (text) throws(InvalidValue) in
                if let word = words.first(where: { $0.name == text }) { return word.value }
                let list = names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
                throw InvalidValue("is not a known choice", fix: "use \(list)")
            },
            text: text)
    }
}

extension ValueForm where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// One of an enumeration's cases, by raw value.
    static var cases: ValueForm {
        choice(Value.allCases.map { ($0.rawValue, $0) }, text: \.rawValue)
    }
}

extension ValueForm {
    /// Elements separated by commas; `none` is the empty list.
    static func list<Element: Sendable>(
        of placeholder: String, _ parse: @escaping @Sendable (String) throws(InvalidValue) -> Element,
        text: @escaping @Sendable (Element) -> String
    ) -> ValueForm where Value == [Element] {
        ValueForm(
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
                            "holds \(SettingError.quoted(element)), which \(error.problem)", fix: error.fix)
                    }
                }
                return elements
            },
            text: { $0.isEmpty ? "none" : $0.map(text).joined(separator: ",") })
    }
}

/// What a shell can offer to complete a setting's value with.
package enum ValueHint: Sendable, Equatable {
    /// Nothing.
    case none
    /// One of these words.
    case words([String])
    /// A folder.
    case folder
    /// A file.
    case file
}
