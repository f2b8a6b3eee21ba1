// SPDX-License-Identifier: Apache-2.0

package import Storage

extension Migration {
    /// The tables for named keys.
    package static let keys = Migration(
        3,
        """
        CREATE TABLE key (
            id TEXT PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            -- key, device or session.
            kind TEXT NOT NULL,
            -- The scope: read, answer, write, run or admin.
            allow TEXT NOT NULL,
            -- A JSON array of names; NULL for all projects.
            projects TEXT,
            -- All times are in milliseconds since 1970.
            expires INTEGER,
            -- For example 20/s; NULL for the default limit, like streams.
            rate TEXT,
            streams INTEGER,
            identity TEXT UNIQUE,
            note TEXT,
            created INTEGER NOT NULL,
            -- The name of the key with which this key was created.
            creator TEXT NOT NULL,
            -- The number of rotations.
            generation INTEGER NOT NULL,
            -- The keyed BLAKE2b hash of the token.
            hash BLOB NOT NULL,
            -- The hash of the token before the last rotation, and the time until which that token is valid.
            old_hash BLOB,
            old_until INTEGER,
            last_used INTEGER,
            address TEXT,
            client TEXT
        ) STRICT;
        -- The random key of the hashes. The table has at most one row.
        CREATE TABLE key_hash (
            number INTEGER PRIMARY KEY CHECK (number = 1),
            value BLOB NOT NULL
        ) STRICT
        """)

    /// The columns for browsers' sessions and for paired devices.
    package static let sessions = Migration(
        4,
        """
        -- The key with which the user of a session has signed in: a part of the hash of an administrator's secret, or the
        -- id of a named key and the generation of its secret. NULL for all other kinds.
        ALTER TABLE key ADD COLUMN parent_secret INTEGER;
        ALTER TABLE key ADD COLUMN parent_key TEXT;
        ALTER TABLE key ADD COLUMN parent_generation INTEGER;
        -- The keyed hash of the secret by which a device identifies itself when it pairs again.
        ALTER TABLE key ADD COLUMN device BLOB
        """)
}
