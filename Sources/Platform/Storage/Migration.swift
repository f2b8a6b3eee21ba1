// SPDX-License-Identifier: Apache-2.0

/// One step from an older schema to a newer one. After its release a step never changes: a later one corrects it.
package struct Migration: Sendable {
    /// The number of the step, from 1 on without a gap: the schema's number (`PRAGMA user_version`) after it.
    package let number: Int
    /// The SQL statements of the step.
    package let statements: String

    /// Creates a step from its number and its statements.
    package init(_ number: Int, _ statements: String) {
        self.number = number
        self.statements = statements
    }

    /// Migrates a database to the newest schema: each step completely or not at all.
    static func migrate(_ connection: Connection, _ migrations: [Migration]) throws(StorageError) {
        let present = try connection.number("PRAGMA user_version")
        for migration in migrations where migration.number > present {
            try connection.transaction { () throws(StorageError) in
                try connection.execute(migration.statements)
                try connection.execute("PRAGMA user_version = \(migration.number)")
            }
        }
    }
}
