// SPDX-License-Identifier: Apache-2.0

package import Storage

extension Migration {
    /// The migration steps of `audit.db`, in order.
    package static let audit: [Migration] = [
        Migration(
            1,
            """
            -- The actions.
            CREATE TABLE entry (
                -- Later entries of both tables have greater ids.
                id INTEGER PRIMARY KEY,
                -- In milliseconds since 1970.
                time INTEGER NOT NULL,
                -- The key that was used. An administrator's secret has no id.
                key_id TEXT,
                key TEXT,
                address TEXT,
                project TEXT,
                action TEXT NOT NULL,
                -- The method and the template of the path.
                route TEXT,
                -- The key to which the action was applied.
                subject_id TEXT,
                subject TEXT,
                -- A JSON array of the projects to which the key is limited that the entry concerns.
                key_projects TEXT,
                choice TEXT,
                -- In milliseconds.
                waited INTEGER,
                result TEXT,
                count INTEGER
            ) STRICT;
            -- The refused requests, in the same form.
            CREATE TABLE refusal (
                id INTEGER PRIMARY KEY,
                time INTEGER NOT NULL,
                key_id TEXT,
                key TEXT,
                address TEXT,
                project TEXT,
                action TEXT NOT NULL,
                route TEXT,
                subject_id TEXT,
                subject TEXT,
                key_projects TEXT,
                choice TEXT,
                waited INTEGER,
                result TEXT,
                count INTEGER
            ) STRICT
            """)
    ]
}

extension StateFile {
    /// Returns the database of the audit log in the state directory.
    ///
    /// The audit log has a database of its own, so that many entries neither delay nor fill `state.db`.
    package static func audit(in folder: String) -> StateFile {
        StateFile(folder: folder, name: "audit.db", migrations: Migration.audit)
    }
}
