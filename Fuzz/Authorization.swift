// SPDX-License-Identifier: Apache-2.0

// length: 128

import Access
import Sodium

private let key = Array("0123456789abcdef".utf8)
private let keys = AcceptedKeys(
    secrets: KeyTable(keys: [("main", key), ("other", Array("fedcba9876543210".utf8))]))
private let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

/// Checks that only an `Authorization` field with a valid key is accepted, and that a second parser finds the same key
/// in the field. Also checks that base64 decoding and encoding are the reverse of each other.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let value = Array(UnsafeBufferPointer(start: data, count: count))
    switch (keys.authenticate(value.span), secret(of: value)) {
    case (.missing, nil): break
    case (.invalid, .some(let secret)): precondition(!secret.elementsEqual(key))
    case (.mistyped, .some(let secret)): precondition(secret.starts(with: "vr_".utf8))
    case (.principal(let principal), .some(let secret)):
        precondition(principal.name == (secret.elementsEqual(key) ? "main" : "other"))
        precondition(secret.elementsEqual(key) || secret.elementsEqual("fedcba9876543210".utf8))
    default: preconditionFailure("the two readers differ")
    }
    if let decoded = decode(value) { precondition(encode(decoded) == value) }
    let encoded = encode(value)
    precondition(encoded.isEmpty || decode(encoded) == value)
    return 0
}

/// Returns the key in a field; nil if there is none.
private func secret(of value: [UInt8]) -> ArraySlice<UInt8>? {
    let words = value.split(maxSplits: 1) { $0 == 0x20 || $0 == 0x09 }
    guard words.count == 2 else { return nil }
    // The split leaves additional white space at both ends of the second word.
    let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
    var remaining = words[1].drop(while: isSpace)
    while let last = remaining.last, isSpace(last) { remaining.removeLast() }
    guard !remaining.isEmpty else { return nil }
    switch String(decoding: words[0], as: UTF8.self).lowercased() {
    case "bearer": return remaining
    case "basic":
        guard let decoded = decode(Array(remaining)), let colon = decoded.firstIndex(of: UInt8(ascii: ":")) else {
            return nil
        }
        return decoded[(colon + 1)...]
    default: return nil
    }
}

private func decode(_ text: [UInt8]) -> [UInt8]? {
    SecretBase64.withDecoded(text.span, atMost: 1024) { decoded in decoded.indices.map { decoded[$0] } }
}

private func encode(_ bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
        let group = bytes[start..<min(start + 3, bytes.count)]
        let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
        for digit in 0...3 {
            text.append(digit <= group.count ? alphabet[bits >> (18 - 6 * digit) & 63] : UInt8(ascii: "="))
        }
    }
    return text
}
