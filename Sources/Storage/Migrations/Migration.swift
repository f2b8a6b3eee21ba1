/// One step from an older schema to a newer one. Once a release has it, it never changes: a later one corrects it.
package struct Migration: Sendable {
    /// Its place in the row, from 1 on without a gap: the schema's number (`PRAGMA user_version`) once it is done.
    package let number: Int
    /// The statements.
    package let statements: String

    /// A step.
    package init(_ number: Int, _ statements: String) {
        self.number = number
        self.statements = statements
    }

    /// Every step of `state.db`, in their order.
    package static let all: [Migration] = [instanceHistory, conversations]

    /// Takes a database to the newest schema: each step whole or not at all.
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
