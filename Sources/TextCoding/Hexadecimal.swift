/// Bytes as hexadecimal digits, and back.
package enum Hexadecimal {
    /// Two lower-case digits a byte. Where the bytes are secret, `Sodium` has it.
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        for byte in bytes { text.append(hexadecimal: UInt64(byte), digits: 2) }
        return String(decoding: text, as: UTF8.self)
    }

    /// The byte that two digits stand for; nil unless both are there and are digits.
    @inlinable
    package static func byte(_ high: UInt8?, _ low: UInt8?) -> UInt8? {
        guard let high = high?.hexadecimalDigitValue, let low = low?.hexadecimalDigitValue else { return nil }
        return high << 4 | low
    }
}

extension UInt8 {
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
    /// Adds a number in lower-case hexadecimal digits, with zeros in front up to `digits`.
    @inlinable
    package mutating func append(hexadecimal number: UInt64, digits: Int = 1) {
        var shift = Swift.max((63 - Swift.max(number, 1).leadingZeroBitCount) / 4, digits - 1) * 4
        while shift >= 0 {
            let digit = UInt8(truncatingIfNeeded: number >> UInt64(shift)) & 15
            append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
            shift -= 4
        }
    }

    /// Adds a number from 0 on in decimal digits, with zeros in front up to `digits`.
    package mutating func append(decimal number: Int64, digits: Int) {
        let start = count
        var rest = number
        repeat {
            append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        } while rest > 0 || count - start < digits
        self[start...].reverse()
    }
}
