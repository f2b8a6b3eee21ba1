// SPDX-License-Identifier: Apache-2.0

/// Finds the members in the text of a JSON object without parsing their values; used for every delta of a streamed
/// answer. It assumes JSON as OpenCode writes it; it never reads beyond the text.
struct JSONScanner {
    let bytes: [UInt8]
    private(set) var index: Int

    /// Creates a scanner at the first member of `object`; nil if no object begins there.
    init?(_ bytes: [UInt8], in object: Range<Int>) {
        self.bytes = bytes
        index = object.lowerBound
        skipSpace()
        guard take(UInt8(ascii: "{")) else { return nil }
    }

    /// Returns the range of the next member's name, without its quotes. Nil at the end of the object, which is then
    /// skipped, and if the text is malformed. The value follows (``value()``, ``object()``).
    mutating func name() -> Range<Int>? {
        skipSpace()
        _ = take(UInt8(ascii: ","))
        skipSpace()
        guard !take(UInt8(ascii: "}")), let name = string() else { return nil }
        skipSpace()
        guard take(UInt8(ascii: ":")) else { return nil }
        skipSpace()
        return name
    }

    /// Returns the range of the value; nil if the text is malformed.
    mutating func value() -> Range<Int>? {
        let start = index
        return skipValue() ? start..<index : nil
    }

    /// Enters the value, up to its first member; false if it is not an object.
    mutating func object() -> Bool { take(UInt8(ascii: "{")) }

    /// Whether the bytes in that range are equal to `word`.
    func isAt(_ range: Range<Int>, _ word: StaticString) -> Bool {
        guard range.count == word.utf8CodeUnitCount else { return false }
        return word.withUTF8Buffer { word in
            for offset in 0..<word.count where bytes[range.lowerBound + offset] != word[offset] { return false }
            return true
        }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard index < bytes.count, bytes[index] == byte else { return false }
        index += 1
        return true
    }

    private mutating func skipSpace() {
        while index < bytes.count, bytes[index] == 0x20 || (0x09...0x0D).contains(bytes[index]) { index += 1 }
    }

    /// Skips a string and returns the range between its quotes.
    private mutating func string() -> Range<Int>? {
        guard take(UInt8(ascii: "\"")) else { return nil }
        let start = index
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                index += 1
                return start..<index - 1
            case UInt8(ascii: "\\"): index += 2
            default: index += 1
            }
        }
        return nil
    }

    private mutating func skipValue() -> Bool {
        guard index < bytes.count else { return false }
        switch bytes[index] {
        case UInt8(ascii: "\""): return string() != nil
        case UInt8(ascii: "{"), UInt8(ascii: "["): return skipNested()
        default:
            let start = index
            while index < bytes.count, !Self.endsValue(bytes[index]) { index += 1 }
            return index > start
        }
    }

    private mutating func skipNested() -> Bool {
        var depth = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""): guard string() != nil else { return false }
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                index += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                index += 1
                if depth == 0 { return true }
            default: index += 1
            }
        }
        return false
    }

    private static func endsValue(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") || byte <= 0x20
    }
}
