// SPDX-License-Identifier: Apache-2.0

internal import CSQLite

/// A prepared statement, which its connection owns.
final class Statement {
    private let handle: OpaquePointer
    private unowned let connection: Connection

    init(_ handle: OpaquePointer, of connection: Connection) {
        self.handle = handle
        self.connection = connection
    }

    deinit { sqlite3_finalize(handle) }

    /// Runs the statement with these values and calls the closure with each row.
    func step(
        _ values: [Value], each: (borrowing Columns) throws(StorageError) -> Void
    ) throws(StorageError) {
        // Reset the statement, because it would otherwise keep its snapshot of the file.
        defer {
            sqlite3_reset(handle)
            sqlite3_clear_bindings(handle)
        }
        for (index, value) in values.enumerated() {
            let code = value.bind(to: handle, Int32(index + 1))
            guard code == SQLITE_OK else { throw connection.failure(code) }
        }
        while true {
            let code = sqlite3_step(handle)
            switch code {
            case SQLITE_ROW: try each(Columns(handle, path: connection.path))
            case SQLITE_DONE: return
            default: throw connection.failure(code)
            }
        }
    }
}

/// A value for a parameter of a statement.
package enum Value: Sendable, Equatable {
    /// The absence of a value, stored as NULL.
    case null
    /// A number, stored with the type INTEGER.
    case integer(Int64)
    /// A string, stored with the type TEXT.
    case text(String)
    /// Bytes, stored with the type BLOB.
    case bytes([UInt8])

    /// Creates a text value, or NULL for nil.
    package init(_ text: String?) { self = text.map { .text($0) } ?? .null }

    /// Creates a number value, or NULL for nil.
    package init(_ number: Int64?) { self = number.map { .integer($0) } ?? .null }

    fileprivate func bind(to statement: OpaquePointer, _ index: Int32) -> Int32 {
        switch self {
        case .null: return sqlite3_bind_null(statement, index)
        case .integer(let number): return sqlite3_bind_int64(statement, index, number)
        case .text(var text):
            return text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) {
                    // An empty text may have a null pointer, for which SQLite would bind NULL.
                    $0.isEmpty
                        ? storage_bind_text(statement, index, "", 0)
                        : storage_bind_text(statement, index, $0.baseAddress, Int32($0.count))
                }
            }
        case .bytes(let bytes):
            return bytes.withUnsafeBytes { storage_bind_blob(statement, index, $0.baseAddress, Int32($0.count)) }
        }
    }
}

/// A type that represents a row of a query's result.
package protocol Row: Sendable {
    /// Creates a row from the columns, which are numbered from 0 in the query's order. Throws if a column has the wrong
    /// type.
    init(_ columns: borrowing Columns) throws(StorageError)
}

/// The columns of a statement's current row.
package struct Columns: ~Copyable {
    private let statement: OpaquePointer
    private let path: String

    fileprivate init(_ statement: OpaquePointer, path: String) {
        self.statement = statement
        self.path = path
    }

    /// Returns the number in this column.
    package func integer(_ index: Int32) throws(StorageError) -> Int64 {
        try require(index, SQLITE_INTEGER)
        return sqlite3_column_int64(statement, index)
    }

    /// Returns the number in this column; nil for NULL.
    package func optionalInteger(_ index: Int32) throws(StorageError) -> Int64? {
        isNull(index) ? nil : try integer(index)
    }

    /// Returns the text in this column.
    package func text(_ index: Int32) throws(StorageError) -> String {
        try require(index, SQLITE_TEXT)
        let bytes = UnsafeBufferPointer(
            start: sqlite3_column_text(statement, index), count: Int(sqlite3_column_bytes(statement, index)))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the text in this column; nil for NULL.
    package func optionalText(_ index: Int32) throws(StorageError) -> String? { isNull(index) ? nil : try text(index) }

    /// Returns the bytes in this column.
    package func bytes(_ index: Int32) throws(StorageError) -> [UInt8] {
        try require(index, SQLITE_BLOB)
        return Array(
            UnsafeRawBufferPointer(
                start: sqlite3_column_blob(statement, index), count: Int(sqlite3_column_bytes(statement, index))))
    }

    /// Returns the bytes in this column; nil for NULL.
    package func optionalBytes(_ index: Int32) throws(StorageError) -> [UInt8]? {
        isNull(index) ? nil : try bytes(index)
    }

    private func isNull(_ index: Int32) -> Bool { sqlite3_column_type(statement, index) == SQLITE_NULL }

    private func require(_ index: Int32, _ type: Int32) throws(StorageError) {
        guard sqlite3_column_type(statement, index) == type else {
            throw .damaged(path, "a value has a different type than its column")
        }
    }
}
