// SPDX-License-Identifier: Apache-2.0

package import Access
import Audit
package import HTTPServer
package import Keys
import Sodium

/// The sessions of browsers and the keys of paired devices.
extension KeyService {
    /// Begins the session of a browser whose user has signed in with this principal's key. Returns the session and the
    /// value of its cookie.
    ///
    /// - Parameter caller: The same principal, with the client's address.
    package func beginSession(
        of principal: Principal, for caller: KeyCaller
    ) async throws(GatewayError) -> (session: Key, token: [UInt8]) {
        guard let parent = principal.sessionParent else {
            return try Self.parse { () throws(KeyRefusal) in throw .noSession }
        }
        guard signIns.count(parent, at: now()) else { throw Self.tooManySignIns }
        let id = KeyID.random()
        let token = KeyToken.make(for: id)
        let session = try await perform(caller, .keyCreated, message: "session begun") {
            (ring, hash, now) throws(KeyRefusal) in
            let begun = try ring.beginSession(
                of: parent, name: principal.name, id: id, hash: hash.hash(of: token.span), at: now)
            return .set(begun.session, removing: begun.ended.map { [$0.id] } ?? [])
        }
        return (session, token)
    }

    /// Ends the session of a browser.
    package func endSession(_ id: KeyID, for caller: KeyCaller) async throws(GatewayError) {
        guard try opened().1.ring.keys[id]?.parent != nil else { return }
        try await perform(caller, .keyRevoked, message: "session ended") { (ring, _, _) throws(KeyRefusal) in
            guard let session = ring.endSession(id) else { throw .unknownKey(id.description) }
            return .removed(session)
        }
    }

    /// Checks that a caller may create a pairing code for a key with these values.
    package func checkPairing(_ draft: KeyDraft, for caller: KeyCaller) async throws(GatewayError) {
        let keys = try await current()
        try Self.parse { () throws(KeyRefusal) in try keys.ring.checkPairing(draft, for: caller, at: now()) }
    }

    /// Creates the key of a device that has sent a pairing code, or replaces the secret of a device that pairs again.
    ///
    /// - Parameters:
    ///   - draft: The values that the pairing code grants.
    ///   - device: The secret by which the device identifies itself; nil if it sent none.
    ///   - caller: The administrator that has created the pairing code.
    package func pair(
        _ draft: KeyDraft, device: [UInt8]?, for caller: KeyCaller
    ) async throws(GatewayError) -> (key: Key, token: [UInt8]) {
        var token: [UInt8] = []
        let key = try await perform(caller, .devicePaired) {
            (ring, hash, now) throws(KeyRefusal) in
            .set(
                try ring.pair(
                    draft, device: device.map { hash.hash(of: $0.span) }, id: .random(),
                    hash: { id in
                        token = KeyToken.make(for: id)
                        return hash.hash(of: token.span)
                    }, for: caller, at: now))
        }
        return (key, token)
    }
}
