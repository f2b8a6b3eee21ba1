// SPDX-License-Identifier: Apache-2.0

/// A JSON value whose objects keep the order of their members, so that responses have the same bytes as the responses
/// of the recorded server.
indirect enum JSON: Sendable, Equatable {
    case null
    case bool(Bool)
    /// An integer. The simulator computes only with integers.
    case integer(Int)
    case number(String)
    case string(String)
    case array([JSON])
    case object([Member])

    /// A member of an object.
    struct Member: Sendable, Equatable {
        let name: String
        let value: JSON
    }

    /// Returns the value of the last member with this name, as JavaScript does. Returns nil if no member has this name,
    /// or if this value is not an object.
    subscript(name: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.name == name }?.value
    }

    /// The text; nil if this value is not a string.
    var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The elements; nil if this value is not an array.
    var elements: [JSON]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// Returns this object with additional members at the end.
    func adding(_ more: [(String, JSON)]) -> JSON {
        guard case .object(let members) = self else { return self }
        return .object(members + more.map { Member(name: $0.0, value: $0.1) })
    }

    /// The JSON text in the format of JavaScript's JSON.stringify: without white space between tokens, and with only
    /// the necessary escapes.
    var encoded: String {
        var output = ""
        encode(into: &output)
        return output
    }

    private func encode(into output: inout String) {
        switch self {
        case .null: output += "null"
        case .bool(let value): output += value ? "true" : "false"
        case .integer(let value): output += String(value)
        case .number(let text): output += text
        case .string(let text): JSON.encode(text, into: &output)
        case .array(let elements):
            output += "["
            for (index, element) in elements.enumerated() {
                if index > 0 { output += "," }
                element.encode(into: &output)
            }
            output += "]"
        case .object(let members):
            output += "{"
            for (index, member) in members.enumerated() {
                if index > 0 { output += "," }
                JSON.encode(member.name, into: &output)
                output += ":"
                member.value.encode(into: &output)
            }
            output += "}"
        }
    }

    private static func encode(_ text: String, into output: inout String) {
        output += "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": output += "\\\""
            case "\\": output += "\\\\"
            case "\n": output += "\\n"
            case "\r": output += "\\r"
            case "\t": output += "\\t"
            case "\u{8}": output += "\\b"
            case "\u{c}": output += "\\f"
            case "\u{0}"..<" ":
                let digits = String(scalar.value, radix: 16)
                output += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: output.unicodeScalars.append(scalar)
            }
        }
        output += "\""
    }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    init(stringLiteral value: String) { self = .string(value) }
    init(integerLiteral value: Int) { self = .integer(value) }
    init(booleanLiteral value: Bool) { self = .bool(value) }
    init(arrayLiteral elements: JSON...) { self = .array(elements) }
    init(dictionaryLiteral elements: (String, JSON)...) { self = JSON.object([]).adding(elements) }
}
