// SPDX-License-Identifier: Apache-2.0

import Encodings

/// A parser for one JSON text (RFC 8259).
package struct JSONParser {
    private let bytes: [UInt8]
    private var index = 0
    private var depth = 0

    /// The maximum nesting depth of arrays and objects. Deeper texts are rejected.
    package static let deepest = 128

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Parses a JSON text; returns nil if it is not valid JSON. Replaces invalid UTF-8 by U+FFFD.
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
        var isBroken = false
        return String(decoding: parser.unescaped(&isBroken) ?? [], as: UTF8.self)
    }

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
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
        if take("}") { return .object(JSONObject()) }
        while true {
            skipSpace()
            guard take("\""), let name = string()?.text else { return nil }
            skipSpace()
            guard take(":") else { return nil }
            skipSpace()
            guard let value = value() else { return nil }
            members.append(JSONObject.Member(name, value))
            skipSpace()
            if take("}") { return .object(JSONObject(members)) }
            guard take(",") else { return nil }
        }
    }

    private mutating func array() -> JSON? {
        var elements: [JSON] = []
        if take("]") { return .array([]) }
        while true {
            skipSpace()
            guard let value = value() else { return nil }
            elements.append(value)
            skipSpace()
            if take("]") { return .array(elements) }
            guard take(",") else { return nil }
        }
    }

    private mutating func number() -> JSON? {
        let start = index
        _ = take("-")
        let digits = index
        guard skipDigits(), index == digits + 1 || bytes[digits] != UInt8(ascii: "0") else { return nil }
        if take("."), !skipDigits() { return nil }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
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
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                index += 1
                return .string(String(decoding: bytes[start..<index - 1], as: UTF8.self))
            case UInt8(ascii: "\\"):
                index = start
                var isBroken = false
                guard let text = unescaped(&isBroken) else { return nil }
                return isBroken
                    ? .brokenString(Array(bytes[start..<index - 1])) : .string(String(decoding: text, as: UTF8.self))
            case 0..<0x20: return nil
            default: index += 1
            }
        }
        return nil
    }

    /// Returns the unescaped content of a string up to and including its closing quote. Sets `isBroken` if the string
    /// contains an unpaired surrogate.
    private mutating func unescaped(_ isBroken: inout Bool) -> [UInt8]? {
        var text: [UInt8] = []
        while let byte = next {
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return text
            case 0..<0x20: return nil
            case UInt8(ascii: "\\"): guard escape(&text, &isBroken) else { return nil }
            default: text.append(byte)
            }
        }
        return nil
    }

    private mutating func escape(_ text: inout [UInt8], _ isBroken: inout Bool) -> Bool {
        guard let byte = next else { return false }
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            guard let unit = unit() else { return false }
            let scalar = Unicode.Scalar(unit) ?? lowHalf(of: unit)
            if scalar == nil { isBroken = true }
            text.append(contentsOf: String(scalar ?? "\u{FFFD}").utf8)
        default: return false
        }
        return true
    }

    /// Reads the low surrogate after a high surrogate and returns their character; nil if there is none.
    private mutating func lowHalf(of high: UInt32) -> Unicode.Scalar? {
        let start = index
        guard (0xD800..<0xDC00).contains(high), take("\\"), take("u"), let low = unit(), (0xDC00..<0xE000).contains(low)
        else {
            index = start
            return nil
        }
        return Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
    }

    private mutating func unit() -> UInt32? {
        guard index + 4 <= bytes.count else { return nil }
        var value: UInt32 = 0
        for byte in bytes[index..<index + 4] {
            guard let digit = byte.hexadecimalDigitValue else { return nil }
            value = value << 4 | UInt32(digit)
        }
        index += 4
        return value
    }
}
