// SPDX-License-Identifier: Apache-2.0

package import Storage

extension Migration {
    /// The table of the events of projects' instances.
    package static let instanceHistory = Migration(
        1,
        """
        CREATE TABLE instance_history (
            -- Later entries have greater numbers, also after older ones were removed.
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            -- The path of the project's folder: names are bytes, and gateways of several homes may share the file.
            folder BLOB NOT NULL,
            -- Nanoseconds since 1970.
            time INTEGER NOT NULL,
            event TEXT NOT NULL,
            actor TEXT,
            version TEXT,
            reason TEXT
        ) STRICT;
        CREATE INDEX instance_history_of_folder ON instance_history (folder, number);
        """)
}
