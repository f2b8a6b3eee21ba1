// SPDX-License-Identifier: Apache-2.0

internal import Encodings
internal import Sodium
internal import Synchronization

/// All keys with which a request can be admitted: the administrators' secrets and the named keys. The object is
/// immutable.
package final class AcceptedKeys: Sendable {
    /// The maximum size of decoded Basic credentials in bytes.
    private static let basicLimit = 1024

    private let secrets: KeyTable
    private let named: KeyIndex
    /// Returns the time in milliseconds since 1970.
    private let now: @Sendable () -> Int64
    /// A number that no other object of this process has.
    private let number: UInt64

    private static let lastNumber = Atomic<UInt64>(0)

    /// Creates a value from the administrators' secrets and the named keys.
    ///
    /// - Parameter now: Returns the time in milliseconds since 1970.
    package init(
        secrets: KeyTable, named: KeyIndex = .empty,
        now: @escaping @Sendable () -> Int64 = { WallClock.milliseconds }
    ) {
        self.secrets = secrets
        self.named = named
        self.now = now
        number = Self.lastNumber.add(1, ordering: .relaxed).newValue
    }

    /// Checks the value of a request's only `Authorization` field. The value is `Bearer KEY`, or `Basic` credentials
    /// with any user name and the key as the password.
    ///
    /// The check of a valid key allocates no memory.
    package func authenticate(_ value: borrowing Span<UInt8>) -> Authentication {
        guard let credentials = Credentials(value) else { return .missing }
        let presented = value.extracting(credentials.range)
        switch credentials.scheme {
        case .bearer: return look(for: presented)
        case .basic: return lookAfterColon(of: presented)
        }
    }

    /// Checks the value of a request's only `Authorization` field, like ``authenticate(_:)``. If the previous request of the
    /// connection had the same value and was admitted by these keys, the check is much faster.
    ///
    /// - Parameter known: The result for the previous request of the connection; nil if there is none.
    package func authenticate(_ value: borrowing Span<UInt8>, known: inout KnownCredentials?) -> Authentication {
        let tag = SecretTag(value)
        if let known, known.keys == number, known.tag == tag, known.principal.validUntil.map({ now() < $0 }) ?? true {
            return .principal(known.principal)
        }
        let result = authenticate(value)
        if case .principal(let principal) = result {
            known = KnownCredentials(keys: number, tag: tag, principal: principal)
        }
        return result
    }

    /// Checks the text after `vibe.` in a WebSocket's subprotocol. The text is the key itself, or the key in base64url
    /// without padding. The encoding allows keys with characters that a token cannot contain (RFC 9110 §5.6.2).
    package func authenticate(subprotocol value: borrowing Span<UInt8>) -> Authentication {
        guard !value.isEmpty else { return .missing }
        let asItIs = look(for: value)
        if case .principal = asItIs { return asItIs }
        let decoded = SecretBase64.withDecodedURL(value, atMost: Self.basicLimit) { look(for: $0) } ?? .invalid
        return decoded == .invalid ? asItIs : decoded
    }

    /// Checks the key itself, as a user enters it in a form.
    package func authenticate(key: borrowing Span<UInt8>) -> Authentication { key.isEmpty ? .missing : look(for: key) }

    /// Looks up the key that a value of the identity header selects.
    package func look(upIdentity value: [UInt8]) -> KeyIndex.Result { named.look(upIdentity: value, at: now) }

    /// Returns the rights that a principal's key has now; nil if the key no longer opens anything.
    package func rights(of principal: Principal) -> KeyRights? {
        switch principal.credential {
        case .none: nil
        case .secret: secrets.containsSecret(of: principal) ? .everything : nil
        case .key(let id, let generation): named.rights(of: id, generation: generation, at: now())
        case .identity(let id, let generation, let identity):
            named.identity(identity, selects: id) ? named.rights(of: id, generation: generation, at: now()) : nil
        case .session(let id, let parent):
            isPresent(parent) ? named.rights(ofSession: id, at: now()) : nil
        }
    }

    /// Looks up the session that a cookie opens.
    package func look(upSession token: borrowing Span<UInt8>) -> KeyIndex.Result {
        let found = named.look(upSession: token, at: now)
        guard case .opens(let principal) = found, let parent = principal.sessionParent else { return found }
        return isPresent(parent) ? found : .unknown
    }

    /// Returns whether the settings contain the secret of a session's parent. The index checks named keys itself.
    private func isPresent(_ parent: SessionParent) -> Bool {
        if case .secret(let fingerprint) = parent { secrets.containsSecret(withFingerprint: fingerprint) } else { true }
    }

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
        // Most keys are not tokens, so avoid the call for them.
        let found = secret.count == KeyToken.length ? named.look(up: secret, at: now) : nil
        if case .opens(let principal)? = found { return .principal(principal) }
        // An administrator may have chosen a secret that looks like a token.
        if let principal = secrets.principal(with: secret) { return .principal(principal) }
        if case .expired? = found { return .expired }
        if case .unavailable? = found, !KeyToken.isMistyped(secret) { return .unavailable }
        return KeyToken.isMistyped(secret) ? .mistyped : .invalid
    }
}

/// The credentials with which the previous request of a connection was admitted. The value does not contain the key.
package struct KnownCredentials: Sendable {
    /// The number of the keys that have admitted the request.
    fileprivate let keys: UInt64
    fileprivate let tag: SecretTag
    fileprivate let principal: Principal
}
