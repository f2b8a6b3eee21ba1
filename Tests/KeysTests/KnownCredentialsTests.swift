// SPDX-License-Identifier: Apache-2.0

import Access
import OpenCodeFamilies
import Sodium
import Synchronization
import Testing

/// Tests the check of the credentials that a connection's previous request had.
@Suite struct KnownCredentialsTests {
    private let hash: KeyedHash
    private let id: KeyID
    private let token: [UInt8]
    private let secret = Array("a key that is long enough".utf8)

    init() throws {
        hash = try #require(KeyedHash(key: [UInt8](repeating: 7, count: KeyedHash.keyLength)))
        id = try #require(KeyID("AAAAAAAAAA"))
        token = KeyToken.make(for: id)
    }

    private func index(_ expires: Int64? = nil, until: Int64? = nil) -> KeyIndex {
        let secret = KeyIndex.Secret(hash: hash.hash(of: token.span), generation: 0, until: until)
        return KeyIndex(
            hash: hash,
            [KeyIndex.Entry(id: id, name: "phone", rights: .everything, expires: expires, secrets: [secret])])
    }

    private func field(_ key: [UInt8]) -> [UInt8] { Array("Bearer ".utf8) + key }

    @Test func `the same credentials are admitted again, and others are not`() {
        let keys = AcceptedKeys(secrets: KeyTable(keys: [("default", secret)]), named: index())
        var known: KnownCredentials?
        func name(_ key: [UInt8]) -> String? {
            guard case .principal(let principal) = keys.authenticate(field(key).span, known: &known) else { return nil }
            return principal.name
        }

        #expect(name(token) == "phone")
        #expect(name(token) == "phone")
        #expect(name(secret) == "default")
        #expect(name(secret) == "default")
        for index in token.indices {
            var other = token
            other[index] ^= 1
            #expect(name(token) == "phone")
            #expect(name(other) == nil)
        }
        #expect(name([]) == nil)
        #expect(name(token + [0x20]) == "phone")
    }

    @Test func `after a change of the keys, the credentials are checked again`() {
        let secrets = KeyTable(keys: [("default", secret)])
        var known: KnownCredentials?
        let before = AcceptedKeys(secrets: secrets, named: index())
        let after = AcceptedKeys(secrets: KeyTable(keys: []), named: .empty)
        for key in [token, secret] {
            guard case .principal = before.authenticate(field(key).span, known: &known) else {
                Issue.record("the key is not admitted")
                return
            }

            #expect(after.authenticate(field(key).span, known: &known) == .invalid)
        }
    }

    @Test(arguments: [(1_000, nil), (nil, 1_000)] as [(Int64?, Int64?)])
    func `credentials that have expired are not admitted again`(expires: Int64?, until: Int64?) {
        let time = Mutex<Int64>(0)
        let named = index(expires, until: until)
        let keys = AcceptedKeys(secrets: KeyTable(keys: []), named: named) { 999 + time.withLock { $0 } }
        var known: KnownCredentials?
        func isAdmitted() -> Bool {
            if case .principal = keys.authenticate(field(token).span, known: &known) { true } else { false }
        }

        #expect(isAdmitted())
        #expect(isAdmitted())
        time.withLock { $0 = 1 }
        #expect(!isAdmitted())
    }
}
