// SPDX-License-Identifier: Apache-2.0

package import Access
package import Sodium
package import Storage

/// The named keys in the gateway's database.
package struct KeyStore: Sendable {
    /// The content of the database.
    package struct Content: Sendable {
        /// The function that hashes tokens.
        package let hash: KeyedHash
        /// The keys.
        package let keys: [Key]
        /// The number of stored keys that this version cannot interpret. They open nothing.
        package let unreadable: Int
    }

    private let store: Store

    /// Creates a reference to the keys in this database.
    package init(_ store: Store) { self.store = store }

    /// Returns whether the database is open. If it is not open yet, `body` is called when it is.
    package func isOpen(orElse body: @escaping @Sendable () -> Void) -> Bool { store.isOpen(orElse: body) }

    /// The reason why the database is not open; nil if it is open.
    package var obstacle: StorageError? { store.obstacle }

    /// Returns the content of the database.
    package func load() async throws(StorageError) -> Content {
        let hasHashKey = try await store.read { (connection) throws(StorageError) in
            try KeyRows.hasHashKey(connection)
        }
        // Only the first start waits for the disk.
        if !hasHashKey {
            try await store.writeToDisk(size: KeyedHash.keyLength) { (connection) throws(StorageError) in
                try KeyRows.createHashKey(connection)
            }
        }
        return try await store.read { (connection) throws(StorageError) in
            let found = try KeyRows.all(connection)
            return Content(hash: try KeyRows.hash(connection), keys: found.keys, unreadable: found.unreadable)
        }
    }

    /// Writes a key, and returns after it is on disk.
    package func set(_ key: Key) async throws(StorageError) {
        try await store.writeToDisk(size: KeyRows.size(of: key)) { (connection) throws(StorageError) in
            try KeyRows.set(key, connection)
        }
    }

    /// Removes a key, and returns after the removal is on disk.
    package func remove(_ id: KeyID) async throws(StorageError) {
        try await store.writeToDisk(size: KeyID.length) { (connection) throws(StorageError) in
            try KeyRows.remove(id, connection)
        }
    }

    /// Writes the last use of a key without waiting for the disk.
    package func record(_ use: Key.Use, of id: KeyID) {
        store.write(size: 512) { (connection) throws(StorageError) in try KeyRows.record(use, of: id, connection) }
    }
}
