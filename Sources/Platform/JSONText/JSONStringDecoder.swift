// SPDX-License-Identifier: Apache-2.0

import Encodings

/// Decodes the text of one JSON string byte by byte (RFC 8259 §7). All JSON readers in this module decode escapes with
/// this decoder.
///
/// The decoder accepts every text, even an invalid one. ``isValid`` and ``hasUnpairedSurrogate`` report errors to the
/// readers that need them.
struct JSONStringDecoder {
    /// The maximum length, in bytes, of a string that contains a path, an id or a key. No such string is longer
    /// (PATH_MAX, limits.h).
    static let longest = 4096

    private enum State {
        case plain, escape
        /// The decoder is in a `\u` escape: the number of missing digits, and the value of the digits so far.
        case unicode(digits: Int, value: UInt32)
    }

    private let limit: Int
    private var state = State.plain
    private var decoded: [UInt8] = []
    private var isTooLong = false
    /// A high surrogate whose low surrogate has not been read yet.
    private var high: UInt32?

    /// Whether all escapes were valid and no control character occurred.
    private(set) var isValid = true
    /// Whether an unpaired surrogate was replaced by U+FFFD.
    private(set) var hasUnpairedSurrogate = false

    /// Creates a decoder for a string of at most `limit` bytes.
    init(limit: Int = .max) { self.limit = limit }

    /// Whether the next byte begins a character or an escape, or is the closing quote.
    var isBetweenCharacters: Bool { if case .plain = state { true } else { false } }

    /// The text as UTF-8; nil if it exceeds the limit.
    var bytes: [UInt8]? { isTooLong ? nil : decoded }

    /// Removes the text and keeps the memory for the next string.
    mutating func removeAll() {
        state = .plain
        decoded.removeAll(keepingCapacity: true)
        isTooLong = false
        high = nil
        isValid = true
        hasUnpairedSurrogate = false
    }

    /// Appends bytes that contain neither a quote nor a backslash nor a control character. The decoder must not be
    /// within an escape.
    mutating func append(plain bytes: ArraySlice<UInt8>) {
        endHigh()
        if bytes.count <= limit - decoded.count { decoded += bytes } else { isTooLong = true }
    }

    /// Consumes the next byte after the opening quote. Returns whether the byte was the closing quote.
    mutating func consume(_ byte: UInt8) -> Bool {
        switch state {
        case .plain:
            if byte == UInt8(ascii: "\"") {
                endHigh()
                return true
            }
            if byte == UInt8(ascii: "\\") {
                state = .escape
            } else {
                endHigh()
                if byte < 0x20 { isValid = false }
                add(byte)
            }
        case .escape: consumeEscape(byte)
        case .unicode(let digits, let value):
            let digit = byte.hexadecimalDigitValue
            if digit == nil { isValid = false }
            // An invalid digit counts as 0. Callers that require a valid text check `isValid`.
            let value = value << 4 | UInt32(digit ?? 0)
            state = digits == 1 ? .plain : .unicode(digits: digits - 1, value: value)
            if digits == 1 { addUnit(value) }
        }
        return false
    }

    private mutating func consumeEscape(_ byte: UInt8) {
        state = .plain
        if byte == UInt8(ascii: "u") {
            state = .unicode(digits: 4, value: 0)
            return
        }
        endHigh()
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): add(byte)
        case UInt8(ascii: "b"): add(0x08)
        case UInt8(ascii: "f"): add(0x0C)
        case UInt8(ascii: "n"): add(0x0A)
        case UInt8(ascii: "r"): add(0x0D)
        case UInt8(ascii: "t"): add(0x09)
        default:
            isValid = false
            add(byte)
        }
    }

    /// Adds a UTF-16 code unit.
    private mutating func addUnit(_ unit: UInt32) {
        if let first = high, (0xDC00..<0xE000).contains(unit) {
            high = nil
            return add(Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + unit - 0xDC00))
        }
        endHigh()
        if (0xD800..<0xDC00).contains(unit) { high = unit } else { add(Unicode.Scalar(unit)) }
    }

    /// Replaces a high surrogate that has no low surrogate.
    private mutating func endHigh() {
        guard high != nil else { return }
        high = nil
        add(nil)
    }

    /// Adds a character; nil represents an unpaired surrogate.
    private mutating func add(_ scalar: Unicode.Scalar?) {
        if scalar == nil { hasUnpairedSurrogate = true }
        guard let encoded = UTF8.encode(scalar ?? "\u{FFFD}") else { return }
        for byte in encoded { add(byte) }
    }

    private mutating func add(_ byte: UInt8) {
        if decoded.count < limit { decoded.append(byte) } else { isTooLong = true }
    }
}

/// Decodes strings within a JSON text.
package enum JSONString {
    /// The maximum length of a decoded string in bytes. No path or id is longer (PATH_MAX, limits.h).
    package static let longest = JSONStringDecoder.longest

    /// Decodes the string whose JSON text, without the quotes, is in `range`. Returns nil if the decoded string has
    /// more than ``longest`` bytes.
    package static func decoded(_ text: borrowing Span<UInt8>, _ range: Range<Int>) -> [UInt8]? {
        var decoder = JSONStringDecoder(limit: longest)
        for index in range { _ = decoder.consume(text[index]) }
        _ = decoder.consume(UInt8(ascii: "\""))
        return decoder.bytes
    }
}
