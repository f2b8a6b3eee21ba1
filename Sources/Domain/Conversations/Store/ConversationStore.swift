// SPDX-License-Identifier: Apache-2.0

package import Storage

/// A change to the stored entry of a conversation.
package enum KeptChange: Sendable, Equatable {
    case set(ConversationTable.Entry)
    /// The session with this OpenCode id no longer exists.
    case remove(session: String)
}

/// A store that preserves the pins, counts and client-chosen ids of conversations when the gateway ends.
package protocol ConversationKeeping: Sendable {
    /// Returns all stored entries of a project's conversations, including the changes before this call.
    ///
    /// - Parameter folder: The path of the project's directory.
    func entries(of folder: [UInt8]) async throws(StorageError) -> [ConversationTable.Entry]
    /// Stores the changes asynchronously, within a short time.
    func keep(_ changes: [KeptChange], of folder: [UInt8])
    /// Calls `done` once, on any thread, when the changes before this call are committed or cannot be committed.
    /// Committed changes persist when the process ends.
    func flush(_ done: @escaping @Sendable () -> Void)
}

/// The conversations in the database `state.db`.
package struct ConversationStore: ConversationKeeping {
    private let store: Store

    /// Creates a conversation store in this database.
    package init(_ store: Store) { self.store = store }

    /// Returns all stored entries of a project's conversations, including the changes before this call.
    package func entries(of folder: [UInt8]) async throws(StorageError) -> [ConversationTable.Entry] {
        // If nothing can be written now, return the entries that were written before.
        try? await store.flush()
        return try await store.read { (connection) throws(StorageError) in
            try ConversationTable.entries(of: folder, connection)
        }
    }

    /// Stores the changes asynchronously, within a short time. A single writer keeps the order of the calls.
    package func keep(_ changes: [KeptChange], of folder: [UInt8]) {
        for change in changes {
            switch change {
            case .set(let entry):
                store.write(size: ConversationTable.size(of: entry, folder)) { (connection) throws(StorageError) in
                    try ConversationTable.set(entry, in: folder, connection)
                }
            case .remove(let session):
                store.write(size: 192 + folder.count) { (connection) throws(StorageError) in
                    try ConversationTable.remove(session, in: folder, connection)
                }
            }
        }
    }

    /// Calls `done` when the changes before this call are committed or cannot be committed.
    package func flush(_ done: @escaping @Sendable () -> Void) { store.flush { _ in done() } }
}
