// SPDX-License-Identifier: Apache-2.0

import Access
import Keys
import OpenCodeFamilies
import Sodium
import Storage
import TestKit
import Testing

@Suite struct KeyRowsTests {
    private let directory: TemporaryDirectory
    private let store: Store

    init() throws {
        directory = try TemporaryDirectory()
        store = try Self.open(directory)
    }

    private static func open(_ directory: TemporaryDirectory) throws -> Store {
        try Store(StateFile(folder: "\(directory.path)/state", migrations: [.keys, .sessions])) { _ in }
    }

    private func write(
        _ change: @escaping @Sendable (Connection) throws(StorageError) -> Void
    ) async throws(StorageError) { try await store.writeToDisk(size: 1, change) }

    private func all() async throws -> (keys: [Key], unreadable: Int) {
        try await store.read { (connection) throws(StorageError) in try KeyRows.all(connection) }
    }

    private static func key(_ name: String = "phone") -> Key {
        Key(
            id: .random(), name: name, rights: KeyRights(.write), created: 5, creator: "default",
            secrets: [KeyIndex.Secret(hash: [UInt8](repeating: 1, count: KeyedHash.length), generation: 0)])
    }

    private static func fullKey() -> Key {
        let hash = [UInt8](repeating: 2, count: KeyedHash.length)
        let oldHash = [UInt8](repeating: 3, count: KeyedHash.length)
        return Key(
            id: .random(), name: "tablet \"1\"", kind: .device, rights: KeyRights(.answer, projects: ["b", "a\"é"]),
            expires: 9_000, limits: KeyLimits(rate: KeyRate("20/min"), streams: 7), identity: "me@example.com",
            note: "remark", created: 5, creator: "phone",
            secrets: [
                KeyIndex.Secret(hash: hash, generation: 4), KeyIndex.Secret(hash: oldHash, generation: 3, until: 8_000),
            ], use: Key.Use(time: 7_000, address: "192.0.2.1", client: "curl/8.1"))
    }

    @Test func `a key is read as it was written`() async throws {
        let exempt = Key(
            id: .random(), name: "ci", rights: KeyRights(.write), limits: KeyLimits(exempt: [.rate, .streams]),
            created: 5, creator: "default", secrets: Self.key().secrets)
        let keys = [exempt, Self.key(), Self.fullKey()]
        for key in keys { try await write { (connection) throws(StorageError) in try KeyRows.set(key, connection) } }
        let found = try await all()

        #expect(found.keys == keys)
        #expect(found.unreadable == 0)
    }

    @Test func `a changed key replaces the stored one`() async throws {
        var key = Self.fullKey()
        let first = key
        try await write { (connection) throws(StorageError) in try KeyRows.set(first, connection) }
        key.use = nil
        let second = key
        try await write { (connection) throws(StorageError) in try KeyRows.set(second, connection) }

        #expect(try await all().keys == [key])
    }

    @Test func `a removed key is gone, and its use is not recorded`() async throws {
        let key = Self.key()
        try await write { (connection) throws(StorageError) in try KeyRows.set(key, connection) }
        try await write { (connection) throws(StorageError) in
            try KeyRows.remove(key.id, connection)
            try KeyRows.record(Key.Use(time: 1, address: nil, client: nil), of: key.id, connection)
        }

        #expect(try await all().keys == [])
    }

    @Test func `the last use is recorded`() async throws {
        let key = Self.key()
        let use = Key.Use(time: 77, address: "192.0.2.1", client: nil)
        try await write { (connection) throws(StorageError) in
            try KeyRows.set(key, connection)
            try KeyRows.record(use, of: key.id, connection)
        }

        #expect(try await all().keys.first?.use == use)
    }

    @Test func `the database rejects a second key with the same name or identity`() async throws {
        let first = Self.fullKey()
        let second = Self.fullKey()
        try await write { (connection) throws(StorageError) in try KeyRows.set(first, connection) }
        let error = await #expect(throws: StorageError.self) {
            try await write { (connection) throws(StorageError) in try KeyRows.set(second, connection) }
        }

        #expect(error?.kind == .refused)
        #expect(try await all().keys == [first])
    }

    @Test(arguments: [
        "id = 'short'", "kind = 'robot'", "allow = 'everything'", "projects = '[]'", "projects = 'demo'",
        "projects = '[1]'", "rate = 'fast'", "streams = 0", "streams = -2", "hash = x'00'",
    ])
    func `a row with an impossible value opens nothing and is reported`(change: String) async throws {
        let key = Self.key()
        try await write { (connection) throws(StorageError) in
            try KeyRows.set(key, connection)
            try connection.execute("UPDATE key SET \(change)")
        }
        let found = try await all()

        #expect(found.keys == [])
        #expect(found.unreadable == 1)
    }

    @Test func `the function that hashes tokens remains the same when the database is opened again`() async throws {
        let secret = Array("secret".utf8)
        let hashes = Recorded<[UInt8]>("a hash")
        try await write { (connection) throws(StorageError) in
            try KeyRows.createHashKey(connection)
            hashes.append(try KeyRows.hash(connection).hash(of: secret.span))
        }
        store.close()
        let again = try Self.open(directory)
        try await again.writeToDisk(size: 1) { (connection) throws(StorageError) in
            try KeyRows.createHashKey(connection)
            hashes.append(try KeyRows.hash(connection).hash(of: secret.span))
        }

        #expect(hashes.values.count == 2)
        #expect(Set(hashes.values).count == 1)
    }

    @Test func `the database contains no token`() async throws {
        let id = KeyID.random()
        let token = KeyToken.make(for: id)
        try await write { (connection) throws(StorageError) in
            try KeyRows.createHashKey(connection)
            let hash = try KeyRows.hash(connection).hash(of: token.span)
            let key = Key(
                id: id, name: "phone", rights: KeyRights(.write), created: 5, creator: "default",
                secrets: [KeyIndex.Secret(hash: hash, generation: 0)])
            try KeyRows.set(key, connection)
        }
        store.close()
        let secret = String(decoding: token[14..<42], as: UTF8.self)

        for name in try FileTree.names(in: "\(directory.path)/state") {
            let bytes = try FileTree.contents("\(directory.path)/state/\(name)")
            #expect(!String(decoding: bytes, as: UTF8.self).contains(secret), "\(name)")
        }
    }
}
