// SPDX-License-Identifier: Apache-2.0

internal import CSodium
internal import Encodings

/// A collision-resistant hash that identifies texts: BLAKE2b with 256 bits (RFC 7693).
package enum Hash {
    static let length = 32

    /// Returns the hash of `bytes` as 64 hexadecimal digits in lower case.
    package static func hex(_ bytes: [UInt8]) -> String {
        withHash(of: bytes.span) { Hexadecimal.text($0) }
    }

    /// Calls `body` with the hash of `bytes`, which is stored on the stack.
    static func withHash<Result>(
        of bytes: borrowing Span<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result {
        Library.require()
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: length) { hash in
            bytes.withUnsafeBufferPointer { bytes in
                // crypto_generichash takes C pointers. The function fails only for invalid lengths, and these lengths
                // are valid.
                let result = hash.baseAddress.map {
                    crypto_generichash($0, length, bytes.baseAddress, UInt64(bytes.count), nil, 0)
                }
                precondition(result == 0, "crypto_generichash refused its arguments")
            }
            return body(UnsafeBufferPointer(hash))
        }
    }
}

/// The SHA-256 hash of a text, for entity tags and for the sources of a Content-Security-Policy.
package enum ContentHash {
    /// Returns the hash in base64 with padding, as CSP requires (CSP Level 3 §2.3.1).
    package static func base64(_ bytes: [UInt8]) -> String {
        Library.require()
        var hash = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
        crypto_hash_sha256(&hash, bytes, UInt64(bytes.count))
        return Base64Encoding.encode(hash)
    }
}

/// A table of secrets that stores only their hashes. The table is immutable, and all threads share it.
package struct SecretTable: Sendable {
    private let count: Int
    /// The consecutive hashes of all secrets.
    private let hashes: [UInt8]

    /// Creates a table of the given secrets.
    package init(_ secrets: some Collection<[UInt8]>) {
        count = secrets.count
        hashes = secrets.flatMap { secret in Hash.withHash(of: secret.span) { Array($0) } }
    }

    /// The first eight bytes of each secret's hash. These fingerprints distinguish secrets and reveal nothing about
    /// them.
    package var fingerprints: [UInt64] {
        (0..<count).map { index in
            hashes[(index * Hash.length)...].prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        }
    }

    /// Returns the index of a secret; nil if it is not in the table. Compares every entry in constant time, so that the
    /// duration of a search reveals nothing about the secrets. Allocates nothing.
    package func index(of secret: borrowing Span<UInt8>) -> Int? {
        var found: Int?
        Hash.withHash(of: secret) { presented in
            hashes.withUnsafeBufferPointer { known in
                for index in 0..<count {
                    // sodium_memcmp takes C pointers; each range is within its buffer.
                    let start = known.baseAddress.map { $0 + index * Hash.length }
                    if sodium_memcmp(presented.baseAddress, start, Hash.length) == 0 { found = index }
                }
            }
        }
        return found
    }
}
