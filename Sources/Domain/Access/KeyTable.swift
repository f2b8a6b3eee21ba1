// SPDX-License-Identifier: Apache-2.0

internal import Sodium

/// The gateway's API keys as names and hashes; the keys themselves are not stored. The table is immutable, and all
/// event loops share it.
package struct KeyTable: Sendable {
    /// The maximum size of decoded Basic credentials in bytes.
    private static let basicLimit = 1024

    private let principals: [Principal]
    private let secrets: SecretTable

    /// Creates a table of the given keys. The settings have already validated the keys.
    package init(keys: [(name: String, secret: [UInt8])]) {
        secrets = SecretTable(keys.map(\.secret))
        principals = zip(keys, secrets.fingerprints).map { Principal(name: $0.name, keyFingerprint: $1) }
    }

    /// Checks the value of a request's only `Authorization` field. The value is `Bearer KEY`, or `Basic` credentials
    /// with any user name and the key as the password.
    ///
    /// The check allocates no memory. The value is compared with every key in constant time, so that the duration of
    /// the check reveals nothing about the keys.
    package func authenticate(_ value: borrowing Span<UInt8>) -> Authentication {
        guard let credentials = Credentials(value) else { return .missing }
        let presented = value.extracting(credentials.range)
        switch credentials.scheme {
        case .bearer: return look(for: presented)
        case .basic: return lookAfterColon(of: presented)
        }
    }

    /// Checks the text after `vibe.` in a WebSocket's subprotocol. The text is the key itself, or the key in base64url
    /// without padding. The encoding allows keys with characters that a token cannot contain (RFC 9110 §5.6.2).
    package func authenticate(subprotocol value: borrowing Span<UInt8>) -> Authentication {
        guard !value.isEmpty else { return .missing }
        let asItIs = look(for: value)
        guard asItIs == .invalid else { return asItIs }
        return SecretBase64.withDecodedURL(value, atMost: Self.basicLimit) { look(for: $0) } ?? .invalid
    }

    /// Returns whether the table contains a principal's key. The principal may be from an earlier table in which the
    /// key has another name.
    package func containsKey(of principal: Principal) -> Bool {
        principals.contains { $0.keyFingerprint == principal.keyFingerprint }
    }

    /// Returns whether the table contains a key that a newer table does not contain.
    package func hasKey(missingIn newer: KeyTable) -> Bool { !principals.allSatisfy(newer.containsKey) }

    /// Checks the password in Basic credentials, which are `user:password` in base64 (RFC 7617 §2). The user name ends
    /// at the first colon.
    private func lookAfterColon(of text: borrowing Span<UInt8>) -> Authentication {
        let judgement = SecretBase64.withDecoded(text, atMost: Self.basicLimit) { decoded in
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
