internal import CSodium

/// SHA-256 of a text, for what HTTP asks for: entity tags, and sources of a Content-Security-Policy.
package enum ContentHash {
    /// The hash in base64 with padding, as CSP wants it (CSP Level 3 §2.3.1).
    package static func base64(_ bytes: [UInt8]) -> String {
        Sodium.require()
        var hash = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
        crypto_hash_sha256(&hash, bytes, UInt64(bytes.count))
        let length = sodium_base64_encoded_len(hash.count, Int32(sodium_base64_VARIANT_ORIGINAL))
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: length) { text in
            // sodium_bin2base64 writes a NUL-terminated string of the length that it has asked for.
            guard let start = text.baseAddress,
                sodium_bin2base64(start, length, hash, hash.count, Int32(sodium_base64_VARIANT_ORIGINAL)) != nil
            else { return "" }
            return String(cString: start)
        }
    }
}
