// SPDX-License-Identifier: Apache-2.0

internal import Encodings
internal import JSONText
package import Storage

/// The tables of the audit log in `audit.db`.
///
/// Entries about refused requests are in a table of their own. If both kinds shared pages of the file, the removal of old
/// refusals would not free any page.
package enum AuditTable {
    /// The number of entries after which the limits are checked again.
    private static let checkInterval: Int64 = 64
    /// The maximum number of old entries of one table that a check removes.
    private static let batch: Int64 = 4_096
    /// The maximum size of the list of a key's projects in an entry about a refused request, in bytes. Only a list of this
    /// size keeps all refusals small (``AuditLimits/refusals``).
    private static let longestRefusedProjects = 1_024

    /// Adds an entry. Now and then, also removes the entries that exceed the limits.
    package static func add(
        _ entry: AuditEntry, _ limits: AuditLimits, at now: Int64, _ connection: Connection
    ) throws(StorageError) {
        let id = try nextID(connection)
        let values = values(of: entry, id: id)
        if entry.action == .refused || entry.action == .refusalsOmitted {
            try connection.run(
                """
                INSERT INTO refusal (id, time, key_id, key, address, project, action, route, subject_id, subject,
                    key_projects, choice, waited, result, count)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
                """, values: values)
        } else {
            try connection.run(
                """
                INSERT INTO entry (id, time, key_id, key, address, project, action, route, subject_id, subject,
                    key_projects, choice, waited, result, count)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
                """, values: values)
        }
        if id % checkInterval == 0 { try prune(limits, at: now, connection) }
    }

    /// Returns the id of the next entry. The ids of both tables form one sequence.
    private static func nextID(_ connection: Connection) throws(StorageError) -> Int64 {
        try connection.number(
            """
            SELECT max(coalesce((SELECT max(id) FROM entry), 0), coalesce((SELECT max(id) FROM refusal), 0)) + 1
            """)
    }

    private static func values(of entry: AuditEntry, id: Int64) -> [Value] {
        // The project of the entry itself decides who can see it.
        let projects = entry.project == nil ? entry.keyProjects : nil
        var projectList = projects.map { String(decoding: list($0).bytes, as: UTF8.self) }
        if entry.action == .refused, (projectList?.utf8.count ?? 0) > longestRefusedProjects { projectList = nil }
        return [
            .integer(id), .integer(entry.time), Value(entry.key?.id), Value(entry.key?.name), Value(entry.address),
            Value(entry.project), .text(entry.action.rawValue), Value(entry.route), Value(entry.subject?.id),
            Value(entry.subject?.name), Value(projectList), Value(entry.choice), Value(entry.waited),
            Value(entry.result?.text), Value(entry.count.map(Int64.init)),
        ]
    }

    private static func list(_ projects: Set<String>) -> JSON { .array(projects.sorted().map { .string($0) }) }

    /// Returns the approximate size of an entry in bytes while it waits to be written.
    package static func size(of entry: AuditEntry) -> Int {
        let texts = [
            entry.key?.id, entry.key?.name, entry.address, entry.project, entry.route, entry.subject?.id,
            entry.subject?.name, entry.choice,
        ]
        let projects = entry.keyProjects?.reduce(0) { $0 + $1.utf8.count + 16 } ?? 0
        return 256 + projects + texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
    }

    // MARK: Removal

    /// Removes the oldest entries that exceed the limits: first those that are too old, then the refusals beyond their
    /// share, and then the oldest entries until the file is small enough.
    ///
    /// One call removes a limited number of entries, so that other changes do not wait for long.
    package static func prune(
        _ limits: AuditLimits, at now: Int64, _ connection: Connection
    ) throws(StorageError) {
        let oldest = Value.integer(now - limits.time.milliseconds)
        // The ids are almost in the order of the times. The oldest entries by id therefore suffice.
        try connection.run(
            """
            DELETE FROM entry WHERE time < ?1 AND id IN (SELECT id FROM entry ORDER BY id LIMIT ?2)
            """, oldest, .integer(batch))
        try connection.run(
            """
            DELETE FROM refusal WHERE time < ?1 AND id IN (SELECT id FROM refusal ORDER BY id LIMIT ?2)
            """, oldest, .integer(batch))
        try connection.run(
            """
            DELETE FROM refusal WHERE id <= (SELECT id FROM refusal ORDER BY id DESC LIMIT 1 OFFSET ?1)
            """, .integer(limits.refusals))
        let count = Value.integer(limits.batch)
        while try usedBytes(connection) > limits.threshold {
            try connection.run("DELETE FROM entry WHERE id IN (SELECT id FROM entry ORDER BY id LIMIT ?1)", count)
            guard try connection.number("SELECT changes()") == 0 else { continue }
            try connection.run("DELETE FROM refusal WHERE id IN (SELECT id FROM refusal ORDER BY id LIMIT ?1)", count)
            guard try connection.number("SELECT changes()") > 0 else { return }
        }
    }

    /// Returns the number of bytes of the file that contain data. SQLite uses the other pages for later entries, so the
    /// file itself does not grow beyond the largest value.
    static func usedBytes(_ connection: Connection) throws(StorageError) -> Int64 {
        let pages =
            try connection.number("PRAGMA page_count") - connection.number("PRAGMA freelist_count")
        return try pages * connection.number("PRAGMA page_size")
    }

    // MARK: Pages

    /// Returns the entries that a query selects, the newest first.
    package static func entries(
        _ query: AuditQuery, _ connection: Connection
    ) throws(StorageError) -> [StoredAuditEntry] {
        let visible = query.visibleProjects.map(list)
        return try connection.rows(
            """
            SELECT id, time, key_id, key, address, project, action, route, subject_id, subject, choice, waited, result,
                count
            FROM entry
            WHERE id < ?1 AND time >= ?2 AND (?3 IS NULL OR ?3 IN (key_id, key, subject_id, subject))
                AND (?4 IS NULL OR project = ?4)
                AND (?5 IS NULL OR project IN (SELECT value FROM json_each(?5))
                    OR project IS NULL AND key_projects IS NOT NULL AND NOT EXISTS (
                        SELECT 1 FROM json_each(key_projects) AS name
                        WHERE name.value NOT IN (SELECT value FROM json_each(?5))))
            UNION ALL
            SELECT id, time, key_id, key, address, project, action, route, subject_id, subject, choice, waited, result,
                count
            FROM refusal
            WHERE id < ?1 AND time >= ?2 AND (?3 IS NULL OR ?3 IN (key_id, key, subject_id, subject))
                AND (?4 IS NULL OR project = ?4)
                AND (?5 IS NULL OR project IN (SELECT value FROM json_each(?5))
                    OR project IS NULL AND key_projects IS NOT NULL AND NOT EXISTS (
                        SELECT 1 FROM json_each(key_projects) AS name
                        WHERE name.value NOT IN (SELECT value FROM json_each(?5))))
            ORDER BY id DESC LIMIT ?6
            """, .integer(query.before ?? .max), .integer(query.since ?? .min), Value(query.key), Value(query.project),
            Value(visible.map { String(decoding: $0.bytes, as: UTF8.self) }), .integer(Int64(query.limit)),
            as: StoredAuditEntry.self)
    }
}

/// An entry of the stored audit log. An action or a result of a newer gateway remains readable.
package struct StoredAuditEntry: Row, Equatable {
    /// The id. Later entries have greater ids.
    package let id: Int64
    /// The time of the action, in milliseconds since 1970.
    package let time: Int64
    let keyID: String?
    let key: String?
    let address: String?
    let project: String?
    let action: String
    let route: String?
    let subjectID: String?
    let subject: String?
    let choice: String?
    let waited: Int64?
    let result: String?
    let count: Int64?

    /// Creates an entry from the columns of a row.
    package init(_ columns: borrowing Columns) throws(StorageError) {
        id = try columns.integer(0)
        time = try columns.integer(1)
        keyID = try columns.optionalText(2)
        key = try columns.optionalText(3)
        address = try columns.optionalText(4)
        project = try columns.optionalText(5)
        action = try columns.text(6)
        route = try columns.optionalText(7)
        subjectID = try columns.optionalText(8)
        subject = try columns.optionalText(9)
        choice = try columns.optionalText(10)
        waited = try columns.optionalInteger(11)
        result = try columns.optionalText(12)
        count = try columns.optionalInteger(13)
    }
}
