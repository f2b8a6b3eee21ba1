// SPDX-License-Identifier: Apache-2.0

internal import CSodium

/// A short fingerprint of a secret, by which a component recognises the secret without keeping it: SipHash-2-4 with 128
/// bits (Aumasson and Bernstein, 2012) and a random key of this process.
///
/// Two secrets with the same tag are the same secret, except with a probability of 2^-128. A client, which does not know the
/// process's key, can neither compute a tag nor find two secrets with the same tag.
package struct SecretTag: Sendable, Equatable {
    private let first: UInt64
    private let second: UInt64

    private static let key = RandomBytes.bytes(Int(crypto_shorthash_siphashx24_KEYBYTES))

    /// Creates the tag of a secret. Allocates nothing.
    package init(_ secret: borrowing Span<UInt8>) {
        var tag: (UInt64, UInt64) = (0, 0)
        withUnsafeMutableBytes(of: &tag) { tag in
            secret.withUnsafeBytes { secret in
                // crypto_shorthash_siphashx24 takes C pointers, and writes 16 bytes. It does not fail.
                let result = tag.baseAddress.map {
                    crypto_shorthash_siphashx24(
                        $0.assumingMemoryBound(to: UInt8.self),
                        secret.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt64(secret.count), Self.key)
                }
                precondition(result == 0, "crypto_shorthash_siphashx24 refused its arguments")
            }
        }
        (first, second) = tag
    }
}
