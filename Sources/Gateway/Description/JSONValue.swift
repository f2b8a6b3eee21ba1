// SPDX-License-Identifier: Apache-2.0

import JSONText

/// A JSON value whose members keep their order (RFC 8259), for texts that are generated once at the start.
enum JSONValue: Sendable {
    case null
    case boolean(Bool)
    case number(Int)
    case string(String)
    case array([JSONValue])
    case object([(name: String, value: JSONValue)])

    /// The value as text, without white space.
    var text: [UInt8] {
        var text: [UInt8] = []
        append(to: &text)
        return text
    }

    private func append(to text: inout [UInt8]) {
        switch self {
        case .null: text.append(contentsOf: "null".utf8)
        case .boolean(let value): text.append(contentsOf: (value ? "true" : "false").utf8)
        case .number(let value): text.append(contentsOf: "\(value)".utf8)
        case .string(let value): text.append(jsonString: value)
        case .array(let elements):
            Self.appendList(elements, between: "[]", to: &text) { $0.append(to: &$1) }
        case .object(let members):
            Self.appendList(members, between: "{}", to: &text) { member, text in
                text.append(jsonString: member.name)
                text.append(UInt8(ascii: ":"))
                member.value.append(to: &text)
            }
        }
    }

    private static func appendList<Element>(
        _ elements: [Element], between brackets: StaticString, to text: inout [UInt8],
        _ append: (Element, inout [UInt8]) -> Void
    ) {
        text.append(brackets.utf8Start[0])
        for (index, element) in elements.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            append(element, &text)
        }
        text.append(brackets.utf8Start[1])
    }

    /// The JSON Schema extended to allow null.
    var orNull: JSONValue {
        guard case .object(let members) = self else { return self }
        return .object(
            members.map { member in
                member.name == "type" ? (name: "type", value: [member.value, "null"]) : member
            })
    }

    /// Returns this object with the members of another one appended.
    func with(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
        guard case .object(let own) = self else { return self }
        return .object(own + members.map { (name: $0.key, value: $0.value) })
    }
}

extension JSONValue: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral, ExpressibleByStringLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByStringInterpolation
{
    init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(elements.map { (name: $0.0, value: $0.1) })
    }
    init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    init(stringLiteral value: String) { self = .string(value) }
    init(integerLiteral value: Int) { self = .number(value) }
    init(booleanLiteral value: Bool) { self = .boolean(value) }
    init(nilLiteral: ()) { self = .null }
}
