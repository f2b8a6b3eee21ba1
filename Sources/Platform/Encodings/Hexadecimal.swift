// SPDX-License-Identifier: Apache-2.0

/// Converts between bytes and hexadecimal digits.
package enum Hexadecimal {
    /// Returns two lower-case digits for each byte. For random secrets, use `RandomBytes.hex` in module
    /// `Sodium`.
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        for byte in bytes { text.append(hexadecimal: UInt64(byte), digits: 2) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the byte that two digits represent; nil if either of them is missing or is not a hexadecimal digit.
    @inlinable
    package static func byte(_ high: UInt8?, _ low: UInt8?) -> UInt8? {
        guard let high = high?.hexadecimalDigitValue, let low = low?.hexadecimalDigitValue else { return nil }
        return high << 4 | low
    }
}

extension UInt8 {
    /// Creates the ASCII hexadecimal digit of a value from 0 to 15.
    @inlinable
    package init(hexadecimalDigit value: UInt8, isUpperCase: Bool = false) {
        self = value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: isUpperCase ? "A" : "a") + value - 10
    }

    /// The value of an ASCII hexadecimal digit in either case; nil for any other byte.
    @inlinable package var hexadecimalDigitValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

extension [UInt8] {
    /// Appends a number in lower-case hexadecimal digits, padded with zeros to `digits`.
    @inlinable
    package mutating func append(hexadecimal number: UInt64, digits: Int = 1) {
        var shift = Swift.max((63 - Swift.max(number, 1).leadingZeroBitCount) / 4, digits - 1) * 4
        while shift >= 0 {
            append(UInt8(hexadecimalDigit: UInt8(truncatingIfNeeded: number >> UInt64(shift)) & 15))
            shift -= 4
        }
    }
}
