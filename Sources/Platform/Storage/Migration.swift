// SPDX-License-Identifier: Apache-2.0

/// A step from an older schema to the next one. A released step never changes. If a released step contains an error, a
/// later step corrects the error.
package struct Migration: Sendable {
    /// The number of the step, counted from 1 without gaps. The step sets the schema's version to this number (`PRAGMA
    /// user_version`).
    package let number: Int
    /// The SQL statements of the step.
    package let statements: String

    /// Creates a step from its number and its statements.
    package init(_ number: Int, _ statements: String) {
        self.number = number
        self.statements = statements
    }

    /// Migrates a database to the newest schema. Each step is applied completely or not at all.
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
