/// Whether bytes are UTF-8 (RFC 3629 §4), however they are cut: what is wrong is found with its first byte.
struct UTF8Check: Sendable, Equatable {
    /// Bytes that the current character still needs.
    private var missing: UInt8 = 0
    /// The range of the next of them.
    private var lowest: UInt8 = 0x80
    private var highest: UInt8 = 0xBF

    /// Whether no character is incomplete.
    var isComplete: Bool { missing == 0 }

    /// Reads more; false as soon as something is no UTF-8.
    mutating func read(_ bytes: Span<UInt8>) -> Bool {
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if missing == 0 {
                if byte < 0x80 { continue }
                guard begin(byte) else { return false }
            } else {
                guard byte >= lowest, byte <= highest else { return false }
                missing -= 1
                (lowest, highest) = (0x80, 0xBF)
            }
        }
        return true
    }

    /// A character of several bytes: the second one's range keeps out long forms, surrogates and what lies beyond U+10FFFF.
    private mutating func begin(_ byte: UInt8) -> Bool {
        switch byte {
        case 0xC2...0xDF: missing = 1
        case 0xE0: (missing, lowest) = (2, 0xA0)
        case 0xED: (missing, highest) = (2, 0x9F)
        case 0xE1...0xEF: missing = 2
        case 0xF0: (missing, lowest) = (3, 0x90)
        case 0xF1...0xF3: missing = 3
        case 0xF4: (missing, highest) = (3, 0x8F)
        default: return false
        }
        return true
    }
}
