// SPDX-License-Identifier: Apache-2.0

package import Storage

/// The properties of conversations that OpenCode does not store, as rows of `state.db`.
package enum ConversationTable {
    /// The properties of one conversation.
    package struct Entry: Row, Equatable {
        /// OpenCode's id of the session.
        package let session: String
        /// The id that a client chose, in the client's spelling.
        package var chosen: String?
        /// Whether the conversation is pinned.
        package var isPinned: Bool
        /// The model that a client chose, as `provider/model`.
        package var model: String?
        /// The number of messages; nil if they have not been counted.
        package var count: Int64?
        /// The time of the newest message, in milliseconds since 1970.
        package var newest: Int64?
        /// The time of the session's last change when the messages were counted, in milliseconds since 1970.
        package var counted: Int64?

        /// Creates an entry for a conversation without stored properties.
        package init(session: String) {
            self.session = session
            isPinned = false
        }

        /// The largest valid count or time. A larger number in the file is a sign of damage and counts as unknown.
        private static let largest: Int64 = 1 << 53

        /// Creates an entry from a row of `session, chosen, pinned, model, count, newest, counted`.
        package init(_ columns: borrowing Columns) throws(StorageError) {
            session = try columns.text(0)
            chosen = try columns.optionalText(1)
            isPinned = try columns.integer(2) != 0
            model = try columns.optionalText(3)
            count = try columns.optionalInteger(4).flatMap { (0...Self.largest).contains($0) ? $0 : nil }
            newest = try columns.optionalInteger(5).flatMap { $0.magnitude <= Self.largest ? $0 : nil }
            counted = try columns.optionalInteger(6).flatMap { $0.magnitude <= Self.largest ? $0 : nil }
        }
    }

    /// Writes an entry and replaces the previous one.
    package static func set(_ entry: Entry, in folder: [UInt8], _ connection: Connection) throws(StorageError) {
        try connection.run(
            """
            INSERT INTO conversation (folder, session, chosen, pinned, model, count, newest, counted)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            ON CONFLICT (folder, session) DO UPDATE SET chosen = ?3, pinned = ?4, model = ?5, count = ?6, newest = ?7,
                counted = ?8
            """, .bytes(folder), .text(entry.session), Value(entry.chosen), .integer(entry.isPinned ? 1 : 0),
            Value(entry.model), Value(entry.count), Value(entry.newest), Value(entry.counted))
    }

    /// Removes the entry of a session that no longer exists.
    package static func remove(_ session: String, in folder: [UInt8], _ connection: Connection) throws(StorageError) {
        try connection.run(
            "DELETE FROM conversation WHERE folder = ?1 AND session = ?2", .bytes(folder), .text(session))
    }

    /// Returns all entries of the project with the directory `folder`, ordered by session.
    package static func entries(of folder: [UInt8], _ connection: Connection) throws(StorageError) -> [Entry] {
        try connection.rows(
            """
            SELECT session, chosen, pinned, model, count, newest, counted FROM conversation WHERE folder = ?1
            ORDER BY session
            """, .bytes(folder), as: Entry.self)
    }

    /// Returns the approximate size of an entry in bytes while it waits to be written.
    package static func size(of entry: Entry, _ folder: [UInt8]) -> Int {
        192 + folder.count + entry.session.utf8.count + (entry.model?.utf8.count ?? 0)
    }
}
