// SPDX-License-Identifier: Apache-2.0

/// An encoder for base64 (RFC 4648). Decoding may involve secrets and is part of module `Sodium`.
package enum Base64Encoding {
    /// The alphabet of §4. Its last two characters have a special meaning in URLs.
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
            for place in 0...group.count { text.append(digits[bits >> (18 - 6 * place) & 63]) }
            if !isForAddresses { text += repeatElement(UInt8(ascii: "="), count: 3 - group.count) }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
