// SPDX-License-Identifier: Apache-2.0

internal import Sodium

/// The administrators' secrets from the settings as names and hashes; the secrets themselves are not stored. The table
/// is immutable, and all event loops share it.
package struct KeyTable: Sendable {
    private let principals: [Principal]
    private let secrets: SecretTable

    /// Creates a table of the given keys. The settings have already validated the keys.
    package init(keys: [(name: String, secret: [UInt8])]) {
        secrets = SecretTable(keys.map(\.secret))
        principals = zip(keys, secrets.fingerprints).map {
            Principal(name: $0.name, rights: .everything, credential: .secret(fingerprint: $1))
        }
    }

    /// Returns the principal of a secret; nil if the table does not contain the secret.
    ///
    /// The check allocates no memory. The secret is compared with every secret in constant time, so that the duration
    /// of the check reveals nothing about the secrets.
    func principal(with secret: borrowing Span<UInt8>) -> Principal? {
        secrets.index(of: secret).map { principals[$0] }
    }

    /// Returns whether the table contains a principal's secret. The principal may be from an earlier table in which the
    /// secret has another name.
    func containsSecret(of principal: Principal) -> Bool {
        principals.contains { $0.credential == principal.credential }
    }

    /// Returns whether the table contains the secret with this fingerprint.
    func containsSecret(withFingerprint fingerprint: UInt64) -> Bool {
        principals.contains { $0.credential == .secret(fingerprint: fingerprint) }
    }

    /// Returns whether the table contains a secret that a newer table does not contain.
    package func hasSecret(missingIn newer: KeyTable) -> Bool { !principals.allSatisfy(newer.containsSecret) }
}
