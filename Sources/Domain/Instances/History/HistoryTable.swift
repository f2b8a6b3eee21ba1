// SPDX-License-Identifier: Apache-2.0

package import Storage

/// The events of projects' instances, stored as rows of `state.db`.
package enum HistoryTable {
    /// An event of an instance.
    package struct Entry: Row, Equatable {
        /// The time of the event, in nanoseconds since 1970.
        package let time: Int64
        /// The kind of the event, as one word.
        package let event: String
        /// The user or program that requested the event; nil if the event was not requested or the requester is
        /// unknown.
        package let actor: String?
        /// The version of OpenCode, if known.
        package let version: String?
        /// The reason, as a message.
        package let reason: String?

        /// Creates an entry from its values.
        package init(
            time: Int64, event: String, actor: String? = nil, version: String? = nil, reason: String? = nil
        ) {
            self.time = time
            self.event = event
            self.actor = actor
            self.version = version
            self.reason = reason
        }

        /// Creates an entry from a query for `time, event, actor, version, reason`.
        package init(_ columns: borrowing Columns) throws(StorageError) {
            time = try columns.integer(0)
            event = try columns.text(1)
            actor = try columns.optionalText(2)
            version = try columns.optionalText(3)
            reason = try columns.optionalText(4)
        }
    }

    /// The last entry of a project's folder.
    package struct Last: Row, Equatable {
        /// The path of the project's folder.
        package let folder: [UInt8]
        /// The folder's last entry.
        package let entry: Entry

        /// Creates the last entry from a query for `time, event, actor, version, reason, folder`.
        package init(_ columns: borrowing Columns) throws(StorageError) {
            entry = try Entry(columns)
            folder = try columns.bytes(5)
        }
    }

    /// The maximum number of entries of a project's folder. Adding an entry removes the oldest entries beyond this
    /// number.
    package static let length = 200

    /// Adds an entry. If the folder then has more than ``length`` entries, removes the oldest entries.
    package static func add(
        _ entry: Entry, to folder: [UInt8], _ connection: Connection
    ) throws(StorageError) {
        try connection.run(
            """
            INSERT INTO instance_history (folder, time, event, actor, version, reason)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            """, .bytes(folder), .integer(entry.time), .text(entry.event), Value(entry.actor), Value(entry.version),
            Value(entry.reason))
        try connection.run(
            """
            DELETE FROM instance_history WHERE folder = ?1 AND number <= (
                SELECT number FROM instance_history WHERE folder = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2)
            """, .bytes(folder), .integer(Int64(length)))
    }

    /// Returns the entries of a project's folder, the oldest first.
    package static func entries(of folder: [UInt8], _ connection: Connection) throws(StorageError) -> [Entry] {
        try connection.rows(
            """
            SELECT time, event, actor, version, reason FROM instance_history WHERE folder = ?1 ORDER BY number
            """, .bytes(folder), as: Entry.self)
    }

    /// Returns, for every folder directly below `home`, the last entry before this time.
    package static func lastEntries(
        below home: [UInt8], before time: Int64, _ connection: Connection
    ) throws(StorageError) -> [Last] {
        let prefix = home.last == UInt8(ascii: "/") ? home : home + [UInt8(ascii: "/")]
        return try connection.rows(
            """
            SELECT time, event, actor, version, reason, folder FROM instance_history
            WHERE number IN (SELECT max(number) FROM instance_history WHERE time < ?3 GROUP BY folder)
            AND substr(folder, 1, ?2) = ?1
            """, .bytes(prefix), .integer(Int64(prefix.count)), .integer(time), as: Last.self)
    }

    /// Returns the approximate size in bytes of an entry that waits to be written.
    package static func size(of entry: Entry, _ folder: [UInt8]) -> Int {
        let texts = [entry.event, entry.actor, entry.version, entry.reason]
        return 128 + folder.count + texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
    }
}
