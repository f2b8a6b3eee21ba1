// SPDX-License-Identifier: Apache-2.0

/// Finds the ends of values in a complete JSON text (RFC 8259) without parsing or copying them.
///
/// The scanner does not validate the text, and never reads beyond its end. Each function takes the text as a parameter,
/// because a struct cannot store a span.
package struct JSONScanner {
    /// The position in the text.
    package private(set) var index: Int

    /// Creates a scanner at a position.
    package init(at index: Int = 0) { self.index = index }

    // MARK: Members of an object

    /// Enters the object that begins at the current position, and moves to its first member. Returns false if no object
    /// begins there.
    package mutating func enterObject(_ text: borrowing Span<UInt8>) -> Bool {
        skipSpace(text)
        return consume(UInt8(ascii: "{"), text)
    }

    /// Returns the range of the next member's name, without its quotes. At the end of the object, skips the closing
    /// brace and returns nil. Returns nil as well if the text is malformed. Read the value next, with ``value(_:)`` or
    /// ``enterObject(_:)``.
    package mutating func name(_ text: borrowing Span<UInt8>) -> Range<Int>? {
        skipSpace(text)
        _ = consume(UInt8(ascii: ","), text)
        skipSpace(text)
        guard !consume(UInt8(ascii: "}"), text), index < text.count, text[unchecked: index] == UInt8(ascii: "\"") else {
            return nil
        }
        let start = index + 1
        guard skipString(text) != nil else { return nil }
        let name = start..<index - 1
        skipSpace(text)
        guard consume(UInt8(ascii: ":"), text) else { return nil }
        skipSpace(text)
        return name
    }

    /// Skips the value at the current position and returns its range; nil if the text is truncated.
    package mutating func value(_ text: borrowing Span<UInt8>) -> Range<Int>? {
        let start = index
        return skipValue(text) == nil ? nil : start..<index
    }

    // MARK: Steps

    /// Skips the given byte. Returns false if the current byte differs from it.
    mutating func consume(_ byte: UInt8, _ text: borrowing Span<UInt8>) -> Bool {
        guard index < text.count, text[unchecked: index] == byte else { return false }
        index += 1
        return true
    }

    mutating func skipSpace(_ text: borrowing Span<UInt8>) {
        while index < text.count {
            switch text[unchecked: index] {
            case 0x20, 0x09, 0x0A, 0x0D: index += 1
            default: return
            }
        }
    }

    /// Skips the value at the current position. Returns whether the value is a string with escapes, or nil if the text
    /// is truncated.
    mutating func skipValue(_ text: borrowing Span<UInt8>) -> Bool? {
        guard index < text.count else { return nil }
        switch text[unchecked: index] {
        case UInt8(ascii: "\""): return skipString(text)
        case UInt8(ascii: "{"), UInt8(ascii: "["): return skipContainer(text) ? false : nil
        default:
            let start = index
            while index < text.count {
                switch text[unchecked: index] {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "E"):
                    index += 1
                default: return index > start ? false : nil
                }
            }
            return nil
        }
    }

    /// Skips the string at the current position. Returns whether the string has escapes, or nil if the text is
    /// truncated.
    mutating func skipString(_ text: borrowing Span<UInt8>) -> Bool? {
        var index = index + 1
        var isEscaped = false
        let bytes = text.bytes
        while index < text.count {
            // Most bytes are in long strings, so examine eight bytes at a time.
            while index + 8 <= text.count {
                let word = bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self)
                let ends = Self.zeros(word ^ Self.quotes) | Self.zeros(word ^ Self.backslashes)
                guard ends == 0 else {
                    index += UInt64(littleEndian: ends).trailingZeroBitCount / 8
                    break
                }
                index += 8
            }
            guard index < text.count else { break }
            switch text[unchecked: index] {
            case UInt8(ascii: "\""):
                self.index = index + 1
                return isEscaped
            case UInt8(ascii: "\\"):
                isEscaped = true
                index += 2
            default: index += 1
            }
        }
        self.index = text.count
        return nil
    }

    private static let quotes: UInt64 = 0x2222_2222_2222_2222
    private static let backslashes: UInt64 = 0x5C5C_5C5C_5C5C_5C5C

    /// Returns a word whose lowest set bit is the highest bit of the first zero byte of `word`; 0 if no byte is zero.
    private static func zeros(_ word: UInt64) -> UInt64 {
        (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
    }

    /// Skips an object or list of any depth.
    private mutating func skipContainer(_ text: borrowing Span<UInt8>) -> Bool {
        var depth = 0
        while index < text.count {
            switch text[unchecked: index] {
            case UInt8(ascii: "\""):
                guard skipString(text) != nil else { return false }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth == 0 {
                    index += 1
                    return true
                }
            default: break
            }
            index += 1
        }
        return false
    }
}
