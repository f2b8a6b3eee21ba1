// SPDX-License-Identifier: Apache-2.0

/// A type that can be decoded from JSON of a known shape.
///
/// Decoding succeeds or fails as a whole: it fails if a member is missing or has another type.
package protocol JSONReadable {
    /// Decodes a value from JSON; throws if the JSON has another shape.
    init(json: JSON) throws(JSONMismatch)
}

/// The error for JSON that does not have the expected shape.
package struct JSONMismatch: Error {}

extension JSONReadable {
    /// Decodes a value from JSON text. Returns nil if the text is not JSON in UTF-8 (RFC 8259 §8.1) or has another
    /// shape.
    package init?(jsonText text: [UInt8]) {
        guard String(validating: text, as: UTF8.self) != nil, let json = JSONParser.parse(text),
            let value = try? Self(json: json)
        else { return nil }
        self = value
    }
}

extension JSON {
    /// Returns a required member. Throws if the member is missing or has another shape, or if this value is not an
    /// object.
    package func required<Value: JSONReadable>(_ name: String) throws(JSONMismatch) -> Value {
        guard let value = try JSONObject(json: self)[name] else { throw JSONMismatch() }
        return try Value(json: value)
    }

    /// Returns a member; nil if it is missing or null. Throws if the member has another shape, or if this value is not
    /// an object.
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
    /// Decodes any JSON value without an error.
    package init(json: JSON) { self = json }
}

extension JSONObject: JSONReadable {
    /// Decodes the members of an object.
    package init(json: JSON) throws(JSONMismatch) { self = try JSON.wanted(json.object) }
}

extension Array: JSONReadable where Element: JSONReadable {
    /// Decodes an array whose elements all have the same shape.
    package init(json: JSON) throws(JSONMismatch) {
        self = try JSON.wanted(json.array).map { element throws(JSONMismatch) in try Element(json: element) }
    }
}

extension String: JSONReadable {
    /// Decodes a string; throws if it contains an unpaired surrogate.
    package init(json: JSON) throws(JSONMismatch) {
        guard case .string(let text) = json else { throw JSONMismatch() }
        self = text
    }
}

extension Bool: JSONReadable {
    /// Decodes a Boolean; throws for any other value.
    package init(json: JSON) throws(JSONMismatch) { self = try JSON.wanted(json.bool) }
}

extension FixedWidthInteger where Self: JSONReadable {
    /// Decodes a whole number that the type can represent, in any notation: `58`, `58.0`, `5.8e1`.
    package init(json: JSON) throws(JSONMismatch) {
        let number = try JSON.wanted(json.number)
        self = try JSON.wanted(Self(number.text) ?? number.double.flatMap { Self(exactly: $0) })
    }
}

extension Int: JSONReadable {}
extension Int32: JSONReadable {}
extension UInt16: JSONReadable {}
