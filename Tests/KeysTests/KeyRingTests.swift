// SPDX-License-Identifier: Apache-2.0

import Access
import Keys
import OpenCodeFamilies
import Testing

@Suite struct KeyRingTests {
    /// The time of the tests' requests, in milliseconds since 1970.
    private static let now: Int64 = 1_700_000_000_000
    private static let day: Int64 = 86_400_000
    private let administrator = KeyCaller(name: "default", .administrator)

    /// Creates a key and returns it with its caller.
    private func create(
        _ draft: KeyDraft, in ring: inout KeyRing, for caller: KeyCaller? = nil, at now: Int64 = now
    ) throws(KeyRefusal) -> (key: Key, caller: KeyCaller) {
        let key = try ring.create(
            draft, id: .random(), hash: Array(draft.name.utf8), for: caller ?? administrator, at: now)
        return (key, KeyCaller(name: key.name, .key(key.id, generation: 0)))
    }

    private func refusal<Value>(_ body: () throws(KeyRefusal) -> Value) -> KeyRefusal? {
        do throws(KeyRefusal) {
            _ = try body()
            return nil
        } catch {
            return error
        }
    }

    // MARK: Creating

    @Test func `a key has the requested values`() throws {
        var ring = KeyRing()
        let limits = KeyLimits(rate: KeyRate(5, per: .second), streams: 3)
        let (key, _) = try create(
            KeyDraft(
                name: "phone", projects: ["b", "a", "b"], scope: .answer, lifetime: .seconds(86_400), limits: limits,
                identity: "me@example.com", note: "the old one"), in: &ring)

        #expect(key.name == "phone")
        #expect(key.kind == .key)
        #expect(key.rights == KeyRights(.answer, projects: ["a", "b"]))
        #expect(key.expires == Self.now + Self.day)
        #expect(key.limits == limits)
        #expect(key.identity == "me@example.com")
        #expect(key.note == "the old one")
        #expect(key.created == Self.now)
        #expect(key.creator == "default")
        #expect(key.secrets == [KeyIndex.Secret(hash: Array("phone".utf8), generation: 0)])
        #expect(ring.keys[key.id] == key)
    }

    @Test func `a key without requested values can write to all projects and does not expire`() throws {
        var ring = KeyRing()
        let (key, _) = try create(KeyDraft(name: "phone"), in: &ring)

        #expect(key.rights == KeyRights(.write))
        #expect(key.expires == nil)
        #expect(key.limits == KeyLimits())
    }

    @Test func `names and identities are unique`() throws {
        var ring = KeyRing()
        _ = try create(KeyDraft(name: "phone", identity: "me@example.com"), in: &ring)

        #expect(
            refusal { () throws(KeyRefusal) in try create(KeyDraft(name: "phone"), in: &ring) } == .nameTaken("phone"))
        #expect(
            refusal { () throws(KeyRefusal) in
                try create(KeyDraft(name: "tablet", identity: "me@example.com"), in: &ring)
            } == .identityTaken(by: "phone"))
        #expect(ring.keys.count == 1)
    }

    @Test(arguments: [
        (KeyDraft(name: ""), KeyRefusal.Value.name), (KeyDraft(name: " phone"), .name), (KeyDraft(name: "a\nb"), .name),
        (KeyDraft(name: "a\u{202E}b"), .name), (KeyDraft(name: String(repeating: "x", count: 65)), .name),
        (KeyDraft(name: "a", projects: []), .projects), (KeyDraft(name: "a", projects: ["../b"]), .projects),
        (KeyDraft(name: "a", projects: (0...100).map { "p\($0)" }), .projects),
        (KeyDraft(name: "a", lifetime: .zero), .expires), (KeyDraft(name: "a", lifetime: .seconds(-5)), .expires),
        (KeyDraft(name: "a", lifetime: .seconds(4_000 * 86_400)), .expires),
        (KeyDraft(name: "a", limits: KeyLimits(streams: 0)), .streams),
        (KeyDraft(name: "a", identity: "a\nb"), .identity), (KeyDraft(name: "a", note: "a\u{1B}[2J"), .note),
        // Invalid UTF-8 that a program has replaced.
        (KeyDraft(name: "a\u{FFFD}"), .name),
        // A secret, of this or of another gateway.
        (KeyDraft(name: token), .name), (KeyDraft(name: "a", note: "x \(token) y"), .note),
        (KeyDraft(name: "a", identity: token), .identity),
        // The names of administrators' secrets.
        (KeyDraft(name: "VIBE_AUTH_SECRET"), .name), (KeyDraft(name: "Vibe_Auth_Secret"), .name),
        (KeyDraft(name: "command line"), .name), (KeyDraft(name: "/home/vibe/key, line 12"), .name),
    ])
    func `an invalid value is refused by its name`(draft: KeyDraft, value: KeyRefusal.Value) {
        var ring = KeyRing()
        let refusal = refusal { () throws(KeyRefusal) in try create(draft, in: &ring) }

        guard case .invalid(value, let advice) = refusal else {
            Issue.record("\(String(describing: refusal))")
            return
        }
        #expect(ring.keys.isEmpty)
        #expect(!advice.contains(Self.token))
        // The command line reports the same error before it sends a request.
        #expect(self.refusal { () throws(KeyRefusal) in try draft.validate() } == refusal)
    }

    private static let token = "vr_AAAAAAAAAA_" + String(repeating: "b", count: 34)

    @Test func `the number of keys is limited`() throws {
        let keys = (0..<KeyRing.maximumCount).map {
            Key(
                id: .random(), name: "key \($0)", rights: KeyRights(.read), created: 0, creator: "default", secrets: [])
        }
        var ring = KeyRing(keys)

        #expect(
            refusal { () throws(KeyRefusal) in try create(KeyDraft(name: "one more"), in: &ring) }
                == .tooMany(limit: 10_000))
    }

    // MARK: Granting

    @Test(arguments: Scope.allCases.filter { $0 != .admin })
    func `only keys with the scope admin manage keys`(scope: Scope) throws {
        var ring = KeyRing()
        let (key, caller) = try create(KeyDraft(name: "phone", scope: scope), in: &ring)
        let id = key.id.description

        #expect(refusal { () throws(KeyRefusal) in try ring.list(for: caller, at: Self.now) } == .notAdministrator)
        #expect(refusal { () throws(KeyRefusal) in try ring.key(id, for: caller, at: Self.now) } == .notAdministrator)
        #expect(
            refusal { () throws(KeyRefusal) in try create(KeyDraft(name: "x"), in: &ring, for: caller) }
                == .notAdministrator)
        #expect(
            refusal { () throws(KeyRefusal) in try ring.change(id, KeyPatch(), for: caller, at: Self.now) }
                == .notAdministrator)
        #expect(
            refusal { () throws(KeyRefusal) in
                try ring.rotate(id, keepOld: nil, hash: [], for: caller, at: Self.now)
            } == .notAdministrator)
        #expect(
            refusal { () throws(KeyRefusal) in try ring.revoke(id, for: caller, at: Self.now) } == .notAdministrator)
        #expect(ring.keys == [key.id: key])
    }

    /// A caller that has less than everything in each dimension.
    private func limitedCaller(in ring: inout KeyRing) throws -> KeyCaller {
        try create(
            KeyDraft(
                name: "team", projects: ["a", "b"], scope: .admin, lifetime: .seconds(10 * 86_400),
                limits: KeyLimits(rate: KeyRate(10, per: .second), streams: 5)), in: &ring
        ).caller
    }

    /// A key that the limited caller may just grant.
    private static let granted = KeyDraft(
        name: "member", projects: ["a"], scope: .admin, lifetime: .seconds(10 * 86_400),
        limits: KeyLimits(rate: KeyRate(10, per: .second), streams: 5))

    private static func excess(_ value: KeyRefusal.Value) -> KeyDraft {
        var draft = granted
        switch value {
        case .projects: draft.projects = ["a", "c"]
        case .expires: draft.lifetime = .seconds(10 * 86_400 + 1)
        case .rate: draft.limits.rate = KeyRate(11, per: .second)
        case .streams: draft.limits.streams = 6
        default: break
        }
        return draft
    }

    @Test(arguments: [KeyRefusal.Value.projects, .expires, .rate, .streams])
    func `a caller cannot create a key that has more than its own`(value: KeyRefusal.Value) throws {
        var ring = KeyRing()
        let caller = try limitedCaller(in: &ring)
        let refusal = refusal { () throws(KeyRefusal) in try create(Self.excess(value), in: &ring, for: caller) }

        guard case .exceeds(value, _) = refusal else {
            Issue.record("\(String(describing: refusal))")
            return
        }
        #expect(ring.keys.count == 1)
    }

    @Test func `a caller can create a key that has as much as its own`() throws {
        var ring = KeyRing()
        let caller = try limitedCaller(in: &ring)
        let (key, _) = try create(Self.granted, in: &ring, for: caller)

        #expect(key.creator == "team")
    }

    @Test(arguments: [
        KeyDraft(name: "x", scope: .read, lifetime: .seconds(60)),
        KeyDraft(name: "x", projects: ["a"], scope: .read),
    ])
    func `an omitted value is not reduced to the caller's own`(draft: KeyDraft) throws {
        var ring = KeyRing()
        let caller = try limitedCaller(in: &ring)

        #expect(refusal { () throws(KeyRefusal) in try create(draft, in: &ring, for: caller) }?.status == 403)
    }

    @Test func `an omitted limit counts as the default limit`() throws {
        var ring = KeyRing(defaults: KeyLimits(rate: KeyRate(20, per: .second), streams: 20))
        let caller = try limitedCaller(in: &ring)
        var draft = Self.granted
        draft.limits = KeyLimits()

        #expect(refusal { () throws(KeyRefusal) in try create(draft, in: &ring, for: caller) }?.status == 403)

        ring.defaults = KeyLimits(rate: KeyRate(10, per: .second), streams: 5)
        #expect(refusal { () throws(KeyRefusal) in try create(draft, in: &ring, for: caller) } == nil)
    }

    @Test(arguments: [KeyRefusal.Value.projects, .expires, .rate, .streams])
    func `a caller cannot change a key so that it has more than its own`(value: KeyRefusal.Value) throws {
        var ring = KeyRing()
        let caller = try limitedCaller(in: &ring)
        let (key, _) = try create(Self.granted, in: &ring, for: caller)
        let draft = Self.excess(value)
        var patch = KeyPatch()
        switch value {
        case .projects: patch.projects = .some(draft.projects)
        case .expires: patch.lifetime = .some(draft.lifetime)
        case .rate: patch.rate = .some(draft.limits.rate)
        default: patch.streams = .some(draft.limits.streams)
        }
        let refusal = refusal { () throws(KeyRefusal) in
            try ring.change(key.id.description, patch, for: caller, at: Self.now)
        }

        guard case .exceeds(value, _) = refusal else {
            Issue.record("\(String(describing: refusal))")
            return
        }
        #expect(ring.keys[key.id] == key)
    }

    @Test func `a caller cannot rotate a key that has more than its own, but can restrict and revoke it`() throws {
        var ring = KeyRing()
        let caller = try limitedCaller(in: &ring)
        // The administrator's key does not expire.
        let (key, _) = try create(KeyDraft(name: "other", projects: ["a"], scope: .admin), in: &ring)
        let id = key.id.description
        let rotation = refusal { () throws(KeyRefusal) in
            try ring.rotate(id, keepOld: nil, hash: [1], for: caller, at: Self.now)
        }
        var patch = KeyPatch()
        patch.scope = .read

        #expect(rotation?.status == 403)
        #expect(try ring.change(id, patch, for: caller, at: Self.now).after.rights.scope == .read)

        patch.scope = .write
        #expect(
            refusal { () throws(KeyRefusal) in try ring.change(id, patch, for: caller, at: Self.now) }?.status == 403)
        #expect(try ring.revoke(id, for: caller, at: Self.now).id == key.id)
    }

    @Test func `a caller cannot give a key that has more than its own to another identity`() throws {
        var ring = KeyRing()
        let caller = try limitedCaller(in: &ring)
        let (key, _) = try create(KeyDraft(name: "other", projects: ["a"], scope: .admin), in: &ring)
        var patch = KeyPatch()
        patch.identity = .some("me@example.com")

        #expect(
            refusal { () throws(KeyRefusal) in
                try ring.change(key.id.description, patch, for: caller, at: Self.now)
            }?.status == 403)
    }

    @Test(arguments: [nil, ["a", "c"]] as [[String]?])
    func `a caller for some projects finds only keys for these projects`(projects: [String]?) throws {
        var ring = KeyRing()
        let caller = try limitedCaller(in: &ring)
        let (key, _) = try create(KeyDraft(name: "other", projects: projects, scope: .read), in: &ring)
        let (own, _) = try create(KeyDraft(name: "own", projects: ["b"], scope: .read), in: &ring)
        let id = key.id.description

        #expect(try ring.list(for: caller, at: Self.now).map(\.name) == ["own", "team"])
        #expect(refusal { () throws(KeyRefusal) in try ring.key(id, for: caller, at: Self.now) } == .unknownKey(id))
        #expect(refusal { () throws(KeyRefusal) in try ring.revoke(id, for: caller, at: Self.now) } == .unknownKey(id))
        #expect(
            refusal { () throws(KeyRefusal) in try ring.change(id, KeyPatch(), for: caller, at: Self.now) }
                == .unknownKey(id))
        #expect(
            refusal { () throws(KeyRefusal) in
                try ring.rotate(id, keepOld: nil, hash: [], for: caller, at: Self.now)
            } == .unknownKey(id))
        #expect(try ring.key(own.id.description, for: caller, at: Self.now) == own)
    }

    @Test func `a caller whose key has ended manages nothing`() throws {
        var ring = KeyRing()
        let (key, caller) = try create(
            KeyDraft(name: "team", scope: .admin, lifetime: .seconds(86_400)), in: &ring)

        #expect(
            refusal { () throws(KeyRefusal) in try ring.list(for: caller, at: Self.now + Self.day) } == .callerEnded)

        _ = try ring.rotate(key.id.description, keepOld: nil, hash: [1], for: administrator, at: Self.now)
        #expect(refusal { () throws(KeyRefusal) in try ring.list(for: caller, at: Self.now) } == .callerEnded)

        _ = try ring.revoke(key.id.description, for: administrator, at: Self.now)
        #expect(refusal { () throws(KeyRefusal) in try ring.list(for: caller, at: Self.now) } == .callerEnded)
    }

    @Test func `a caller with a previous secret grants nothing beyond the end of this secret`() throws {
        var ring = KeyRing()
        let (key, caller) = try create(KeyDraft(name: "team", scope: .admin), in: &ring)
        let id = key.id.description
        _ = try ring.rotate(id, keepOld: .seconds(3_600), hash: [1], for: administrator, at: Self.now)

        #expect(
            refusal { () throws(KeyRefusal) in try create(KeyDraft(name: "x"), in: &ring, for: caller) }?.status == 403)
        #expect(
            refusal { () throws(KeyRefusal) in
                try ring.rotate(id, keepOld: nil, hash: [2], for: caller, at: Self.now)
            }?.status == 403)
        #expect(
            refusal { () throws(KeyRefusal) in
                try create(KeyDraft(name: "x", lifetime: .seconds(3_600)), in: &ring, for: caller)
            } == nil)
    }

    // MARK: Changing, rotating and revoking

    @Test func `a patch changes the values that it contains`() throws {
        var ring = KeyRing()
        let (key, _) = try create(
            KeyDraft(name: "phone", projects: ["a"], lifetime: .seconds(60), identity: "me", note: "old"), in: &ring)
        var patch = KeyPatch()
        patch.name = "tablet"
        patch.projects = .some(nil)
        patch.lifetime = .some(nil)
        patch.rate = .some(KeyRate(2, per: .minute))
        patch.note = .some(nil)
        let (before, after) = try ring.change(key.id.description, patch, for: administrator, at: Self.now)

        #expect(before == key)
        #expect(after.name == "tablet")
        #expect(after.rights == KeyRights(.write))
        #expect(after.expires == nil)
        #expect(after.limits.rate?.description == "2/min")
        #expect(after.identity == "me")
        #expect(after.note == nil)
        #expect(ring.keys[key.id] == after)
    }

    @Test func `a key keeps its own name and identity`() throws {
        var ring = KeyRing()
        let (key, _) = try create(KeyDraft(name: "phone", identity: "me"), in: &ring)
        var patch = KeyPatch()
        patch.name = "phone"
        patch.identity = .some("me")

        #expect(try ring.change(key.id.description, patch, for: administrator, at: Self.now).after == key)
    }

    @Test func `a rotation ends the previous secret at once or after the requested time`() throws {
        var ring = KeyRing()
        let (key, _) = try create(KeyDraft(name: "phone"), in: &ring)
        let id = key.id.description
        let first = try ring.rotate(id, keepOld: .seconds(60), hash: [1], for: administrator, at: Self.now)

        #expect(
            first.secrets == [
                KeyIndex.Secret(hash: [1], generation: 1),
                KeyIndex.Secret(hash: Array("phone".utf8), generation: 0, until: Self.now + 60_000),
            ])

        let second = try ring.rotate(id, keepOld: nil, hash: [2], for: administrator, at: Self.now)
        #expect(second.secrets == [KeyIndex.Secret(hash: [2], generation: 2)])
        #expect(second.id == key.id)
    }

    @Test func `a revoked key is gone`() throws {
        var ring = KeyRing()
        let (key, _) = try create(KeyDraft(name: "phone"), in: &ring)
        let id = key.id.description

        #expect(try ring.revoke(id, for: administrator, at: Self.now) == key)
        #expect(
            refusal { () throws(KeyRefusal) in try ring.revoke(id, for: administrator, at: Self.now) }
                == .unknownKey(id))
        #expect(ring.keys.isEmpty)
    }

    @Test func `the use of a revoked key is not recorded`() throws {
        var ring = KeyRing()
        let (key, _) = try create(KeyDraft(name: "phone"), in: &ring)
        let use = Key.Use(time: 1, address: "192.0.2.1", client: "curl/8")

        let isRecorded = ring.record(use, of: key.id)

        #expect(isRecorded)
        #expect(ring.keys[key.id]?.use == use)

        _ = try ring.revoke(key.id.description, for: administrator, at: Self.now)
        let isRecordedAgain = ring.record(use, of: key.id)

        #expect(!isRecordedAgain)
        #expect(ring.keys.isEmpty)
    }

    @Test func `the next expiry is the earliest end of a key or of a previous secret`() throws {
        var ring = KeyRing()
        #expect(ring.nextExpiry(after: Self.now) == nil)

        _ = try create(KeyDraft(name: "a", lifetime: .seconds(100)), in: &ring)
        let (key, _) = try create(KeyDraft(name: "b"), in: &ring)
        _ = try ring.rotate(key.id.description, keepOld: .seconds(50), hash: [1], for: administrator, at: Self.now)

        #expect(ring.nextExpiry(after: Self.now) == Self.now + 50_000)
        #expect(ring.nextExpiry(after: Self.now + 50_000) == Self.now + 100_000)
        #expect(ring.nextExpiry(after: Self.now + 100_000) == nil)
    }

    @Test func `a refusal names the value and what the caller has`() throws {
        var ring = KeyRing()
        let caller = try limitedCaller(in: &ring)
        let refusal = refusal { () throws(KeyRefusal) in try create(Self.excess(.projects), in: &ring, for: caller) }

        #expect(
            refusal?.description
                == "A key can grant only what it has: your key can open only a, b. Request less in \"projects\", or use a key that has more."
        )
    }
}

@Suite struct KeyRateTests {
    @Test(arguments: ["20/s", "1/min", "100000/h"])
    func `a rate has the same text`(text: String) {
        #expect(KeyRate(text)?.description == text)
    }

    @Test(arguments: ["", "20", "20/", "/s", "20/d", "0/s", "-1/s", "100001/s", "2/s/s", "٢/s", "20 /s"])
    func `any other text is not a rate`(text: String) {
        #expect(KeyRate(text) == nil)
    }

    @Test(arguments: [("21/s", "20/s"), ("20/s", "20/min"), ("2000/h", "20/s"), ("1/s", "10/min")])
    func `a rate exceeds another if it permits more at once or over time`(rate: String, other: String) throws {
        #expect(try #require(KeyRate(rate)).exceeds(try #require(KeyRate(other))))
    }

    @Test(arguments: [("20/s", "20/s"), ("19/s", "20/s"), ("20/min", "20/s")])
    func `a rate does not exceed a rate that permits as much`(rate: String, other: String) throws {
        #expect(!(try #require(KeyRate(rate)).exceeds(try #require(KeyRate(other)))))
    }
}
