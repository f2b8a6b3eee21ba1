// SPDX-License-Identifier: Apache-2.0

/// The base64 encoding (RFC 4648). The strict decoder for secrets is `SecretBase64` in module `Sodium`.
package enum Base64Encoding {
    /// The alphabet of RFC 4648 §4. Its last two characters have a special meaning in URLs.
    package static let alphabet = letters + Array("+/".utf8)
    private static let addressAlphabet = letters + Array("-_".utf8)
    private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)

    /// Returns the bytes as base64 with padding (§4), or without padding in the URL-safe alphabet (§5).
    package static func encode(_ bytes: [UInt8], isForAddresses: Bool = false) -> String {
        let digits = isForAddresses ? addressAlphabet : alphabet
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for index in 0...group.count { text.append(digits[bits >> (18 - 6 * index) & 63]) }
            if !isForAddresses { text += repeatElement(UInt8(ascii: "="), count: 3 - group.count) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes text in either alphabet (§4, §5), with or without padding, as OpenCode does. Returns nil if the text
    /// contains a byte that is not in these alphabets.
    package static func decode(_ text: [UInt8]) -> [UInt8]? {
        var decoded: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for byte in text.reversed().drop(while: { $0 == UInt8(ascii: "=") }).reversed() {
            guard let value = value(of: byte) else { return nil }
            bits = bits << 6 | value
            count += 6
            if count >= 8 {
                count -= 8
                decoded.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return decoded
    }

    private static func value(of byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a") + 26)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0") + 52)
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
