// SPDX-License-Identifier: Apache-2.0

internal import CSQLite

/// A connection to a database file. Only the thread that opened the connection may use it.
package final class Connection {
    /// The purpose of a connection.
    enum Purpose {
        case reading
        case writing
    }

    /// The file's path, for error messages.
    let path: String
    private let handle: OpaquePointer
    /// This process's lock on the file, which lasts at least as long as the connection.
    let lock: StateLock?
    /// The prepared statements. The key is the address of the statement's text in the program.
    private var statements: [UnsafePointer<UInt8>: Statement] = [:]

    /// The time in milliseconds that a statement waits for another program that has locked the file, such as sqlite3 in
    /// a shell.
    private static let busyTimeout: Int32 = 1_000

    /// Opens an existing file for the given purpose.
    init(_ path: String, for purpose: Purpose, holding lock: StateLock? = nil) throws(StorageError) {
        self.path = path
        self.lock = lock
        // Only one thread uses each connection, so SQLite's own locks would cost time without any effect.
        let flags = SQLITE_OPEN_NOMUTEX | (purpose == .writing ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY)
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(path, &handle, flags, nil)
        guard let handle else {
            throw .database(path, code: code, message: String(cString: sqlite3_errstr(code)), system: 0)
        }
        self.handle = handle
        guard code == SQLITE_OK else { throw failure(code) }
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, Self.busyTimeout)
    }

    deinit {
        statements.removeAll()
        sqlite3_close_v2(handle)
    }

    // MARK: Statements

    /// Runs a statement that returns no rows. `values` replace `?1`, `?2` … in its text.
    package func run(_ text: StaticString, _ values: Value...) throws(StorageError) {
        try run(text, values: values)
    }

    /// Runs a statement that returns no rows. `values` replace `?1`, `?2` … in its text.
    package func run(_ text: StaticString, values: [Value]) throws(StorageError) {
        try statement(text).step(values) { (_) throws(StorageError) in }
    }

    /// Returns all rows of a query.
    package func rows<Found: Row>(_ text: StaticString, _ values: Value..., as: Found.Type) throws(StorageError)
        -> [Found]
    {
        var found: [Found] = []
        try statement(text).step(values) { (columns) throws(StorageError) in found.append(try Found(columns)) }
        return found
    }

    /// Runs any number of statements that are needed only once, such as pragmas and migrations.
    package func execute(_ text: String) throws(StorageError) {
        let code = sqlite3_exec(handle, text, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// Returns the number that is the only result of a query.
    package func number(_ text: StaticString) throws(StorageError) -> Int64 {
        try rows(text, as: SingleNumber.self).first?.value ?? 0
    }

    /// Runs `body` within a transaction, and rolls it back if `body` throws.
    func transaction(_ body: () throws(StorageError) -> Void) throws(StorageError) {
        try run("BEGIN IMMEDIATE")
        do throws(StorageError) {
            try body()
            try run("COMMIT")
        } catch {
            // Some errors already roll back the transaction, so check whether it is still open.
            if sqlite3_get_autocommit(handle) == 0 { try? run("ROLLBACK") }
            throw error
        }
    }

    /// The number of prepared statements.
    var preparedStatements: Int { statements.count }

    /// Whether a transaction is open.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    private func statement(_ text: StaticString) throws(StorageError) -> Statement {
        if let known = statements[text.utf8Start] { return known }
        var prepared: OpaquePointer?
        let code = text.withUTF8Buffer { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                sqlite3_prepare_v3(
                    handle, $0.baseAddress, Int32($0.count), UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
            }
        }
        guard code == SQLITE_OK, let prepared else { throw failure(code) }
        let statement = Statement(prepared, of: self)
        statements[text.utf8Start] = statement
        return statement
    }

    /// Returns the error for the last SQLite call, which returned `code`.
    func failure(_ code: Int32) -> StorageError {
        .database(
            path, code: code, message: String(cString: sqlite3_errmsg(handle)), system: sqlite3_system_errno(handle))
    }

    private struct SingleNumber: Row {
        let value: Int64

        init(_ columns: borrowing Columns) throws(StorageError) { value = try columns.integer(0) }
    }
}

/// A connection is confined to the thread that opened it.
@available(*, unavailable)
extension Connection: Sendable {}
