// SPDX-License-Identifier: Apache-2.0

import Access
import Keys
import OpenCodeFamilies
import Testing

/// Tests the sessions of browsers and the keys of devices as values.
@Suite struct KeyRingSessionTests {
    private static let now: Int64 = 1_700_000_000_000
    private static let day: Int64 = 86_400_000
    private let administrator = KeyCaller(name: "default", .administrator)

    private func create(_ draft: KeyDraft, in ring: inout KeyRing) throws -> Key {
        try ring.create(draft, id: .random(), hash: Array(draft.name.utf8), for: administrator, at: Self.now)
    }

    private func begin(_ key: Key, in ring: inout KeyRing, at time: Int64 = now) throws -> Key {
        try ring.beginSession(
            of: .key(key.id, generation: key.generation), name: key.name, id: .random(), hash: [1], at: time
        ).session
    }

    private func entry(of session: Key, in ring: KeyRing, at time: Int64 = now) -> KeyIndex.Entry? {
        ring.entries(at: time).first { $0.id == session.id }
    }

    @Test func `a session has the rights, the limits and the end of its key`() throws {
        var ring = KeyRing()
        let limits = KeyLimits(streams: 3)
        let key = try create(
            KeyDraft(name: "phone", projects: ["a"], scope: .read, lifetime: .seconds(86_400), limits: limits),
            in: &ring)
        let session = try begin(key, in: &ring)
        let entry = try #require(self.entry(of: session, in: ring))

        #expect(entry.rights == KeyRights(.read, projects: ["a"]))
        #expect(entry.limits == limits)
        #expect(entry.expires == Self.now + Self.day)
        #expect(entry.parent == .key(key.id, generation: 0))

        _ = try ring.change(key.id.description, patch { $0.projects = ["b"] }, for: administrator, at: Self.now)

        #expect(self.entry(of: session, in: ring)?.rights.projects == ["b"])
        #expect(try ring.list(for: administrator, at: Self.now).first { $0.id == session.id }?.rights.projects == ["b"])
    }

    private func patch(_ change: (inout KeyPatch) -> Void) -> KeyPatch {
        var patch = KeyPatch()
        change(&patch)
        return patch
    }

    @Test func `a session ends after 30 days`() throws {
        var ring = KeyRing()
        let session = try begin(try create(KeyDraft(name: "phone"), in: &ring), in: &ring)

        #expect(entry(of: session, in: ring)?.expires == Self.now + 30 * Self.day)
        #expect(ring.removeEndedSessions(at: Self.now + 30 * Self.day - 1).isEmpty)
        #expect(ring.removeEndedSessions(at: Self.now + 30 * Self.day) == [session.id])
    }

    @Test func `a session of a previous secret ends with this secret`() throws {
        var ring = KeyRing()
        let key = try create(KeyDraft(name: "phone"), in: &ring)
        let session = try begin(key, in: &ring)
        _ = try ring.rotate(
            key.id.description, keepOld: .seconds(3_600), hash: [2], for: administrator, at: Self.now)

        #expect(entry(of: session, in: ring)?.expires == Self.now + 3_600_000)
        #expect(ring.removeEndedSessions(at: Self.now + 3_600_000) == [session.id])
    }

    @Test func `sessions end with their key`() throws {
        var ring = KeyRing()
        let key = try create(KeyDraft(name: "phone"), in: &ring)
        let other = try begin(try create(KeyDraft(name: "other"), in: &ring), in: &ring)
        let session = try begin(key, in: &ring)
        _ = try ring.revoke(key.id.description, for: administrator, at: Self.now)

        #expect(entry(of: session, in: ring)?.expires == Self.now)
        #expect(ring.removeEndedSessions(at: Self.now) == [session.id])
        #expect(ring.keys[other.id] != nil)
        #expect(throws: KeyRefusal.callerEnded) { try begin(key, in: &ring) }
    }

    @Test func `the number of sessions of a key is limited`() throws {
        var ring = KeyRing()
        let key = try create(KeyDraft(name: "phone"), in: &ring)
        let sessions = try (0..<Int64(KeyRing.mostSessions)).map { try begin(key, in: &ring, at: Self.now + $0) }
        let last = try ring.beginSession(
            of: .key(key.id, generation: 0), name: "phone", id: .random(), hash: [1], at: Self.now + 1_000)

        #expect(last.ended?.id == sessions[0].id)
        #expect(ring.keys.count == KeyRing.mostSessions + 1)
    }

    @Test func `an administrator of some projects manages only sessions of keys for these projects`() throws {
        var ring = KeyRing()
        let caller = try create(KeyDraft(name: "admin", projects: ["a"], scope: .admin), in: &ring)
        let own = try begin(try create(KeyDraft(name: "own", projects: ["a"]), in: &ring), in: &ring)
        let other = try begin(try create(KeyDraft(name: "other"), in: &ring), in: &ring)
        let credentials = KeyCaller(name: "admin", .key(caller.id, generation: 0))

        #expect(try ring.list(for: credentials, at: Self.now).map(\.id).contains(own.id))
        #expect(try !ring.list(for: credentials, at: Self.now).map(\.id).contains(other.id))
        #expect(throws: KeyRefusal.unknownKey(other.id.description)) {
            try ring.revoke(other.id.description, for: credentials, at: Self.now)
        }
        #expect(throws: KeyRefusal.isSession(own.name)) {
            try ring.rotate(own.id.description, keepOld: nil, hash: [3], for: credentials, at: Self.now)
        }
    }

    @Test func `a device that pairs again keeps its entry and loses its secret`() throws {
        var ring = KeyRing()
        func pair(_ name: String, device: [UInt8]?, _ hash: [UInt8]) throws -> Key {
            try ring.pair(
                KeyDraft(name: name), device: device, id: .random(), hash: { _ in hash }, for: administrator,
                at: Self.now)
        }
        let first = try pair("phone", device: [7], [1])
        let again = try pair("phone", device: [7], [2])
        let other = try pair("phone", device: [8], [3])
        let unknown = try pair("phone", device: nil, [4])

        #expect(again.id == first.id)
        #expect(again.secrets == [KeyIndex.Secret(hash: [2], generation: 1)])
        #expect(again.name == "phone")
        #expect(other.name == "phone 2")
        #expect(unknown.name == "phone 3")
        #expect(ring.keys.count == 3)
    }
}
