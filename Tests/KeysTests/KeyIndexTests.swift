// SPDX-License-Identifier: Apache-2.0

import Access
import OpenCodeFamilies
import Sodium
import Testing

@Suite struct KeyIndexTests {
    private let hash: KeyedHash
    private let id: KeyID
    private let token: [UInt8]

    init() throws {
        hash = try #require(KeyedHash(key: [UInt8](repeating: 7, count: KeyedHash.keyLength)))
        id = try #require(KeyID("AAAAAAAAAA"))
        token = KeyToken.make(for: id)
    }

    private func entry(
        _ secrets: [KeyIndex.Secret], rights: KeyRights = .everything, expires: Int64? = nil
    ) -> KeyIndex.Entry {
        KeyIndex.Entry(id: id, name: "phone", rights: rights, expires: expires, secrets: secrets)
    }

    private func secret(_ token: [UInt8], _ generation: Int64 = 0, until: Int64? = nil) -> KeyIndex.Secret {
        KeyIndex.Secret(hash: hash.hash(of: token.span), generation: generation, until: until)
    }

    private func look(_ token: [UInt8], in entries: KeyIndex.Entry..., at now: Int64 = 1_000) -> KeyIndex.Result? {
        KeyIndex(hash: hash, entries).look(up: token.span) { now }
    }

    /// Returns the generation of the secret with which a token opens its key; nil if it opens nothing.
    private func generation(_ token: [UInt8], in entry: KeyIndex.Entry, at now: Int64 = 1_000) -> Int64? {
        guard case .opens(let principal)? = look(token, in: entry, at: now) else { return nil }
        return principal.key?.generation
    }

    @Test func `a token opens its key`() {
        let rights = KeyRights(.answer, projects: ["demo"])
        let result = look(token, in: entry([secret(token)], rights: rights))
        guard case .opens(let principal)? = result else {
            Issue.record("\(String(describing: result))")
            return
        }

        #expect(principal.name == "phone")
        #expect(principal.rights == rights)
        #expect(principal.key?.id == id)
        #expect(principal.key?.generation == 0)
    }

    @Test func `another token with the same id opens nothing`() {
        #expect(look(KeyToken.make(for: id), in: entry([secret(token)])) == .unknown)
    }

    @Test func `a token with an unknown id opens nothing`() {
        #expect(look(KeyToken.make(for: .random()), in: entry([secret(token)])) == .unknown)
        #expect(look(token) == .unknown)

        let found = KeyIndex.empty.look(up: token.span) { 0 }
        #expect(found == .unknown)
    }

    @Test(arguments: ["", "a-secret-of-an-administrator", "vr_AAAAAAAAAA_"])
    func `a text without the form of a token is not looked up`(text: String) {
        #expect(look(Array(text.utf8), in: entry([secret(token)])) == nil)
    }

    @Test func `a key opens nothing from the time of its expiry`() {
        let entry = entry([secret(token)], expires: 2_000)

        #expect(generation(token, in: entry, at: 1_999) == 0)
        #expect(look(token, in: entry, at: 2_000) == .expired)
    }

    @Test func `the previous secret opens the key until its end`() {
        let newToken = KeyToken.make(for: id)
        let entry = entry([secret(newToken, 1), secret(token, 0, until: 2_000)])

        #expect(generation(newToken, in: entry, at: 9_000) == 1)
        #expect(generation(token, in: entry, at: 1_999) == 0)
        #expect(look(token, in: entry, at: 2_000) == .unknown)
    }

    @Test func `a hash of another installation does not match`() throws {
        let other = try #require(KeyedHash(key: [UInt8](repeating: 8, count: KeyedHash.keyLength)))
        let foreign = KeyIndex.Secret(hash: other.hash(of: token.span), generation: 0)

        #expect(look(token, in: entry([foreign])) == .unknown)
    }

    @Test func `a hash of the wrong length matches no token`() {
        #expect(look(token, in: entry([KeyIndex.Secret(hash: [], generation: 0)])) == .unknown)
    }

    @Test func `the rights of a key end with its secret, its expiry and its revocation`() {
        let rights = KeyRights(.write, projects: ["demo"])
        let entry = entry([secret(token, 1), secret(token, 0, until: 2_000)], rights: rights, expires: 3_000)
        let index = KeyIndex(hash: hash, [entry])

        #expect(index.rights(of: id, generation: 1, at: 2_999) == rights)
        #expect(index.rights(of: id, generation: 1, at: 3_000) == nil)
        #expect(index.rights(of: id, generation: 0, at: 1_999) == rights)
        #expect(index.rights(of: id, generation: 0, at: 2_000) == nil)
        #expect(index.rights(of: id, generation: 2, at: 0) == nil)
        #expect(KeyIndex.empty.rights(of: id, generation: 1, at: 0) == nil)
    }

    @Test func `the time is read only for keys and secrets that end`() {
        var reads = 0
        let index = KeyIndex(hash: hash, [entry([secret(token)])])
        _ = index.look(up: token.span) {
            reads += 1
            return 0
        }

        #expect(reads == 0)
    }
}

@Suite struct KeyRightsTests {
    @Test func `rights include the same and lower scopes`() {
        #expect(KeyRights(.write).includes(KeyRights(.answer)))
        #expect(KeyRights(.write).includes(KeyRights(.write)))
        #expect(!KeyRights(.write).includes(KeyRights(.run)))
    }

    @Test func `rights for some projects do not include others`() {
        let rights = KeyRights(.run, projects: ["a", "b"])

        #expect(rights.includes(project: "a"))
        #expect(!rights.includes(project: "c"))
        #expect(rights.includes(KeyRights(.run, projects: ["a"])))
        #expect(!rights.includes(KeyRights(.run, projects: ["a", "c"])))
        #expect(!rights.includes(KeyRights(.run)))
        #expect(KeyRights(.run).includes(rights))
    }
}
