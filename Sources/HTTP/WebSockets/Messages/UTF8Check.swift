// SPDX-License-Identifier: Apache-2.0

/// An incremental UTF-8 validator (RFC 3629 §4). The validator detects an error at the first invalid byte, regardless
/// of where the input is split.
struct UTF8Check: Sendable, Equatable {
    /// The number of bytes that the current character still needs.
    private var missing: UInt8 = 0
    /// The allowed range of the next byte.
    private var lowest: UInt8 = 0x80
    private var highest: UInt8 = 0xBF

    /// Whether all received characters are complete.
    var isComplete: Bool { missing == 0 }

    /// Validates further bytes. Returns false at the first byte that is not UTF-8.
    mutating func validate(_ bytes: Span<UInt8>) -> Bool {
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if missing == 0 {
                if byte < 0x80 { continue }
                guard startSequence(byte) else { return false }
            } else {
                guard byte >= lowest, byte <= highest else { return false }
                missing -= 1
                lowest = 0x80
                highest = 0xBF
            }
        }
        return true
    }

    /// Starts a character of several bytes. The range of the second byte excludes overlong forms, surrogates and code
    /// points beyond U+10FFFF.
    private mutating func startSequence(_ byte: UInt8) -> Bool {
        switch byte {
        case 0xC2...0xDF: missing = 1
        case 0xE0:
            missing = 2
            lowest = 0xA0
        case 0xED:
            missing = 2
            highest = 0x9F
        case 0xE1...0xEF: missing = 2
        case 0xF0:
            missing = 3
            lowest = 0x90
        case 0xF1...0xF3: missing = 3
        case 0xF4:
            missing = 3
            highest = 0x8F
        default: return false
        }
        return true
    }
}
