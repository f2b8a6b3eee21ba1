// SPDX-License-Identifier: Apache-2.0

package import Access
internal import JSONText
internal import OpenCodeFamilies
package import Sodium
package import Storage

/// The named keys in the database `state.db`.
package enum KeyRows {
    /// Creates the random key of the function that hashes tokens, if the database has none.
    package static func createHashKey(_ connection: Connection) throws(StorageError) {
        try connection.run(
            "INSERT INTO key_hash (number, value) VALUES (1, ?1) ON CONFLICT DO NOTHING",
            .bytes(RandomBytes.bytes(KeyedHash.keyLength)))
    }

    /// Returns whether the database contains the random key of the function that hashes tokens.
    package static func hasHashKey(_ connection: Connection) throws(StorageError) -> Bool {
        try !connection.rows("SELECT value FROM key_hash", as: HashKey.self).isEmpty
    }

    /// Returns the function that hashes tokens. The database must contain its key (``createHashKey(_:)``).
    package static func hash(_ connection: Connection) throws(StorageError) -> KeyedHash {
        let values = try connection.rows("SELECT value FROM key_hash", as: HashKey.self)
        guard let hash = values.first.flatMap({ KeyedHash(key: $0.value) }) else {
            throw StorageError(.damaged, "The key for hashing tokens in state.db has the wrong length.")
        }
        return hash
    }

    /// Returns all keys.
    ///
    /// A row that this version cannot interpret opens nothing. The result contains the number of these rows, so that
    /// the caller can report them.
    package static func all(_ connection: Connection) throws(StorageError) -> (keys: [Key], unreadable: Int) {
        let rows = try connection.rows(
            """
            SELECT id, name, kind, allow, projects, expires, rate, streams, identity, note, created, creator,
                generation, hash, old_hash, old_until, last_used, address, client,
                parent_secret, parent_key, parent_generation, device
            FROM key ORDER BY name
            """, as: KeyRow.self)
        let keys = rows.compactMap(\.key)
        return (keys, rows.count - keys.count)
    }

    /// Writes a key, and replaces the stored key with the same id.
    package static func set(_ key: Key, _ connection: Connection) throws(StorageError) {
        let projects = key.rights.projects.map { "[\($0.sorted().map(JSONText.quoted).joined(separator: ","))]" }
        let old = key.secrets.dropFirst().first
        let parent = ParentColumns(key.parent)
        // Replacing the row instead of updating it would also remove another key with the same name.
        try connection.run("DELETE FROM key WHERE id = ?1", .text(key.id.description))
        try connection.run(
            """
            INSERT INTO key (id, name, kind, allow, projects, expires, rate, streams, identity, note, created, creator,
                generation, hash, old_hash, old_until, last_used, address, client,
                parent_secret, parent_key, parent_generation, device)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22,
                ?23)
            """, .text(key.id.description), .text(key.name), .text(key.kind.rawValue),
            .text(key.rights.scope.rawValue), Value(projects), Value(key.expires),
            Value(key.limits.exempt.contains(.rate) ? unlimitedRate : key.limits.rate?.description),
            Value(key.limits.exempt.contains(.streams) ? unlimitedStreams : key.limits.streams.map(Int64.init)),
            Value(key.identity), Value(key.note), .integer(key.created),
            .text(key.creator), .integer(key.generation), .bytes(key.secrets.first?.hash ?? []),
            old.map { .bytes($0.hash) } ?? .null, Value(old?.until), Value(key.use?.time), Value(key.use?.address),
            Value(key.use?.client), Value(parent.secret), Value(parent.key), Value(parent.generation),
            key.device.map { .bytes($0) } ?? .null)
    }

    /// The stored rate of a key without a limit.
    fileprivate static let unlimitedRate = "none"
    /// The stored number of streams of a key without a limit.
    fileprivate static let unlimitedStreams: Int64 = -1

    /// Removes a key.
    package static func remove(_ id: KeyID, _ connection: Connection) throws(StorageError) {
        try connection.run("DELETE FROM key WHERE id = ?1", .text(id.description))
    }

    /// Writes the last use of a key. A key that was removed in the meantime remains removed.
    package static func record(_ use: Key.Use, of id: KeyID, _ connection: Connection) throws(StorageError) {
        try connection.run(
            "UPDATE key SET last_used = ?2, address = ?3, client = ?4 WHERE id = ?1", .text(id.description),
            .integer(use.time), Value(use.address), Value(use.client))
    }

    /// Returns the approximate size of a key in bytes while it waits to be written.
    package static func size(of key: Key) -> Int {
        let texts = [key.name, key.creator, key.identity, key.note, key.use?.address, key.use?.client]
        let projects = key.rights.projects?.reduce(0) { $0 + $1.utf8.count } ?? 0
        return 256 + projects + texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
    }
}

/// The columns that contain the parent of a session.
private struct ParentColumns {
    let secret: Int64?
    let key: String?
    let generation: Int64?

    init(secret: Int64?, key: String?, generation: Int64?) {
        self.secret = secret
        self.key = key
        self.generation = generation
    }

    init(_ parent: SessionParent?) {
        switch parent {
        case .secret(let fingerprint): self.init(secret: Int64(bitPattern: fingerprint), key: nil, generation: nil)
        case .key(let id, let generation): self.init(secret: nil, key: id.description, generation: generation)
        case nil: self.init(secret: nil, key: nil, generation: nil)
        }
    }

    /// The parent; nil if the columns contain none.
    var parent: SessionParent? {
        if let secret { return .secret(fingerprint: UInt64(bitPattern: secret)) }
        guard let id = key.flatMap({ KeyID($0) }), let generation else { return nil }
        return .key(id, generation: generation)
    }
}

private struct HashKey: Row {
    let value: [UInt8]

    init(_ columns: borrowing Columns) throws(StorageError) { value = try columns.bytes(0) }
}

/// A row of the table. A row with impossible values has no key.
private struct KeyRow: Row {
    let key: Key?

    init(_ columns: borrowing Columns) throws(StorageError) {
        let name = try columns.text(1)
        let projects = try columns.optionalText(4)
        let expires = try columns.optionalInteger(5)
        let rate = try columns.optionalText(6)
        let streams = try columns.optionalInteger(7)
        let identity = try columns.optionalText(8)
        let note = try columns.optionalText(9)
        let created = try columns.integer(10)
        let creator = try columns.text(11)
        let generation = try columns.integer(12)
        let hash = try columns.bytes(13)
        let oldUntil = try columns.optionalInteger(15)
        let oldHash = oldUntil == nil ? [] : try columns.bytes(14)
        let lastUsed = try columns.optionalInteger(16)
        let address = try columns.optionalText(17)
        let client = try columns.optionalText(18)
        let parent = ParentColumns(
            secret: try columns.optionalInteger(19), key: try columns.optionalText(20),
            generation: try columns.optionalInteger(21))
        let device = try columns.optionalBytes(22)
        let names = projects.map(KeyRow.names)
        var exempt: KeyLimits.Kinds = []
        if rate == KeyRows.unlimitedRate { exempt.insert(.rate) }
        if streams == KeyRows.unlimitedStreams { exempt.insert(.streams) }
        // A limit or a list that cannot be parsed must not count as absent, because the key would then permit more.
        guard let id = KeyID(try columns.text(0)), let kind = Key.Kind(rawValue: try columns.text(2)),
            let scope = Scope(rawValue: try columns.text(3)), hash.count == KeyedHash.length,
            rate == nil || exempt.contains(.rate) || rate.flatMap(KeyRate.init) != nil,
            streams.map({ $0 > 0 || exempt.contains(.streams) }) ?? true,
            names == nil || names.flatMap(\.self) != nil,
            // A session without its key would have rights that an administrator cannot revoke.
            kind != .session || parent.parent != nil
        else {
            key = nil
            return
        }
        var secrets = [KeyIndex.Secret(hash: hash, generation: generation)]
        if let oldUntil, oldHash.count == KeyedHash.length {
            secrets.append(KeyIndex.Secret(hash: oldHash, generation: generation - 1, until: oldUntil))
        }
        key = Key(
            id: id, name: name, kind: kind, rights: KeyRights(scope, projects: names.flatMap(\.self)), expires: expires,
            limits: KeyLimits(
                rate: rate.flatMap(KeyRate.init),
                streams: exempt.contains(.streams) ? nil : streams.map { Int(clamping: $0) }, exempt: exempt),
            identity: identity, note: note, created: created, creator: creator,
            parent: kind == .session ? parent.parent : nil, device: device, secrets: secrets,
            use: lastUsed.map { Key.Use(time: $0, address: address, client: client) })
    }

    /// Returns the names in a JSON array of strings; nil for any other text.
    private static func names(_ text: String) -> Set<String>? {
        [String](jsonText: Array(text.utf8)).flatMap { $0.isEmpty ? nil : Set($0) }
    }
}
