// SPDX-License-Identifier: Apache-2.0

/// Returns a JSON string whose characters are escaped if the corresponding bits are set.
func string(_ text: [UInt8], escapes: UInt8) -> [UInt8] {
    var bits = escapes
    var result = Array("\"".utf8)
    for byte in text {
        bits = bits << 1 | bits >> 7
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): result += [UInt8(ascii: "\\"), byte]
        case 0x80...: result.append(byte)
        case _ where byte < 0x20 || byte == 0x7F || bits & 1 == 1:
            let digits = String(byte, radix: 16)
            result += Array(("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).utf8)
        default: result.append(byte)
        }
    }
    return result + Array("\"".utf8)
}
