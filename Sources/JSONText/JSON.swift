/// A JSON value (RFC 8259) that is written as it was read: members keep their order, numbers their digits.
package enum JSON: Sendable, Equatable {
    case null
    case bool(Bool)
    case number(Number)
    case string(String)
    /// A string with half a surrogate pair in it, which no text can hold: what stands between its quotes, escapes and all.
    case brokenString([UInt8])
    case array([JSON])
    case object(JSONObject)

    /// The text of a string; half surrogate pairs become U+FFFD.
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

    /// Whether it is true; nil for any other value.
    package var bool: Bool? {
        if case .bool(let bool) = self { bool } else { nil }
    }

    /// The elements; nil for any other value.
    package var array: [JSON]? {
        if case .array(let array) = self { array } else { nil }
    }

    /// The members; nil for any other value.
    package var object: JSONObject? {
        if case .object(let object) = self { object } else { nil }
    }

    /// The member of an object; nil for any other value.
    package subscript(name: String) -> JSON? { object?[name] }

    /// The value in the form in which OpenCode says it: no white space.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(json: self)
        return bytes
    }
}

/// A number as its digits stand in the text.
package struct Number: Sendable, Equatable, ExpressibleByIntegerLiteral {
    /// The digits.
    package let text: String

    /// A number of these digits, which are JSON's.
    package init(text: String) { self.text = text }
    /// A whole number.
    package init(integerLiteral value: Int) { text = String(value) }
    /// A whole number.
    package init(_ value: some BinaryInteger) { text = String(value) }

    /// The value where it is a whole number in plain digits.
    package var integer: Int? { Int(text) }

    /// The nearest value; nil where that is none.
    package var double: Double? { Double(text) }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// A string.
    package init(stringLiteral value: String) { self = .string(value) }
    /// A number.
    package init(integerLiteral value: Int) { self = .number(Number(value)) }
    /// True or false.
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    /// An array.
    package init(arrayLiteral elements: JSON...) { self = .array(elements) }

    /// An object; a member whose value is nil is left out.
    package init(dictionaryLiteral elements: (String, JSON?)...) {
        self = .object(JSONObject(elements.compactMap { name, value in value.map { JSONObject.Member(name, $0) } }))
    }
}
