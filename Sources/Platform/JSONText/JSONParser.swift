// SPDX-License-Identifier: Apache-2.0

/// A parser for one JSON text (RFC 8259).
package struct JSONParser {
    private let bytes: [UInt8]
    private var index = 0
    private var depth = 0

    /// The maximum nesting depth of arrays and objects. Deeper texts are rejected.
    package static let deepest = 128

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Parses a JSON text; returns nil if it is not valid JSON. Replaces invalid UTF-8 with U+FFFD.
    package static func parse(_ bytes: [UInt8]) -> JSON? {
        var parser = JSONParser(bytes)
        parser.skipSpace()
        guard let value = parser.value() else { return nil }
        parser.skipSpace()
        return parser.index == bytes.count ? value : nil
    }

    /// Returns the text of a string with unpaired surrogates, each replaced by U+FFFD.
    ///
    /// - Parameter raw: The raw text between the quotes.
    package static func text(ofBroken raw: [UInt8]) -> String {
        var parser = JSONParser(raw + [UInt8(ascii: "\"")])
        return String(decoding: parser.decoded(from: 0)?.bytes ?? [], as: UTF8.self)
    }

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func consume(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
    }

    private mutating func value() -> JSON? {
        switch next {
        case UInt8(ascii: "\""):
            index += 1
            return string()
        case UInt8(ascii: "{"): return nested { $0.object() }
        case UInt8(ascii: "["): return nested { $0.array() }
        case UInt8(ascii: "t"): return word("true", .bool(true))
        case UInt8(ascii: "f"): return word("false", .bool(false))
        case UInt8(ascii: "n"): return word("null", .null)
        default: return number()
        }
    }

    private mutating func nested(_ read: (inout JSONParser) -> JSON?) -> JSON? {
        guard depth < Self.deepest else { return nil }
        index += 1
        depth += 1
        defer { depth -= 1 }
        skipSpace()
        return read(&self)
    }

    private mutating func word(_ word: StaticString, _ value: JSON) -> JSON? {
        let end = index + word.utf8CodeUnitCount
        guard end <= bytes.count, bytes[index..<end].elementsEqual(word.description.utf8) else { return nil }
        index = end
        return value
    }

    private mutating func object() -> JSON? {
        var members: [JSONObject.Member] = []
        if consume("}") { return .object(JSONObject()) }
        while true {
            skipSpace()
            guard consume("\""), let name = string()?.text else { return nil }
            skipSpace()
            guard consume(":") else { return nil }
            skipSpace()
            guard let value = value() else { return nil }
            members.append(JSONObject.Member(name, value))
            skipSpace()
            if consume("}") { return .object(JSONObject(members)) }
            guard consume(",") else { return nil }
        }
    }

    private mutating func array() -> JSON? {
        var elements: [JSON] = []
        if consume("]") { return .array([]) }
        while true {
            skipSpace()
            guard let value = value() else { return nil }
            elements.append(value)
            skipSpace()
            if consume("]") { return .array(elements) }
            guard consume(",") else { return nil }
        }
    }

    private mutating func number() -> JSON? {
        let start = index
        _ = consume("-")
        let digits = index
        guard skipDigits(), index == digits + 1 || bytes[digits] != UInt8(ascii: "0") else { return nil }
        if consume("."), !skipDigits() { return nil }
        if consume("e") || consume("E") {
            if !consume("+") { _ = consume("-") }
            guard skipDigits() else { return nil }
        }
        return .number(Number(text: String(decoding: bytes[start..<index], as: UTF8.self)))
    }

    private mutating func skipDigits() -> Bool {
        let start = index
        while let byte = next, (0x30...0x39).contains(byte) { index += 1 }
        return index > start
    }

    /// Reads a string after its opening quote.
    private mutating func string() -> JSON? {
        let start = index
        skipPlain()
        switch next {
        case UInt8(ascii: "\""):
            index += 1
            return .string(String(decoding: bytes[start..<index - 1], as: UTF8.self))
        case UInt8(ascii: "\\"):
            guard let decoder = decoded(from: start), let text = decoder.bytes else { return nil }
            return decoder.hasUnpairedSurrogate
                ? .brokenString(Array(bytes[start..<index - 1])) : .string(String(decoding: text, as: UTF8.self))
        default: return nil
        }
    }

    /// Decodes the string that begins at `start`, up to and including its closing quote; nil if it is invalid.
    private mutating func decoded(from start: Int) -> JSONStringDecoder? {
        var decoder = JSONStringDecoder()
        index = start
        while decoder.isValid {
            if decoder.isBetweenCharacters {
                let plain = index
                skipPlain()
                if index > plain { decoder.append(plain: bytes[plain..<index]) }
            }
            guard let byte = next else { return nil }
            index += 1
            if decoder.consume(byte) { return decoder }
        }
        return nil
    }

    /// Skips to the next quote, backslash or control character.
    private mutating func skipPlain() {
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), 0..<0x20: return
            default: index += 1
            }
        }
    }
}
