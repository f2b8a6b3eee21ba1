// SPDX-License-Identifier: Apache-2.0

/// The text of one JSON string, decoded byte by byte (RFC 8259 §7).
struct JSONStringText {
    /// The maximum length; no path and no key is longer (PATH_MAX, limits.h).
    private static let longest = 4096

    private enum Place {
        case plain, escape
        /// The decoder is in a `\u` escape, with the number of missing digits and the value of those read so far.
        case unicode(digits: Int, value: UInt32)
    }

    private var place = Place.plain
    private var decoded: [UInt8] = []
    private var isTooLong = false
    /// The first half of a surrogate pair.
    private var lead: UInt32?

    /// The text as UTF-8; nil where it is too long to be a path.
    var bytes: [UInt8]? { isTooLong ? nil : decoded }

    /// Removes the text and keeps the memory.
    mutating func removeAll() {
        place = .plain
        decoded.removeAll(keepingCapacity: true)
        isTooLong = false
        lead = nil
    }

    /// Consumes the next byte after the opening quote; returns whether it was the closing one.
    mutating func take(_ byte: UInt8) -> Bool {
        switch place {
        case .plain:
            if byte == UInt8(ascii: "\"") {
                endLead()
                return true
            }
            if byte == UInt8(ascii: "\\") {
                place = .escape
            } else {
                endLead()
                add(byte)
            }
        case .escape: takeEscape(byte)
        case .unicode(let digits, let value):
            // An invalid digit results in some other text, which is not the path of any directory.
            let value = value << 4 | Self.value(of: byte)
            place = digits == 1 ? .plain : .unicode(digits: digits - 1, value: value)
            if digits == 1 { addUnit(value) }
        }
        return false
    }

    private mutating func takeEscape(_ byte: UInt8) {
        place = .plain
        if byte == UInt8(ascii: "u") {
            place = .unicode(digits: 4, value: 0)
            return
        }
        endLead()
        switch byte {
        case UInt8(ascii: "b"): add(0x08)
        case UInt8(ascii: "f"): add(0x0C)
        case UInt8(ascii: "n"): add(0x0A)
        case UInt8(ascii: "r"): add(0x0D)
        case UInt8(ascii: "t"): add(0x09)
        default: add(byte)
        }
    }

    /// Adds a UTF-16 code unit.
    private mutating func addUnit(_ unit: UInt32) {
        if let first = lead, (0xDC00..<0xE000).contains(unit) {
            lead = nil
            return add(Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + unit - 0xDC00))
        }
        endLead()
        if (0xD800..<0xDC00).contains(unit) { lead = unit } else { add(Unicode.Scalar(unit)) }
    }

    /// Replaces half a surrogate pair without its other half.
    private mutating func endLead() {
        guard lead != nil else { return }
        lead = nil
        add(Self.replacement)
    }

    private mutating func add(_ scalar: Unicode.Scalar?) {
        guard let encoded = UTF8.encode(scalar ?? Self.replacement) else { return }
        for byte in encoded { add(byte) }
    }

    private mutating func add(_ byte: UInt8) {
        if decoded.count < Self.longest { decoded.append(byte) } else { isTooLong = true }
    }

    private static let replacement: Unicode.Scalar = "\u{FFFD}"

    private static func value(of digit: UInt8) -> UInt32 {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(digit - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(digit - UInt8(ascii: "A") + 10)
        default: 0
        }
    }
}
