// SPDX-License-Identifier: Apache-2.0

package import Access
internal import Encodings
internal import OpenCodeFamilies

/// All named keys, and the rules for managing them.
///
/// The ring is a value without I/O. A request that the rules refuse changes nothing. A request to grant more than the
/// caller has is refused and never reduced, because a caller that received less than it requested might not notice.
package struct KeyRing: Sendable {
    /// The maximum number of keys, which bounds the memory of the index and the length of the list.
    package static let maximumCount = 10_000

    /// The keys by id.
    package internal(set) var keys: [KeyID: Key]
    /// The limits of keys that have no limits of their own.
    package var defaults: KeyLimits

    /// Creates a ring of these keys.
    package init(_ keys: [Key] = [], defaults: KeyLimits = KeyLimits()) {
        self.keys = Dictionary(keys.map { ($0.id, $0) }) { first, _ in first }
        self.defaults = defaults
    }

    // MARK: Looking up

    /// Returns the keys that the caller can manage, ordered by name.
    ///
    /// - Parameter now: The time in milliseconds since 1970.
    package func list(for caller: KeyCaller, at now: Int64) throws(KeyRefusal) -> [Key] {
        let authority = try authority(of: caller, at: now)
        return keys.values.map { current($0, at: now) }.filter { authority.manages($0) }.sorted {
            ($0.name, $0.created) < ($1.name, $1.created)
        }
    }

    /// Returns the key with this id, if the caller can manage it.
    package func key(_ id: String, for caller: KeyCaller, at now: Int64) throws(KeyRefusal) -> Key {
        current(try managed(id, try authority(of: caller, at: now)), at: now)
    }

    /// Returns the earliest time after `now` at which a key or a previous secret expires; nil if none expires.
    package func nextExpiry(after now: Int64) -> Int64? {
        keys.values.flatMap { [$0.expires] + $0.secrets.map(\.until) }.compactMap(\.self).filter { $0 > now }.min()
    }

    // MARK: Managing

    /// Creates a key.
    ///
    /// - Parameters:
    ///   - id: A new random id.
    ///   - hash: The keyed hash of the new token.
    ///   - now: The time in milliseconds since 1970.
    package mutating func create(
        _ draft: KeyDraft, kind: Key.Kind = .key, id: KeyID, hash: [UInt8], for caller: KeyCaller, at now: Int64
    ) throws(KeyRefusal) -> Key {
        let authority = try authority(of: caller, at: now)
        guard keys.count < Self.maximumCount else { throw .tooMany(limit: Self.maximumCount) }
        let key = Key(
            id: id, name: try name(draft.name), kind: kind,
            rights: KeyRights(draft.scope, projects: try KeyValues.projects(draft.projects)),
            expires: try KeyValues.expiry(draft.lifetime, from: now), limits: try KeyValues.limits(draft.limits),
            identity: try KeyValues.identity(draft.identity), note: try KeyValues.note(draft.note), created: now,
            creator: caller.name, secrets: [KeyIndex.Secret(hash: hash, generation: 0)])
        try checkUnique(key)
        try authority.checkGrant(of: key)
        keys[id] = key
        return key
    }

    /// Changes values of a key. Returns the key before and after the change.
    package mutating func change(
        _ id: String, _ patch: KeyPatch, for caller: KeyCaller, at now: Int64
    ) throws(KeyRefusal) -> (before: Key, after: Key) {
        let authority = try authority(of: caller, at: now)
        let before = try managed(id, authority)
        guard before.parent == nil || patch.changesOnlyTexts else { throw .isSession(before.name) }
        var key = before
        if let name = patch.name { key.name = try self.name(name) }
        if let projects = patch.projects { key.rights.projects = try KeyValues.projects(projects) }
        if let scope = patch.scope { key.rights.scope = scope }
        if let lifetime = patch.lifetime { key.expires = try KeyValues.expiry(lifetime, from: now) }
        if let rate = patch.rate {
            key.limits.rate = rate
            key.limits.exempt.remove(.rate)
        }
        if let streams = patch.streams {
            key.limits.streams = try KeyValues.streams(streams)
            key.limits.exempt.remove(.streams)
        }
        key.limits.exempt.formUnion(patch.exempt)
        if let identity = patch.identity { key.identity = try KeyValues.identity(identity) }
        if let note = patch.note { key.note = try KeyValues.note(note) }
        try checkUnique(key)
        // A change that grants nothing is permitted even if the key has more than the caller. Otherwise, a caller could
        // not restrict such a key. An identity gives the key to another person, as a new secret does.
        if isWider(key, than: before) || key.identity != nil && key.identity != before.identity {
            try authority.checkGrant(of: key)
        }
        keys[key.id] = key
        return (before, key)
    }

    /// Replaces the secret of a key.
    ///
    /// - Parameters:
    ///   - keepOld: The time for which the previous secret remains valid; nil if it ends at once.
    ///   - hash: The keyed hash of the new token.
    package mutating func rotate(
        _ id: String, keepOld: Duration?, hash: [UInt8], for caller: KeyCaller, at now: Int64
    ) throws(KeyRefusal) -> Key {
        let authority = try authority(of: caller, at: now)
        var key = try managed(id, authority)
        guard key.parent == nil else { throw .isSession(key.name) }
        // The caller receives the new secret, and with it everything that the key permits.
        try authority.checkGrant(of: key)
        if let expires = key.expires, expires <= now { throw .expired(key.name) }
        // The previous secret ends with the key itself at the latest.
        let until = try KeyValues.end(ofOldSecretAfter: keepOld, from: now).map { min($0, key.expires ?? $0) }
        var secrets = [KeyIndex.Secret(hash: hash, generation: key.generation + 1)]
        if let until, let current = key.secrets.first {
            secrets.append(KeyIndex.Secret(hash: current.hash, generation: current.generation, until: until))
        }
        key.secrets = secrets
        keys[key.id] = key
        return key
    }

    /// Removes a key. Returns the removed key.
    package mutating func revoke(_ id: String, for caller: KeyCaller, at now: Int64) throws(KeyRefusal) -> Key {
        let key = try managed(id, try authority(of: caller, at: now))
        keys[key.id] = nil
        return key
    }

    /// Records the last use of a key. Returns false if there is no such key.
    package mutating func record(_ use: Key.Use, of id: KeyID) -> Bool {
        guard keys[id] != nil else { return false }
        keys[id]?.use = use
        return true
    }

    // MARK: Rules

    func authority(of caller: KeyCaller, at now: Int64) throws(KeyRefusal) -> KeyAuthority {
        // The session may have ended since the request was admitted.
        if let session = caller.session, (keys[session].flatMap { current($0, at: now).expires } ?? 0) <= now {
            throw .callerEnded
        }
        guard case .key(let id, let generation) = caller.credentials else { return KeyAuthority(defaults: defaults) }
        // The key may have been changed since the request was admitted.
        guard let key = keys[id], key.isOpen(to: generation, at: now) else { throw .callerEnded }
        guard key.rights.scope == .admin else { throw .notAdministrator }
        return KeyAuthority(of: key, generation: generation, defaults: defaults)
    }

    private func managed(_ id: String, _ authority: KeyAuthority) throws(KeyRefusal) -> Key {
        guard let key = KeyID(id).flatMap({ keys[$0] }), authority.manages(rights(of: key)) else {
            throw .unknownKey(id)
        }
        return key
    }

    /// Returns a valid name that is not the id of a key. The command line accepts a name or an id.
    private func name(_ text: String) throws(KeyRefusal) -> String {
        let name = try KeyValues.name(text)
        if let id = KeyID(name), keys[id] != nil { throw .invalid(.name, "choose a name that is not the id of a key") }
        return name
    }

    func checkUnique(_ key: Key) throws(KeyRefusal) {
        for other in keys.values where other.id != key.id {
            if other.name == key.name { throw .nameTaken(key.name) }
            if let identity = key.identity, other.identity == identity { throw .identityTaken(by: other.name) }
        }
    }

    private func isWider(_ key: Key, than before: Key) -> Bool {
        !before.rights.includes(key.rights) || KeyAuthority.isLater(key.expires, than: before.expires)
            || KeyAuthority.exceed(key.limits.completed(by: defaults), before.limits.completed(by: defaults)) != nil
    }
}

extension Key {
    /// Returns whether the secret of this generation opens the key at a time in milliseconds since 1970.
    func isOpen(to generation: Int64, at now: Int64) -> Bool { entry.isOpen(to: generation, at: now) }
}

/// The rights of a caller that manages keys. A caller can hand out all of its own rights and no more.
struct KeyAuthority {
    private let rights: KeyRights
    private let expires: Int64?
    private let limits: KeyLimits
    private let defaults: KeyLimits

    /// Creates the authority of an administrator's secret, which is not limited.
    init(defaults: KeyLimits) {
        rights = .everything
        expires = nil
        limits = KeyLimits()
        self.defaults = defaults
    }

    /// Creates the authority of a named key. A caller with a previous secret loses its rights when this secret ends, so
    /// it can hand them out only until then.
    init(of key: Key, generation: Int64, defaults: KeyLimits) {
        rights = key.rights
        let until = key.secrets.first { $0.generation == generation }?.until
        expires = [key.expires, until].compactMap(\.self).min()
        limits = key.limits.completed(by: defaults)
        self.defaults = defaults
    }

    /// Returns whether the caller can list, change and revoke a key. A caller that is bound to projects can manage only
    /// keys that are bound to these projects.
    func manages(_ key: Key) -> Bool { manages(key.rights) }

    /// Returns whether the caller can list, change and revoke a key with these rights.
    func manages(_ rights: KeyRights) -> Bool { self.rights.includes(projects: rights.projects) }

    /// Throws if a key has more than the caller.
    func checkGrant(of key: Key) throws(KeyRefusal) {
        guard rights.scope >= key.rights.scope else { throw .exceeds(.allow, "has \"\(rights.scope)\"") }
        guard rights.includes(projects: key.rights.projects) else {
            let names = (rights.projects ?? []).sorted().joined(separator: ", ")
            throw .exceeds(.projects, "can open only \(names)")
        }
        if let expires, Self.isLater(key.expires, than: expires) {
            throw .exceeds(.expires, "expires at \(Timestamp.utc(milliseconds: expires))")
        }
        switch Self.exceed(key.limits.completed(by: defaults), limits) {
        case .rate: throw .exceeds(.rate, "is limited to \(limits.rate?.description ?? "")")
        case .streams: throw .exceeds(.streams, "is limited to \(limits.streams ?? 0) streams")
        case nil: break
        }
    }

    enum Limit { case rate, streams }

    /// Returns a limit that permits more than the other limit; nil if there is none. A limit that is nil permits
    /// everything.
    static func exceed(_ limits: KeyLimits, _ others: KeyLimits) -> Limit? {
        if let other = others.rate, limits.rate.map({ $0.exceeds(other) }) ?? true { return .rate }
        if let other = others.streams, limits.streams.map({ $0 > other }) ?? true { return .streams }
        return nil
    }

    /// Returns whether a time of expiry is later than another time. A time that is nil is never reached.
    static func isLater(_ time: Int64?, than other: Int64?) -> Bool {
        guard let other else { return false }
        return time.map { $0 > other } ?? true
    }
}
