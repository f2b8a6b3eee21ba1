// SPDX-License-Identifier: Apache-2.0

package import Storage

extension Migration {
    /// The table for the properties of conversations that OpenCode does not store.
    package static let conversations = Migration(
        2,
        """
        CREATE TABLE conversation (
            -- The path of the project's folder.
            folder BLOB NOT NULL,
            -- OpenCode's id.
            session TEXT NOT NULL,
            -- The id that a client chose, as it wrote it.
            chosen TEXT,
            pinned INTEGER NOT NULL,
            -- The model that a client chose: provider/model.
            model TEXT,
            -- How many messages it has, the newest one's time in milliseconds since 1970, and when OpenCode had changed the
            -- session last when they were counted.
            count INTEGER,
            newest INTEGER,
            counted INTEGER,
            PRIMARY KEY (folder, session)
        ) STRICT, WITHOUT ROWID;
        """)
}
