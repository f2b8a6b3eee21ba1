// SPDX-License-Identifier: Apache-2.0

package import Access
internal import Encodings

/// The sessions of browsers, which begin with a sign-in. A session always has the rights of the key that has signed in,
/// and ends with this key.
extension KeyRing {
    /// The time after which a session ends.
    package static let sessionLifetime = Duration.seconds(30 * 86_400)
    /// The maximum number of sessions of a key. The next sign-in ends the oldest session.
    package static let mostSessions = 100

    /// Begins a session.
    ///
    /// - Parameters:
    ///   - parent: The key with which the user signs in.
    ///   - name: The name of this key.
    ///   - id: A new random id.
    ///   - hash: The keyed hash of the session's token.
    ///   - now: The time in milliseconds since 1970.
    /// - Returns: The session, and the oldest session of the same key if the key had too many.
    package mutating func beginSession(
        of parent: SessionParent, name: String, id: KeyID, hash: [UInt8], at now: Int64
    ) throws(KeyRefusal) -> (session: Key, ended: Key?) {
        let others = keys.values.filter { $0.parent == parent }
        let ended = others.count < Self.mostSessions ? nil : others.min { $0.created < $1.created }
        guard ended != nil || keys.count < Self.maximumCount else { throw .tooMany(limit: Self.maximumCount) }
        if case .key(let id, let generation) = parent, keys[id]?.isOpen(to: generation, at: now) != true {
            throw .callerEnded
        }
        // The digits of the id distinguish the sessions of a key.
        let session = Key(
            id: id, name: "\(name.prefix(44)) (session \(id.description.prefix(6)))", kind: .session,
            rights: .everything, expires: now + Self.sessionLifetime.milliseconds, created: now, creator: name,
            parent: parent, secrets: [KeyIndex.Secret(hash: hash, generation: 0)])
        try checkUnique(session)
        if let ended { keys[ended.id] = nil }
        keys[id] = session
        return (session, ended)
    }

    /// Ends a session. Returns the session; nil if it has ended already.
    package mutating func endSession(_ id: KeyID) -> Key? {
        guard let session = keys[id], session.parent != nil else { return nil }
        keys[id] = nil
        return session
    }

    /// Removes the sessions that open nothing any more, because they have expired or because their key has ended. Returns
    /// their ids.
    package mutating func removeEndedSessions(at now: Int64) -> [KeyID] {
        let ended = keys.values.filter { $0.parent != nil && (current($0, at: now).expires ?? .max) <= now }.map(\.id)
        for id in ended { keys[id] = nil }
        return ended
    }

    /// Returns the keys in the form that requests need.
    ///
    /// - Parameter now: The time in milliseconds since 1970.
    package func entries(at now: Int64) -> [KeyIndex.Entry] { keys.values.map { current($0, at: now).entry } }

    /// Returns a session with the rights, the limits and the end that its key gives it; returns any other key unchanged. If
    /// the key of a session has ended, the session has expired.
    func current(_ key: Key, at now: Int64) -> Key {
        guard case .key(let id, let generation) = key.parent else { return key }
        var session = key
        guard let parent = keys[id], parent.isOpen(to: generation, at: now) else {
            session.expires = min(session.expires ?? now, now)
            return session
        }
        let until = parent.secrets.first { $0.generation == generation }?.until
        session.rights = parent.rights
        session.limits = parent.limits
        session.expires = [session.expires, parent.expires, until].compactMap(\.self).min()
        return session
    }

    /// Returns the rights of a key; for a session, those of the key that has signed in.
    func rights(of key: Key) -> KeyRights {
        guard case .key(let id, _) = key.parent else { return key.rights }
        return keys[id]?.rights ?? key.rights
    }
}
