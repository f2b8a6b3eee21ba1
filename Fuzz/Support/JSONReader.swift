// SPDX-License-Identifier: Apache-2.0

/// A strict JSON parser (RFC 8259) for checking the gateway's output. It shares no code with the gateway.
struct JSONReader {
    private let bytes: [UInt8]
    private var index = 0
    private var depth = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Returns whether the bytes are one JSON text.
    static func isValid(_ bytes: [UInt8]) -> Bool {
        guard String(validating: bytes, as: UTF8.self) != nil else { return false }
        var reader = JSONReader(bytes)
        reader.skipSpace()
        guard reader.skipValue() else { return false }
        reader.skipSpace()
        return reader.index == bytes.count
    }

    /// Returns the content of a JSON string as UTF-8; nil if the bytes are not a JSON string.
    static func string(_ bytes: some Collection<UInt8>) -> [UInt8]? {
        var reader = JSONReader(Array(bytes))
        guard String(validating: reader.bytes, as: UTF8.self) != nil, let text = reader.string() else { return nil }
        return reader.index == reader.bytes.count ? text : nil
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

    private mutating func skipValue() -> Bool {
        switch next {
        case UInt8(ascii: "\""): return string() != nil
        case UInt8(ascii: "{"), UInt8(ascii: "["): return skipContainer()
        case UInt8(ascii: "t"): return skipWord("true")
        case UInt8(ascii: "f"): return skipWord("false")
        case UInt8(ascii: "n"): return skipWord("null")
        default: return skipNumber()
        }
    }

    private mutating func skipWord(_ word: StaticString) -> Bool {
        let end = index + word.utf8CodeUnitCount
        guard end <= bytes.count, bytes[index..<end].elementsEqual(word.description.utf8) else { return false }
        index = end
        return true
    }

    private mutating func skipContainer() -> Bool {
        let isObject = next == UInt8(ascii: "{")
        let end: Unicode.Scalar = isObject ? "}" : "]"
        index += 1
        depth += 1
        defer { depth -= 1 }
        guard depth < 200 else { return false }
        skipSpace()
        if take(end) { return true }
        while true {
            skipSpace()
            if isObject {
                guard string() != nil else { return false }
                skipSpace()
                guard take(":") else { return false }
                skipSpace()
            }
            guard skipValue() else { return false }
            skipSpace()
            if take(end) { return true }
            guard take(",") else { return false }
        }
    }

    private mutating func skipNumber() -> Bool {
        _ = take("-")
        let start = index
        guard skipDigits(), index == start + 1 || bytes[start] != UInt8(ascii: "0") else { return false }
        if take("."), !skipDigits() { return false }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            return skipDigits()
        }
        return true
    }

    private mutating func skipDigits() -> Bool {
        let start = index
        while let byte = next, Self.isDigit(byte) { index += 1 }
        return index > start
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private mutating func string() -> [UInt8]? {
        guard take("\"") else { return nil }
        var text: [UInt8] = []
        while let byte = next {
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return text
            case 0..<0x20: return nil
            case UInt8(ascii: "\\"): guard escape(&text) else { return nil }
            default: text.append(byte)
            }
        }
        return nil
    }

    private mutating func escape(_ text: inout [UInt8]) -> Bool {
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
            guard let first = unit() else { return false }
            guard (0xD800..<0xDC00).contains(first) else {
                guard let scalar = Unicode.Scalar(first) else { return false }
                text.append(contentsOf: String(scalar).utf8)
                return true
            }
            guard take("\\"), take("u"), let second = unit(), (0xDC00..<0xE000).contains(second),
                let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + second - 0xDC00)
            else { return false }
            text.append(contentsOf: String(scalar).utf8)
        default: return false
        }
        return true
    }

    private mutating func unit() -> UInt32? {
        guard index + 4 <= bytes.count else { return nil }
        defer { index += 4 }
        var value: UInt32 = 0
        for byte in bytes[index..<index + 4] {
            switch byte {
            case 0x30...0x39: value = value << 4 | UInt32(byte - 0x30)
            case 0x41...0x46, 0x61...0x66: value = value << 4 | UInt32((byte | 0x20) - 0x61 + 10)
            default: return nil
            }
        }
        return value
    }
}
