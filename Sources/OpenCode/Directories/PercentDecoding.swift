/// Percent-decoding (RFC 3986 §2.1) as far as all decoders agree about its outcome.
enum PercentDecoding {
    /// The decoded bytes; the same bytes where nothing is encoded. Nil where decoders differ: some escapes are whole and
    /// some are not (one decoder gives up on all, another decodes the whole ones), or the outcome is no UTF-8.
    static func decode(_ bytes: [UInt8], plusIsSpace: Bool) -> [UInt8]? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var whole = 0
        var broken = 0
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "%") {
                if index + 1 < bytes.count, let high = bytes[index].hexadecimalDigitValue,
                    let low = bytes[index + 1].hexadecimalDigitValue
                {
                    decoded.append(high << 4 | low)
                    index += 2
                    whole += 1
                } else {
                    decoded.append(byte)
                    broken += 1
                }
            } else {
                decoded.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        guard whole == 0 || broken == 0 else { return nil }
        guard String(validating: decoded, as: UTF8.self) != nil else { return nil }
        return decoded
    }
}
