/// Percent-encoding (RFC 3986 §2.1).
package enum PercentEncoding {
    /// What bytes stand for once they are decoded.
    package struct Decoded: Sendable, Equatable {
        /// Every whole escape decoded, once; broken ones stay as they are.
        package var bytes: [UInt8] = []
        /// Escapes of `%` and two digits.
        package var whole = 0
        /// Other `%`.
        package var broken = 0
    }

    /// Decodes each escape once; `plusIsSpace`: by a form's rules (URL Standard, "application/x-www-form-urlencoded
    /// parsing"), where `+` stands for a space.
    package static func decode(_ text: some Collection<UInt8>, plusIsSpace: Bool = false) -> Decoded {
        var decoded = Decoded()
        decoded.bytes.reserveCapacity(text.count)
        var rest = text[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                decoded.bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
                continue
            }
            if let escaped = Hexadecimal.byte(rest.first, rest.dropFirst().first) {
                decoded.bytes.append(escaped)
                decoded.whole += 1
                rest = rest.dropFirst(2)
            } else {
                decoded.bytes.append(byte)
                decoded.broken += 1
            }
        }
        return decoded
    }

    /// Encodes every byte but those that are `kept`; the digits are upper case, as RFC 3986 §2.1 wants them.
    package static func encode(
        _ bytes: some Sequence<UInt8>, keeping isKept: (UInt8) -> Bool = isUnreserved
    ) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        return bytes.reduce(into: []) { encoded, byte in
            if isKept(byte) {
                encoded.append(byte)
            } else {
                encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
    }

    /// A letter, a digit, `-`, `.`, `_` or `~` (RFC 3986 §2.3).
    package static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
