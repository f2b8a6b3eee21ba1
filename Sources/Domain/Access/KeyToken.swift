// SPDX-License-Identifier: Apache-2.0

internal import Encodings

/// The token of a named key, `vr_<id>_<secret><checksum>`. A client sends the token as its key.
///
/// The token consists of letters, digits and underscores, so that a double-click selects all of it and no shell, URL
/// or header field needs to quote it. The fixed prefix and the checksum allow secret scanners to recognise a token
/// without asking the gateway. The checksum also distinguishes a typing error from a revoked key.
package enum KeyToken {
    /// The text before the id.
    static let prefix = Array("vr_".utf8)
    /// The number of digits of the secret: 166 random bits.
    static var secretLength: Int { 28 }
    /// The number of digits of the checksum. Six base-62 digits represent each CRC-32.
    static var checksumLength: Int { 6 }
    /// The number of characters of a token. Each request compares its key's length with this constant.
    package static var length: Int { 3 + KeyID.length + 1 + secretLength + checksumLength }
    /// The regular expression that matches tokens, for secret scanners.
    package static let pattern = "vr_[0-9A-Za-z]{\(KeyID.length)}_[0-9A-Za-z]{\(secretLength + checksumLength)}"

    /// The range of the secret in a token.
    private static var secretRange: Range<Int> { (3 + KeyID.length + 1)..<(length - checksumLength) }

    /// Returns a new token for the key with this id. The token is a secret.
    package static func make(for id: KeyID) -> [UInt8] {
        let token = prefix + id.digits + [UInt8(ascii: "_")] + RandomDigits.text(secretLength)
        return token + checksum(of: token.span)
    }

    /// Returns the id in a text that has the form of a token; nil if the text has another form. The checksum is not
    /// verified, because the secret itself is compared afterwards.
    package static func id(in text: borrowing Span<UInt8>) -> KeyID? {
        guard text.count == length, text[prefix.count + KeyID.length] == UInt8(ascii: "_") else { return nil }
        for index in 0..<prefix.count where text[index] != prefix[index] { return nil }
        return KeyID(text.extracting(prefix.count..<(prefix.count + KeyID.length)))
    }

    /// Returns whether a text contains something that has the form of a token. Such a text may be a secret.
    package static func isContained(in text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count >= length else { return false }
        return (0...(bytes.count - length)).contains { start in
            id(in: bytes.span.extracting(start..<(start + length))) != nil
        }
    }

    /// Returns whether a text begins like a token, but cannot be one: its length, its characters or its checksum are
    /// wrong. No key of the gateway is such a text, unless an administrator has chosen it as a secret.
    package static func isMistyped(_ text: borrowing Span<UInt8>) -> Bool {
        guard text.count > prefix.count else { return false }
        for index in 0..<prefix.count where text[index] != prefix[index] { return false }
        guard id(in: text) != nil else { return true }
        let expected = checksum(of: text.extracting(0..<secretRange.upperBound))
        for index in 0..<checksumLength where text[secretRange.upperBound + index] != expected[index] { return true }
        return false
    }

    /// Returns the checksum of the characters before it: the CRC-32 (ISO 3309, as in zlib) in base 62, the most
    /// significant digit first.
    private static func checksum(of text: borrowing Span<UInt8>) -> [UInt8] {
        var remainder = ~UInt32(0)
        for index in 0..<text.count {
            remainder ^= UInt32(text[index])
            for _ in 0..<8 { remainder = remainder & 1 == 1 ? remainder >> 1 ^ 0xEDB8_8320 : remainder >> 1 }
        }
        var value = Int(~remainder)
        var digits: [UInt8] = []
        for _ in 0..<checksumLength {
            digits.append(Base62.alphabet[value % Base62.alphabet.count])
            value /= Base62.alphabet.count
        }
        return digits.reversed()
    }
}
