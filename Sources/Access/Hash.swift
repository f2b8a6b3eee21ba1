internal import CSodium

/// A hash that tells texts apart: BLAKE2b with 256 bits (RFC 7693), no two texts have the same.
package enum Hash {
    private static let length = 32

    /// The hash of `bytes` as 64 hexadecimal digits, lower case.
    package static func hex(_ bytes: [UInt8]) -> String {
        Sodium.require()
        var hash = [UInt8](repeating: 0, count: length)
        // It fails only for lengths that this is not.
        let result = crypto_generichash(&hash, length, bytes, UInt64(bytes.count), nil, 0)
        precondition(result == 0, "crypto_generichash refused its arguments")
        return Hexadecimal.text(hash)
    }
}
