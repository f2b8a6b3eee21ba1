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

    /// The text with every whole escape decoded, once; broken ones stay.
    static func decodeLeniently(_ bytes: [UInt8]) -> [UInt8] {
        var decoded: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
                let high = bytes[index + 1].hexadecimalDigitValue, let low = bytes[index + 2].hexadecimalDigitValue
            {
                decoded.append(high << 4 | low)
                index += 3
            } else {
                decoded.append(bytes[index])
                index += 1
            }
        }
        return decoded
    }

    /// The text as a value of a query, everything encoded but letters, digits, `-`, `.`, `_` and `~` (RFC 3986 §2.3).
    static func encode(_ bytes: [UInt8]) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        return bytes.reduce(into: []) { encoded, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                encoded.append(byte)
            default: encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
    }
}
