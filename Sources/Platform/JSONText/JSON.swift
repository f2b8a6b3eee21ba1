// SPDX-License-Identifier: Apache-2.0

/// A JSON value (RFC 8259) that is written as it was read: members keep their order, and numbers keep their digits.
package enum JSON: Sendable, Equatable {
    case null
    case bool(Bool)
    case number(Number)
    case string(String)
    /// A string that contains an unpaired surrogate, which no Swift string can represent. The value is the raw text
    /// between the quotes, including escapes.
    case brokenString([UInt8])
    case array([JSON])
    case object(JSONObject)

    /// The text of a string, with unpaired surrogates replaced by U+FFFD; nil for any other value.
    package var text: String? {
        switch self {
        case .string(let text): text
        case .brokenString(let raw): JSONParser.text(ofBroken: raw)
        default: nil
        }
    }

    /// The number; nil for any other value.
    package var number: Number? {
        if case .number(let number) = self { number } else { nil }
    }

    /// The Boolean value; nil for any other value.
    package var bool: Bool? {
        if case .bool(let bool) = self { bool } else { nil }
    }

    /// The elements of an array; nil for any other value.
    package var array: [JSON]? {
        if case .array(let array) = self { array } else { nil }
    }

    /// The members of an object; nil for any other value.
    package var object: JSONObject? {
        if case .object(let object) = self { object } else { nil }
    }

    /// The member with this name; nil if the member is missing or this value is not an object.
    package subscript(name: String) -> JSON? { object?[name] }

    /// The value as JSON text without white space, the format that OpenCode writes.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(json: self)
        return bytes
    }
}

/// A number that keeps the digits of its JSON text.
package struct Number: Sendable, Equatable, ExpressibleByIntegerLiteral {
    /// The number as written in JSON.
    package let text: String

    /// Creates a number from a text, which must be a valid JSON number.
    package init(text: String) { self.text = text }
    /// Creates a whole number from a literal.
    package init(integerLiteral value: Int) { text = String(value) }
    /// Creates a whole number from an integer value.
    package init(_ value: some BinaryInteger) { text = String(value) }

    /// The value, if the number is written in plain digits and fits into `Int`; nil otherwise.
    package var integer: Int? { Int(text) }

    /// The nearest `Double`; nil if there is none.
    package var double: Double? { Double(text) }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates a string from a literal.
    package init(stringLiteral value: String) { self = .string(value) }
    /// Creates a number from a literal.
    package init(integerLiteral value: Int) { self = .number(Number(value)) }
    /// Creates a Boolean from a literal.
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Creates an array from a literal.
    package init(arrayLiteral elements: JSON...) { self = .array(elements) }

    /// Creates an object from a literal. Members whose value is nil are omitted.
    package init(dictionaryLiteral elements: (String, JSON?)...) {
        self = .object(JSONObject(literal: elements))
    }
}
