internal import CSodium

/// The keys that open the gateway: names and hashes, never the keys themselves. Immutable, shared by every loop.
package struct KeyTable: Sendable {
    private static let hashLength = 32
    /// The longest Basic credentials that are looked at, bytes once decoded.
    private static let basicLimit = 1024

    private let principals: [Principal]
    /// The hashes one after the other, BLAKE2b with 256 bits.
    private let hashes: [UInt8]

    /// A table of these keys; what may be a key is for the settings to say.
    package init(keys: [(name: String, secret: [UInt8])]) {
        Sodium.require()
        principals = keys.map { Principal(name: $0.name) }
        hashes = keys.flatMap { key in
            Self.withHash(of: key.secret.span) { Array($0) }
        }
    }

    /// Judges the value of a request's `Authorization` field: `Bearer KEY`, or `Basic` with the key as password of
    /// any user.
    ///
    /// A request with several such fields is ambiguous: pass nil for it. Allocates nothing; how long it takes tells
    /// nothing about the keys: every one is compared, each in constant time.
    package func authenticate(_ value: ArraySlice<UInt8>?) -> Authentication {
        guard let value else { return .missing }
        return authenticate(value.span)
    }

    /// Judges the value of the one such field, which is lent; see ``authenticate(_:)-(ArraySlice<UInt8>?)``.
    package func authenticate(_ value: borrowing Span<UInt8>) -> Authentication {
        guard let credentials = Credentials(value) else { return .missing }
        let presented = value.extracting(credentials.range)
        switch credentials.scheme {
        case .bearer: return look(for: presented)
        case .basic: return lookBehindColon(of: presented)
        }
    }

    /// Basic credentials are base64 of `user:password` (RFC 7617 §2); the user's name ends at the first colon.
    private func lookBehindColon(of text: borrowing Span<UInt8>) -> Authentication {
        // A stack buffer, wiped afterwards: it holds a key in the clear.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.basicLimit) { buffer in
            buffer.initialize(repeating: 0)
            defer { sodium_memzero(buffer.baseAddress, buffer.count) }
            var output = buffer.mutableSpan
            guard let count = Base64.decode(text, into: &output) else { return .missing }
            let decoded = output.span.extracting(first: count)
            for index in decoded.indices where decoded[index] == UInt8(ascii: ":") {
                return look(for: decoded.extracting(droppingFirst: index + 1))
            }
            return .missing
        }
    }

    private func look(for secret: borrowing Span<UInt8>) -> Authentication {
        var found = -1
        Self.withHash(of: secret) { presented in
            hashes.withUnsafeBufferPointer { known in
                for index in principals.indices {
                    // sodium_memcmp takes C memory: each range lies within its buffer.
                    let start = known.baseAddress.map { $0 + index * Self.hashLength }
                    if sodium_memcmp(presented.baseAddress, start, Self.hashLength) == 0 { found = index }
                }
            }
        }
        return found < 0 ? .invalid : .principal(principals[found])
    }

    /// Lends the hash of `secret`, from the stack.
    private static func withHash<Result>(
        of secret: borrowing Span<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: hashLength) { hash in
            secret.withUnsafeBufferPointer { bytes in
                // crypto_generichash takes C memory; it fails only for lengths that these are not.
                let result = hash.baseAddress.map {
                    crypto_generichash($0, hashLength, bytes.baseAddress, UInt64(bytes.count), nil, 0)
                }
                precondition(result == 0, "crypto_generichash refused its arguments")
            }
            return body(UnsafeBufferPointer(hash))
        }
    }
}
