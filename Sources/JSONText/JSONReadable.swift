/// What stands in a JSON text in a form that is known.
///
/// Such a form holds as a whole: where a member is missing or of another type, nothing of it is believed.
package protocol JSONReadable {
    /// The value that the JSON is; throws where it is none.
    init(json: JSON) throws(JSONMismatch)
}

/// JSON is not of the form that is expected.
package struct JSONMismatch: Error {}

extension JSONReadable {
    /// The value that a JSON text is; nil where it is none, or no JSON in UTF-8 (RFC 8259 §8.1).
    package init?(jsonText text: [UInt8]) {
        guard String(validating: text, as: UTF8.self) != nil, let json = JSONParser.parse(text),
            let value = try? Self(json: json)
        else { return nil }
        self = value
    }
}

extension JSON {
    /// A member that has to be there; throws where it is not, or where this is no object.
    package func required<Value: JSONReadable>(_ name: String) throws(JSONMismatch) -> Value {
        guard let value = try JSONObject(json: self)[name] else { throw JSONMismatch() }
        return try Value(json: value)
    }

    /// A member that may be missing or null; throws where it is anything else, or where this is no object.
    package func optional<Value: JSONReadable>(_ name: String) throws(JSONMismatch) -> Value? {
        guard let value = try JSONObject(json: self)[name], value != .null else { return nil }
        return try Value(json: value)
    }

    fileprivate static func wanted<Value>(_ value: Value?) throws(JSONMismatch) -> Value {
        guard let value else { throw JSONMismatch() }
        return value
    }
}

extension JSON: JSONReadable {
    /// Any value is one.
    package init(json: JSON) { self = json }
}

extension JSONObject: JSONReadable {
    /// The members of an object.
    package init(json: JSON) throws(JSONMismatch) { self = try JSON.wanted(json.object) }
}

extension Array: JSONReadable where Element: JSONReadable {
    /// The elements of an array, each of the same form.
    package init(json: JSON) throws(JSONMismatch) {
        self = try JSON.wanted(json.array).map { element throws(JSONMismatch) in try Element(json: element) }
    }
}

extension String: JSONReadable {
    /// A text; half a surrogate pair makes it none.
    package init(json: JSON) throws(JSONMismatch) {
        guard case .string(let text) = json else { throw JSONMismatch() }
        self = text
    }
}

extension Bool: JSONReadable {
    /// True or false.
    package init(json: JSON) throws(JSONMismatch) { self = try JSON.wanted(json.bool) }
}

extension FixedWidthInteger where Self: JSONReadable {
    /// A whole number that the type can hold, whatever way it is written: `58`, `58.0`, `5.8e1`.
    package init(json: JSON) throws(JSONMismatch) {
        let number = try JSON.wanted(json.number)
        self = try JSON.wanted(Self(number.text) ?? number.double.flatMap { Self(exactly: $0) })
    }
}

extension Int: JSONReadable {}
extension Int32: JSONReadable {}
extension UInt16: JSONReadable {}
