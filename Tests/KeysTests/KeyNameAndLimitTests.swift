// SPDX-License-Identifier: Apache-2.0

import Access
import Keys
import OpenCodeFamilies
import Testing

/// Tests the names of keys, and keys that are exempt from the default limits.
@Suite struct KeyNameAndLimitTests {
    private static let now: Int64 = 1_700_000_000_000
    private let administrator = KeyCaller(name: "default", .administrator)

    /// Creates a key and returns it with its caller.
    private func create(
        _ draft: KeyDraft, in ring: inout KeyRing, for caller: KeyCaller? = nil
    ) throws(KeyRefusal) -> (key: Key, caller: KeyCaller) {
        let key = try ring.create(draft, id: .random(), hash: [], for: caller ?? administrator, at: Self.now)
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

    @Test(arguments: ["vr_phone", "phone, line 1", "/home/vibe/key", "vibe", "AAAAAAAAAA"])
    func `a name that only resembles a secret or an id is valid`(name: String) throws {
        var ring = KeyRing()

        #expect(try create(KeyDraft(name: name), in: &ring).key.name == name)
    }

    @Test func `the id of a key is not a name`() throws {
        var ring = KeyRing()
        let id = try create(KeyDraft(name: "phone"), in: &ring).key.id.description
        let other = try create(KeyDraft(name: "tablet"), in: &ring).key.id.description
        guard case .invalid(.name, _) = refusal({ () throws(KeyRefusal) in try create(KeyDraft(name: id), in: &ring) })
        else {
            Issue.record("the id is accepted as a name")
            return
        }
        var patch = KeyPatch()
        patch.name = id
        let renaming = refusal { () throws(KeyRefusal) in
            try ring.change(other, patch, for: administrator, at: Self.now)
        }

        #expect(renaming?.status == 400)
    }

    @Test func `an empty identity or remark means none`() throws {
        var ring = KeyRing()
        let key = try create(KeyDraft(name: "phone", identity: "", note: ""), in: &ring).key

        #expect(key.identity == nil)
        #expect(key.note == nil)
    }

    @Test func `a key can be exempt from a default limit, and be limited again`() throws {
        var ring = KeyRing(defaults: KeyLimits(rate: KeyRate(20, per: .second), streams: 20))
        let key = try create(KeyDraft(name: "ci", limits: KeyLimits(exempt: [.rate, .streams])), in: &ring).key

        #expect(key.limits.completed(by: ring.defaults) == KeyLimits())

        var patch = KeyPatch()
        patch.rate = .some(nil)
        patch.streams = 5
        let changed = try ring.change(key.id.description, patch, for: administrator, at: Self.now).after

        #expect(changed.limits == KeyLimits(streams: 5))

        var exempting = KeyPatch()
        exempting.streams = .some(nil)
        exempting.exempt = .streams
        let exempt = try ring.change(key.id.description, exempting, for: administrator, at: Self.now).after

        #expect(exempt.limits == KeyLimits(exempt: .streams))
    }

    @Test(arguments: [KeyLimits.Kinds.rate, .streams])
    func `a limited caller cannot exempt a key from a limit, and an exempt caller can`(kind: KeyLimits.Kinds) throws {
        var ring = KeyRing(defaults: KeyLimits(rate: KeyRate(20, per: .second), streams: 20))
        let (_, limited) = try create(KeyDraft(name: "limited", scope: .admin), in: &ring)
        let (_, exempt) = try create(
            KeyDraft(name: "exempt", scope: .admin, limits: KeyLimits(exempt: kind)), in: &ring)
        let draft = KeyDraft(name: "new", limits: KeyLimits(exempt: kind))
        let refusal = refusal { () throws(KeyRefusal) in try create(draft, in: &ring, for: limited) }

        #expect(refusal?.status == 403)

        let key = try create(KeyDraft(name: "old"), in: &ring).key
        var patch = KeyPatch()
        if kind == .rate { patch.rate = .some(nil) } else { patch.streams = .some(nil) }
        patch.exempt = kind
        let change = self.refusal { () throws(KeyRefusal) in
            try ring.change(key.id.description, patch, for: limited, at: Self.now)
        }

        #expect(change?.status == 403)
        #expect(try create(draft, in: &ring, for: exempt).key.limits.exempt == kind)
    }
}
