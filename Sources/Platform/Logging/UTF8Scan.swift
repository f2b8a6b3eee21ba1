// SPDX-License-Identifier: Apache-2.0

/// A character of a byte sequence that should be UTF-8 (RFC 3629), with the properties that log encoders need.
struct UTF8Scan {
    /// The character's code point; nil for a byte that is not part of a valid character.
    let scalar: UInt32?
    /// The length in bytes: 1 to 4 for a valid character, 1 for an invalid byte.
    let length: Int

    /// Reads the character that begins at `index`, which must be within `bytes`.
    init(_ bytes: Span<UInt8>, at index: Int) {
        let first = bytes[index]
        guard first >= 0x80 else {
            self.init(scalar: UInt32(first), length: 1)
            return
        }
        // The length, the first payload bits, and the smallest code point that may have this length. A smaller code
        // point shows an overlong form.
        let (length, payload, smallest): (Int, UInt8, UInt32)
        switch first {
        case 0xC2...0xDF:
            length = 2
            payload = first & 0x1F
            smallest = 0x80
        case 0xE0...0xEF:
            length = 3
            payload = first & 0x0F
            smallest = 0x800
        case 0xF0...0xF4:
            length = 4
            payload = first & 0x07
            smallest = 0x1_0000
        default:
            self.init(scalar: nil, length: 1)
            return
        }
        guard index + length <= bytes.count else {
            self.init(scalar: nil, length: 1)
            return
        }
        var scalar = UInt32(payload)
        for next in index + 1..<index + length {
            guard bytes[next] & 0xC0 == 0x80 else {
                self.init(scalar: nil, length: 1)
                return
            }
            scalar = scalar << 6 | UInt32(bytes[next] & 0x3F)
        }
        let isSurrogate = (0xD800...0xDFFF).contains(scalar)
        guard scalar >= smallest, scalar <= 0x10_FFFF, !isSurrogate else {
            self.init(scalar: nil, length: 1)
            return
        }
        self.init(scalar: scalar, length: length)
    }

    private init(scalar: UInt32?, length: Int) {
        self.scalar = scalar
        self.length = length
    }

    /// Returns whether a code point can change how a terminal displays the line: controls (C0, DEL, C1), line and
    /// paragraph separators, and bidirectional controls (Unicode TR36 §3.1).
    static func isDangerous(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }
}
