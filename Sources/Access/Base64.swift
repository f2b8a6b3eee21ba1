/// Strict base64 (RFC 4648 §4): padding required, no other characters, no bits left over. One text, one meaning.
enum Base64 {
    /// Decodes `text` into `output` and returns how many bytes that are; nil when it is not base64 or does not fit.
    static func decode(_ text: borrowing Span<UInt8>, into output: inout MutableSpan<UInt8>) -> Int? {
        guard !text.isEmpty, text.count % 4 == 0 else { return nil }
        let padding =
            text[text.count - 1] != UInt8(ascii: "=") ? 0 : text[text.count - 2] != UInt8(ascii: "=") ? 1 : 2
        let count = text.count / 4 * 3 - padding
        guard count <= output.count else { return nil }
        var written = 0
        for start in stride(from: 0, to: text.count, by: 4) {
            let missing = start + 4 == text.count ? padding : 0
            var group: UInt32 = 0
            for index in start..<start + 4 - missing {
                guard let value = value(of: text[index]) else { return nil }
                group = group << 6 | value
            }
            group <<= UInt32(6 * missing)
            // What the padding stands for must be zero, or two texts would mean the same.
            if missing > 0, group & (missing == 1 ? 0xFF : 0xFFFF) != 0 { return nil }
            for byte in 0..<3 - missing {
                output[written] = UInt8(truncatingIfNeeded: group >> UInt32(16 - 8 * byte))
                written += 1
            }
        }
        return written
    }

    private static func value(of character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
