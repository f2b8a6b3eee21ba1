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

    /// Writes a key and removes others in one step, and returns after the change is on disk.
    ///
    /// - Parameters:
    ///   - key: The key; nil if keys are only removed.
    ///   - ids: The ids of the keys to remove.
    package func set(_ key: Key?, removing ids: [KeyID] = []) async throws(StorageError) {
        let size = (key.map(KeyRows.size) ?? 0) + KeyID.length * ids.count
        try await store.writeToDisk(size: size) { (connection) throws(StorageError) in
            for id in ids { try KeyRows.remove(id, connection) }
            if let key { try KeyRows.set(key, connection) }
        }
    }

    /// Writes the last use of a key without waiting for the disk.
    package func record(_ use: Key.Use, of id: KeyID) {
        store.write(size: 512) { (connection) throws(StorageError) in try KeyRows.record(use, of: id, connection) }
    }
}
