// SPDX-License-Identifier: Apache-2.0

package import Access

/// The keys of devices, which a device receives by pairing.
extension KeyRing {
    /// Creates the key of a device. If the device has paired before, its key receives the new values and a new secret
    /// instead, and its previous secret ends.
    ///
    /// - Parameters:
    ///   - draft: The values that the administrator has chosen. If another key has the name, the method appends a number.
    ///   - device: The keyed hash of the secret by which the device identifies itself; nil if it sent none.
    ///   - id: A new random id, which the key of a device that has paired before does not receive.
    ///   - hash: Returns the keyed hash of the token for the key with this id.
    ///   - caller: The administrator that has created the pairing code.
    ///   - now: The time in milliseconds since 1970.
    package mutating func pair(
        _ draft: KeyDraft, device: [UInt8]?, id: KeyID, hash: (KeyID) -> [UInt8], for caller: KeyCaller, at now: Int64
    ) throws(KeyRefusal) -> Key {
        let known = device.flatMap { device in keys.values.first { $0.device == device } }
        var ring = self
        // The new key replaces this one, so their names may be the same.
        if let known { ring.keys[known.id] = nil }
        var draft = draft
        draft.name = ring.freeName(draft.name)
        let created = try ring.create(
            draft, kind: .device, id: known?.id ?? id, hash: hash(known?.id ?? id), for: caller, at: now)
        let secrets = created.secrets.map {
            KeyIndex.Secret(hash: $0.hash, generation: known.map { $0.generation + 1 } ?? $0.generation)
        }
        let key = Key(
            id: created.id, name: created.name, kind: .device, rights: created.rights, expires: created.expires,
            limits: created.limits, identity: created.identity, note: created.note, created: created.created,
            creator: created.creator, device: device, secrets: secrets)
        keys[key.id] = key
        return key
    }

    /// Checks that a caller may create a pairing code with these values.
    package func checkPairing(
        _ draft: KeyDraft, for caller: KeyCaller, at now: Int64
    ) throws(KeyRefusal) {
        var ring = self
        var draft = draft
        draft.name = ring.freeName(draft.name)
        _ = try ring.create(draft, kind: .device, id: .random(), hash: [], for: caller, at: now)
    }

    /// Returns the name, with a number after it if another key has the name.
    private func freeName(_ name: String) -> String {
        let names = Set(keys.values.map(\.name))
        guard names.contains(name) else { return name }
        // One of these names is free, because there are fewer keys.
        return (2...(Self.maximumCount + 2)).lazy.map { "\(name.prefix(58)) \($0)" }.first { !names.contains($0) }
            ?? name
    }
}
