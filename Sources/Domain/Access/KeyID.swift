// SPDX-License-Identifier: Apache-2.0

internal import Encodings
internal import Sodium

/// The public identifier of a named key: ten base-62 digits. The identifier is a part of the key's token, and the
/// gateway looks up the key by it.
package struct KeyID: Sendable, Hashable, CustomStringConvertible {
    /// The number of digits.
    package static var length: Int { 10 }

    /// The ASCII codes of the first eight and of the last two digits. Numbers are hashed and compared faster than
    /// text, because each request with a named key needs a look-up.
    private let first: UInt64
    private let last: UInt16

    /// Creates an identifier from its text. Returns nil if the text is not ten base-62 digits.
    package init?(_ text: some StringProtocol) { self.init(Array(text.utf8).span) }

    /// Creates an identifier from its text in ASCII. Returns nil if the text is not ten base-62 digits.
    init?(_ text: borrowing Span<UInt8>) {
        guard text.count == Self.length else { return nil }
        var first: UInt64 = 0
        var last: UInt16 = 0
        for index in 0..<Self.length {
            let digit = text[index]
            guard digit.isBase62Digit else { return nil }
            if index < 8 { first = first << 8 | UInt64(digit) } else { last = last << 8 | UInt16(digit) }
        }
        self.first = first
        self.last = last
    }

    /// Returns a new random identifier.
    package static func random() -> KeyID {
        // The digits are base-62 digits, so the loop ends with its first round.
        while true { if let id = KeyID(RandomDigits.text(length).span) { return id } }
    }

    /// The ten digits.
    package var description: String { String(decoding: digits, as: UTF8.self) }

    /// The ten digits in ASCII.
    var digits: [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: first >> (56 - 8 * UInt64($0))) } + [
            UInt8(last >> 8), UInt8(last & 0xFF),
        ]
    }
}

/// Random base-62 digits for identifiers and secrets.
package enum RandomDigits {
    /// Returns this number of digits. Each digit contains 5.95 random bits.
    package static func text(_ count: Int) -> [UInt8] {
        var digits: [UInt8] = []
        while digits.count < count {
            // Of the 256 values of a byte, the first 248 are distributed evenly over the 62 digits.
            for byte in RandomBytes.bytes(2 * count) where byte < 248 && digits.count < count {
                digits.append(Base62.alphabet[Int(byte) % Base62.alphabet.count])
            }
        }
        return digits
    }
}

extension UInt8 {
    /// Whether the byte is a digit or a letter in ASCII.
    var isBase62Digit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }
}
