// SPDX-License-Identifier: Apache-2.0

package import Sodium

/// The named keys in the form that requests need. The index is immutable, and all event loops share it.
///
/// A request's token names the key's id. One look-up by the id and one comparison of hashes therefore suffice,
/// regardless of the number of keys.
package struct KeyIndex: Sendable {
    /// A secret that opens a key.
    package struct Secret: Sendable, Equatable {
        /// The keyed hash of the token.
        package let hash: [UInt8]
        /// The number of rotations of the key before this secret was made.
        package let generation: Int64
        /// The time until which the secret is valid, in milliseconds since 1970; nil for the current secret.
        package let until: Int64?

        /// Creates a secret from its values.
        package init(hash: [UInt8], generation: Int64, until: Int64? = nil) {
            self.hash = hash
            self.generation = generation
            self.until = until
        }
    }

    /// A key in the index.
    package struct Entry: Sendable, Equatable {
        /// The key's id.
        package let id: KeyID
        /// The key's name, for logs.
        package let name: String
        /// The requests that the key permits.
        package let rights: KeyRights
        /// The time at which the key expires, in milliseconds since 1970; nil if it does not expire.
        package let expires: Int64?
        /// The limits that differ from the default limits.
        package let limits: KeyLimits
        /// The value of the identity header that selects the key; nil if none does.
        package let identity: String?
        /// The secrets that open the key. After a rotation, the previous secret may remain valid for some time.
        package let secrets: [Secret]
        /// The key with which the user of a browser's session has signed in; nil for a key.
        package let parent: SessionParent?

        /// Creates an entry from its values.
        package init(
            id: KeyID, name: String, rights: KeyRights, expires: Int64?, limits: KeyLimits = KeyLimits(),
            identity: String? = nil, secrets: [Secret], parent: SessionParent? = nil
        ) {
            self.parent = parent
            self.identity = identity
            self.id = id
            self.limits = limits
            self.name = name
            self.rights = rights
            self.expires = expires
            self.secrets = secrets
        }

        /// Returns whether the secret of this generation opens the key at a time in milliseconds since 1970.
        package func isOpen(to generation: Int64, at now: Int64) -> Bool {
            guard expires.map({ now < $0 }) ?? true else { return false }
            return secrets.contains { $0.generation == generation && $0.until.map { now < $0 } ?? true }
        }
    }

    /// The result of a look-up.
    package enum Result: Sendable, Equatable {
        /// The token opens the key of this principal.
        case opens(Principal)
        /// The key has expired.
        case expired
        /// The keys have not been read, so the gateway cannot tell whether the key is valid.
        case unavailable
        /// The text has the form of a token, but no key has this secret. A rotation or a revocation may have ended it.
        case unknown
    }

    /// A key with the principals that its secrets admit. Creating a principal for each request would copy more.
    private struct Stored {
        let entry: Entry
        let principals: [Principal]
        /// The principal of requests that the key's identity has admitted; nil if the key has none.
        let identified: Principal?

        /// Creates a key.
        ///
        /// - Parameter meter: The meter of the key, or of the key with which the user of a session has signed in; nil if
        ///   that key has no limits.
        init(_ entry: Entry, _ meter: KeyMeter?) {
            self.entry = entry
            principals = entry.secrets.map { secret in
                let credential: Principal.Credential =
                    entry.parent.map { .session(entry.id, parent: $0) }
                    ?? .key(entry.id, generation: secret.generation)
                return Principal(
                    name: entry.name, rights: entry.rights, credential: credential, limits: entry.limits, meter: meter,
                    validUntil: [entry.expires, secret.until].compactMap(\.self).min())
            }
            identified = entry.identity.flatMap { identity in
                entry.secrets.first.map {
                    Principal(
                        name: entry.name, rights: entry.rights,
                        credential: .identity(entry.id, generation: $0.generation, identity), limits: entry.limits,
                        meter: meter)
                }
            }
        }
    }

    private let hash: KeyedHash?
    private let entries: [KeyID: Stored]
    /// Whether there is a key that is limited to projects.
    package let hasProjectKeys: Bool
    /// The keys by the value of the identity header that selects them.
    private let identities: [[UInt8]: KeyID]

    /// Whether the keys have been read.
    private var isAvailable = true

    /// An index without keys.
    package static let empty = KeyIndex(hash: nil, [])
    /// The index of keys that cannot be read.
    package static let unavailable = {
        var index = KeyIndex(hash: nil, [])
        index.isAvailable = false
        return index
    }()

    /// Creates an index of these keys, whose secrets were hashed with `hash`. An index without a hash function opens
    /// no key.
    ///
    /// - Parameter meters: The meters of the keys. A key without a meter receives one.
    package init(hash: KeyedHash?, _ entries: [Entry], meters: inout KeyMeters) {
        self.hash = hash
        var stored: [KeyID: Stored] = [:]
        for entry in entries where stored[entry.id] == nil {
            // The requests of a session count towards the limits of its key.
            let meter: KeyMeter? =
                switch entry.parent {
                case .secret: nil
                case .key(let id, _): meters.meter(of: id)
                case nil: meters.meter(of: entry.id)
                }
            stored[entry.id] = Stored(entry, meter)
        }
        self.entries = stored
        hasProjectKeys = stored.values.contains { $0.entry.rights.projects != nil }
        identities = Dictionary(
            stored.values.compactMap { stored in
                stored.entry.identity.map { (Array($0.utf8), stored.entry.id) }
            }, uniquingKeysWith: { first, _ in first })
    }

    /// Creates an index of these keys, whose limits have not been used.
    package init(hash: KeyedHash?, _ entries: [Entry]) {
        var meters = KeyMeters()
        self.init(hash: hash, entries, meters: &meters)
    }

    /// Looks up the key that a token opens. Returns nil if the text does not have the form of a token.
    ///
    /// - Parameter now: The time in milliseconds since 1970.
    package func look(up token: borrowing Span<UInt8>, at now: () -> Int64) -> Result? {
        guard let id = KeyToken.id(in: token) else { return nil }
        guard isAvailable else { return .unavailable }
        guard let stored = entries[id], stored.entry.parent == nil else { return .unknown }
        return look(up: token, in: stored, at: now)
    }

    /// Looks up the browser's session that a cookie opens. Only a cookie opens a session, and a cookie opens nothing else.
    ///
    /// - Parameter now: Returns the time in milliseconds since 1970.
    package func look(upSession token: borrowing Span<UInt8>, at now: () -> Int64) -> Result {
        guard let id = KeyToken.id(in: token) else { return .unknown }
        guard isAvailable else { return .unavailable }
        guard let stored = entries[id], stored.entry.parent != nil else { return .unknown }
        return look(up: token, in: stored, at: now)
    }

    private func look(up token: borrowing Span<UInt8>, in stored: Stored, at now: () -> Int64) -> Result {
        guard let hash else { return .unknown }
        for (index, secret) in stored.entry.secrets.enumerated() where hash.matches(secret.hash, token) {
            let principal = stored.principals[index]
            // Most keys do not expire, so most requests need no time.
            if secret.until == nil, stored.entry.expires == nil { return .opens(principal) }
            let now = now()
            if let expires = stored.entry.expires, now >= expires { return .expired }
            if let until = secret.until, now >= until { return .unknown }
            return .opens(principal)
        }
        return .unknown
    }

    /// Looks up the key that a value of the identity header selects.
    ///
    /// - Parameter now: Returns the time in milliseconds since 1970.
    package func look(upIdentity value: [UInt8], at now: () -> Int64) -> Result {
        guard isAvailable else { return .unavailable }
        guard let id = identities[value], let stored = entries[id], let principal = stored.identified else {
            return .unknown
        }
        if let expires = stored.entry.expires, now() >= expires { return .expired }
        return .opens(principal)
    }

    /// Returns the rights that the secret of this generation still has; nil if it no longer opens its key.
    ///
    /// - Parameter now: The time in milliseconds since 1970.
    package func rights(of id: KeyID, generation: Int64, at now: Int64) -> KeyRights? {
        entries[id].flatMap { $0.entry.isOpen(to: generation, at: now) ? $0.entry.rights : nil }
    }

    /// Returns the rights that a session still has; nil if it has ended.
    ///
    /// - Parameter now: The time in milliseconds since 1970.
    package func rights(ofSession id: KeyID, at now: Int64) -> KeyRights? {
        guard let entry = entries[id]?.entry, entry.parent != nil else { return nil }
        return entry.expires.map { now < $0 } ?? true ? entry.rights : nil
    }

    /// Returns the key with this id; nil if there is none.
    package func entry(of id: KeyID) -> Entry? { entries[id]?.entry }

    /// Returns whether an identity still selects this key.
    package func identity(_ identity: String, selects id: KeyID) -> Bool { entries[id]?.entry.identity == identity }
}
