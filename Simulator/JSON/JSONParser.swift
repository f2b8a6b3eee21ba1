// SPDX-License-Identifier: Apache-2.0

/// A parser for JSON text (RFC 8259). The parser's errors have no details, because the server reports only that an
/// error occurred.
struct JSONParser {
    struct Failure: Error {}

    private let bytes: [UInt8]
    private var position = 0

    /// Returns the single value in the bytes.
    static func parse(_ bytes: [UInt8]) throws -> JSON {
        var parser = JSONParser(bytes: bytes)
        let value = try parser.value(depth: 0)
        parser.skipBlanks()
        guard parser.position == bytes.count else { throw Failure() }
        return value
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private mutating func value(depth: Int) throws -> JSON {
        guard depth < 200 else { throw Failure() }
        skipBlanks()
        switch peek {
        case UInt8(ascii: "{"): return try object(depth)
        case UInt8(ascii: "["): return try array(depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func object(_ depth: Int) throws -> JSON {
        position += 1
        var members: [JSON.Member] = []
        skipBlanks()
        if accept("}") { return .object(members) }
        while true {
            skipBlanks()
            let name = try string()
            skipBlanks()
            guard accept(":") else { throw Failure() }
            members.append(JSON.Member(name: name, value: try value(depth: depth + 1)))
            skipBlanks()
            if accept("}") { return .object(members) }
            guard accept(",") else { throw Failure() }
        }
    }

    private mutating func array(_ depth: Int) throws -> JSON {
        position += 1
        var elements: [JSON] = []
        skipBlanks()
        if accept("]") { return .array(elements) }
        while true {
            elements.append(try value(depth: depth + 1))
            skipBlanks()
            if accept("]") { return .array(elements) }
            guard accept(",") else { throw Failure() }
        }
    }

    private mutating func number() throws -> JSON {
        let start = position
        while let byte = peek, "+-0123456789.eE".utf8.contains(byte) { position += 1 }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if let integer = Int(text) { return .integer(integer) }
        guard Double(text) != nil else { throw Failure() }
        return .number(text)
    }

    private mutating func string() throws -> String {
        guard accept("\"") else { throw Failure() }
        var content: [UInt8] = []
        while let byte = peek {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: content, as: UTF8.self)
            case UInt8(ascii: "\\"): content += try escape().utf8
            case 0..<32: throw Failure()
            default: content.append(byte)
            }
        }
        throw Failure()
    }

    private mutating func escape() throws -> String {
        guard let byte = peek else { throw Failure() }
        position += 1
        switch byte {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            var units = [try unit()]
            // A high surrogate and the following escape form one character.
            if UTF16.isLeadSurrogate(units[0]), accept("\\"), accept("u") { units.append(try unit()) }
            return String(decoding: units, as: UTF16.self)
        default: throw Failure()
        }
    }

    private mutating func unit() throws -> UInt16 {
        guard position + 4 <= bytes.count,
            let unit = UInt16(String(decoding: bytes[position..<(position + 4)], as: UTF8.self), radix: 16)
        else { throw Failure() }
        position += 4
        return unit
    }

    private mutating func word(_ text: String, _ value: JSON) throws -> JSON {
        for byte in text.utf8 {
            guard peek == byte else { throw Failure() }
            position += 1
        }
        return value
    }

    private mutating func skipBlanks() {
        while let byte = peek, [32, 9, 10, 13].contains(byte) { position += 1 }
    }

    private mutating func accept(_ character: Unicode.Scalar) -> Bool {
        guard let byte = peek, UInt32(byte) == character.value else { return false }
        position += 1
        return true
    }

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }
}
