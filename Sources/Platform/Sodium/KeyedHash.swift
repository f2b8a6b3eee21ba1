// SPDX-License-Identifier: Apache-2.0

internal import CSodium

/// A keyed hash of secrets: BLAKE2b with 256 bits and a key of 256 bits (RFC 7693 §2.9). Without the key, a hash
/// neither confirms a guessed secret nor can be compared with the hash of another installation.
package struct KeyedHash: Sendable {
    /// The length of the key in bytes.
    package static let keyLength = 32
    /// The length of a hash in bytes.
    package static let length = 32

    private let key: [UInt8]

    /// Creates a hash function with this key. Returns nil if the key's length is not ``keyLength``.
    package init?(key: [UInt8]) {
        guard key.count == Self.keyLength else { return nil }
        self.key = key
    }

    /// Returns the hash of a secret.
    package func hash(of secret: borrowing Span<UInt8>) -> [UInt8] {
        withHash(of: secret) { hash in Array(hash) }
    }

    /// Returns whether a hash is the hash of this secret. The comparison takes the same time for all hashes of the
    /// right length. Allocates nothing.
    package func matches(_ hash: [UInt8], _ secret: borrowing Span<UInt8>) -> Bool {
        guard hash.count == Self.length else { return false }
        return withHash(of: secret) { presented in
            // sodium_memcmp takes C pointers to this number of bytes.
            hash.withUnsafeBufferPointer { sodium_memcmp(presented.baseAddress, $0.baseAddress, Self.length) == 0 }
        }
    }

    private func withHash<Result>(
        of secret: borrowing Span<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result {
        Library.require()
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.length) { hash in
            secret.withUnsafeBufferPointer { secret in
                // crypto_generichash takes C pointers. The function fails only for invalid lengths, and these lengths
                // are valid.
                let result = hash.baseAddress.map {
                    crypto_generichash($0, Self.length, secret.baseAddress, UInt64(secret.count), key, key.count)
                }
                precondition(result == 0, "crypto_generichash refused its arguments")
            }
            return body(UnsafeBufferPointer(hash))
        }
    }
}
