internal import Sodium

/// The keys that open the gateway: names and hashes, never the keys themselves. Immutable, shared by every loop.
package struct KeyTable: Sendable {
    /// The longest Basic credentials that are looked at, bytes once decoded.
    private static let basicLimit = 1024

    private let principals: [Principal]
    private let secrets: SecretTable

    /// A table of these keys; what may be a key is for the settings to say.
    package init(keys: [(name: String, secret: [UInt8])]) {
        principals = keys.map { Principal(name: $0.name) }
        secrets = SecretTable(keys.map(\.secret))
    }

    /// Judges the value of a request's one `Authorization` field: `Bearer KEY`, or `Basic` with the key as password of
    /// any user. The value is lent.
    ///
    /// Allocates nothing; how long it takes tells nothing about the keys: every one is compared, each in constant time.
    package func authenticate(_ value: borrowing Span<UInt8>) -> Authentication {
        guard let credentials = Credentials(value) else { return .missing }
        let presented = value.extracting(credentials.range)
        switch credentials.scheme {
        case .bearer: return look(for: presented)
        case .basic: return lookBehindColon(of: presented)
        }
    }

    /// Judges what stands behind `vibe.` in a WebSocket's subprotocol: the key as it is, or in base64url without padding,
    /// because a token can't hold every character (RFC 9110 §5.6.2).
    package func authenticate(subprotocol value: borrowing Span<UInt8>) -> Authentication {
        guard !value.isEmpty else { return .missing }
        let asItIs = look(for: value)
        guard asItIs == .invalid else { return asItIs }
        return Base64.withDecodedURL(value, atMost: Self.basicLimit) { look(for: $0) } ?? .invalid
    }

    /// Those whose key opens nothing any more in a newer table.
    package func revoked(by newer: KeyTable) -> Set<Principal> {
        Set(secrets.places(missingIn: newer.secrets).map { principals[$0] })
    }

    /// Basic credentials are base64 of `user:password` (RFC 7617 §2); the user's name ends at the first colon.
    private func lookBehindColon(of text: borrowing Span<UInt8>) -> Authentication {
        let judgement = Base64.withDecoded(text, atMost: Self.basicLimit) { decoded in
            for index in decoded.indices where decoded[index] == UInt8(ascii: ":") {
                return look(for: decoded.extracting(droppingFirst: index + 1))
            }
            return Authentication.missing
        }
        return judgement ?? .missing
    }

    private func look(for secret: borrowing Span<UInt8>) -> Authentication {
        secrets.index(of: secret).map { .principal(principals[$0]) } ?? .invalid
    }
}
