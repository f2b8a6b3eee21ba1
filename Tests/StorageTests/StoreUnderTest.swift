// SPDX-License-Identifier: Apache-2.0

import Glibc
import Storage
import TestKit

/// A store in a separate folder, with a table of numbers.
struct StoreUnderTest {
    let directory: TemporaryDirectory
    let store: Store
    let events = Recorded<Store.Event>("an event of the store")

    init(
        in directory: TemporaryDirectory? = nil, limit: Int = Store.defaultLimit, pause: Duration = .milliseconds(10)
    ) throws {
        self.directory = try directory ?? TemporaryDirectory()
        let events = events
        store = try Store(Self.file(in: self.directory), limit: limit, pause: pause) { events.append($0) }
    }

    static func file(in directory: TemporaryDirectory) -> StateFile {
        StateFile(folder: "\(directory.path)/state", migrations: [numbers])
    }

    static let numbers = Migration(1, "CREATE TABLE number (value INTEGER PRIMARY KEY, ballast BLOB NOT NULL) STRICT")

    var path: String { "\(directory.path)/state/state.db" }

    /// Adds a number without waiting for it.
    func add(_ number: Int64, size: Int = 64) {
        store.write(size: size) { (connection) throws(StorageError) in try Self.insert(number, connection) }
    }

    /// Adds a number, and returns when the number is on the disk.
    func addToDisk(_ number: Int64, ballast: Int = 8) async throws(StorageError) {
        try await store.writeToDisk(size: 64 + ballast) { (connection) throws(StorageError) in
            try Self.insert(number, ballast: ballast, connection)
        }
    }

    /// Blocks the writer in a change of this size, and returns when the writer is blocked. The writer continues when
    /// the latch is opened.
    func holdWriter(size: Int = 1) throws -> Latch {
        let gate = Latch("the writer may continue")
        let isInside = Latch("the writer is inside")
        store.write(size: size) { (_) throws(StorageError) in
            isInside.open()
            _ = gate.isOpened(within: .seconds(60))
        }
        try isInside.wait(within: .seconds(20))
        return gate
    }

    /// Returns all numbers in order.
    func numbers() async throws -> [Int64] {
        try await store.read { (connection) throws(StorageError) in try Self.numbers(connection) }
    }

    static func insert(_ number: Int64, ballast: Int = 8, _ connection: Connection) throws(StorageError) {
        try connection.run(
            "INSERT INTO number VALUES (?1, ?2)", .integer(number), .bytes([UInt8](repeating: 7, count: ballast)))
    }

    static func numbers(_ connection: Connection) throws(StorageError) -> [Int64] {
        try connection.rows("SELECT value FROM number ORDER BY value", as: Number.self).map(\.value)
    }

    /// Returns the output of another process that tries to open the file.
    static func holder(of file: StateFile) throws -> String {
        let process = try TestProcess(try BuiltProducts.path("storage-writer"), ["hold", file.folder])
        try process.waitForLine { _ in true }
        process.terminate(SIGKILL)
        try process.waitForExit()
        return process.lines(of: .output).first ?? ""
    }

    struct Number: Row {
        let value: Int64

        init(_ columns: borrowing Columns) throws(StorageError) { value = try columns.integer(0) }
    }
}

/// Returns the mode of a file.
func mode(of path: String) throws -> UInt32 {
    var status = stat()
    guard stat(path, &status) == 0 else { throw TestKitError.system(operation: "stat \(path)", code: errno) }
    return status.st_mode & 0o7777
}
