// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

@testable import Storage

@Suite struct MigrationTests {
    private struct Definition: Row, Equatable {
        let text: String

        init(_ columns: borrowing Columns) throws(StorageError) { text = try columns.text(0) }
    }

    private static func schema(_ connection: Connection) throws -> [String] {
        try connection.rows(
            "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name", as: Definition.self
        ).map(\.text)
    }

    @Test func `an older file is migrated to the same schema as a new one`() throws {
        let steps = [
            Migration(1, "CREATE TABLE a (x INTEGER) STRICT"), Migration(2, "ALTER TABLE a ADD COLUMN y TEXT"),
            Migration(3, "CREATE INDEX of_a ON a (y); INSERT INTO a (x, y) VALUES (1, 'new')"),
        ]
        let new = try TemporaryDirectory()
        let wanted = try Self.schema(StateFile(folder: new.path, migrations: steps).openForWriting())

        for known in 1...2 {
            let directory = try TemporaryDirectory()
            do {
                let old = try StateFile(folder: directory.path, migrations: Array(steps.prefix(known))).openForWriting()
                #expect(try old.number("PRAGMA user_version") == Int64(known))
                try old.execute("INSERT INTO a (x) VALUES (\(known))")
            }
            let connection = try StateFile(folder: directory.path, migrations: steps).openForWriting()
            #expect(try Self.schema(connection) == wanted)
            #expect(try connection.number("PRAGMA user_version") == 3)
            #expect(try connection.number("SELECT count(*) FROM a") == 2)
        }
    }

    @Test func `a failed migration leaves the schema of the file unchanged`() throws {
        let directory = try TemporaryDirectory()
        let first = Migration(1, "CREATE TABLE a (x INTEGER) STRICT")
        let broken = Migration(2, "CREATE TABLE b (x INTEGER) STRICT; INSERT INTO c VALUES (1)")
        _ = try StateFile(folder: directory.path, migrations: [first]).openForWriting()
        let error = #expect(throws: StorageError.self) {
            _ = try StateFile(folder: directory.path, migrations: [first, broken]).openForWriting()
        }

        #expect(error?.kind == .refused)

        let connection = try StateFile(folder: directory.path, migrations: [first]).openForWriting()

        #expect(try connection.number("PRAGMA user_version") == 1)
        #expect(try Self.schema(connection).count == 1)
    }

    @Test func `a repeated statement is prepared only once`() throws {
        let directory = try TemporaryDirectory()
        let connection = try StateFile(folder: directory.path, migrations: []).openForWriting()
        let before = connection.preparedStatements
        for _ in 0..<100 { _ = try connection.number("SELECT 1") }

        #expect(connection.preparedStatements == before + 1)
    }
}
