// SPDX-License-Identifier: Apache-2.0

/// Percent-encoding and -decoding of bytes (RFC 3986 §2.1).
package enum PercentEncoding {
    /// The result of decoding percent-encoded text.
    package struct Decoded: Sendable, Equatable {
        /// The text with each complete escape decoded once. Incomplete escapes are unchanged.
        package var bytes: [UInt8] = []
        /// The number of complete escapes, which consist of `%` and two hexadecimal digits.
        package var whole = 0
        /// The number of `%` characters that do not begin a complete escape.
        package var broken = 0
    }

    /// Decodes each escape of a text once, and counts the escapes.
    ///
    /// - Parameter plusIsSpace: Whether `+` represents a space, as in a form (URL Standard,
    ///   "application/x-www-form-urlencoded parsing").
    package static func decode(_ text: some Collection<UInt8>, plusIsSpace: Bool = false) -> Decoded {
        // Copy the text, so that only this step is generic and the loop runs over an array.
        decode(Array(text), plusIsSpace)
    }

    private static func decode(_ text: [UInt8], _ plusIsSpace: Bool) -> Decoded {
        var decoded = Decoded()
        guard text.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
            decoded.bytes = text
            return decoded
        }
        decoded.bytes.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            let byte = text[index]
            index += 1
            guard byte == UInt8(ascii: "%") else {
                decoded.bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
                continue
            }
            if index + 1 < text.count, let escaped = Hexadecimal.byte(text[index], text[index + 1]) {
                decoded.bytes.append(escaped)
                decoded.whole += 1
                index += 2
            } else {
                decoded.bytes.append(byte)
                decoded.broken += 1
            }
        }
        return decoded
    }

    /// Percent-encodes every byte for which `isKept` returns false. Uses upper-case digits, as RFC 3986 §2.1
    /// recommends.
    package static func encode(
        _ bytes: some Sequence<UInt8>, keeping isKept: (UInt8) -> Bool = isUnreserved
    ) -> [UInt8] {
        let bytes = Array(bytes)
        guard let first = bytes.firstIndex(where: { !isKept($0) }) else { return bytes }
        var encoded = Array(bytes[..<first])
        encoded.reserveCapacity(bytes.count + 16)
        for byte in bytes[first...] {
            if isKept(byte) {
                encoded.append(byte)
            } else {
                encoded.append(UInt8(ascii: "%"))
                encoded.append(UInt8(hexadecimalDigit: byte >> 4, isUpperCase: true))
                encoded.append(UInt8(hexadecimalDigit: byte & 15, isUpperCase: true))
            }
        }
        return encoded
    }

    /// Returns whether the byte is a letter, a digit, `-`, `.`, `_` or `~` (RFC 3986 §2.3).
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
