package import Storage

/// What is to be written down of a conversation.
package enum KeptChange: Sendable, Equatable {
    case set(ConversationTable.Entry)
    /// The session is gone: OpenCode's id.
    case remove(session: String)
}

/// Where pins, counts and the ids that clients chose outlast the gateway.
package protocol ConversationKeeping: Sendable {
    /// All that is written down of a project's conversations, with what was given before the call. `folder`: the path of
    /// the project's folder.
    func entries(of folder: [UInt8]) async throws(StorageError) -> [ConversationTable.Entry]
    /// Writes it down, soon.
    func keep(_ changes: [KeptChange], of folder: [UInt8])
    /// Calls `done` once, on any thread, when what was given before the call is committed, or can't be: the end of the process
    /// does not undo it then.
    func flush(_ done: @escaping @Sendable () -> Void)
}

/// The conversations of `state.db`.
package struct ConversationStore: ConversationKeeping {
    private let store: Store

    /// Conversations kept in this store.
    package init(_ store: Store) { self.store = store }

    /// All that is written down of a project's conversations, with what was given before the call.
    package func entries(of folder: [UInt8]) async throws(StorageError) -> [ConversationTable.Entry] {
        // Where nothing can be written now, there is what was written before.
        try? await store.flush()
        return try await store.read { (connection) throws(StorageError) in
            try ConversationTable.entries(of: folder, connection)
        }
    }

    /// Writes it down, soon: a single writer, in the order of the calls.
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

    /// Calls `done` when what was given before the call is committed, or can't be.
    package func flush(_ done: @escaping @Sendable () -> Void) { store.flush { _ in done() } }
}
