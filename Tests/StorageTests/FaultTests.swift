// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import Testing

@testable import Storage

/// Tests the problems that prevent storage. Each problem has its own message, both at the start and in `check`.
@Suite struct FaultTests {
    private let directory: TemporaryDirectory
    private var file: StateFile { StoreUnderTest.file(in: directory) }

    init() throws { directory = try TemporaryDirectory() }

    /// Returns the error from opening the file. Examining the file must return an equal error.
    private func fault(_ file: StateFile? = nil) throws -> StorageError {
        let file = file ?? self.file
        let examined = #expect(throws: StorageError.self) { try file.examine() }
        let opened = #expect(throws: StorageError.self) { _ = try Store(file) { _ in } }
        #expect(opened == examined)
        return try #require(opened)
    }

    private func makeFile() async throws {
        let test = try StoreUnderTest(in: directory)
        for number in 1...50 as ClosedRange<Int64> { try await test.addToDisk(number, ballast: 4096) }
    }

    /// Overwrites a part of the file.
    private func damage(at offset: Int, _ bytes: [UInt8]) throws {
        let descriptor = open(file.path, O_WRONLY | O_CLOEXEC)
        defer { close(descriptor) }
        try #require(pwrite(descriptor, bytes, bytes.count, offset) == bytes.count)
    }

    @Test func `an intact file is usable, and a missing file can be created`() async throws {
        #expect(try file.examine() == .missing)
        #expect(access(file.folder, F_OK) != 0)

        try await makeFile()

        #expect(try file.examine() == .usable)

        // The examination acquires no lock, so that a gateway that starts in the meantime can acquire the file.
        unlink(file.path + ".lock")

        #expect(try file.examine() == .usable)
        #expect(access(file.path + ".lock", F_OK) != 0)
    }

    @Test func `a file that is not a database is damaged, and the suggested command moves it away`() async throws {
        try await makeFile()
        try damage(at: 0, [UInt8](repeating: 0x58, count: 100))
        let fault = try fault()

        #expect(fault.kind == .damaged)
        #expect(fault.description.hasPrefix("\(file.path) is damaged (file is not a database). Stop the gateway, move"))

        // The suggested command moves all files, even if some of them do not exist.
        let command = try #require(fault.description.split(separator: "`").dropFirst().first)
        for suffix in ["-wal", "-shm"] { try directory.write("", to: "state/state.db\(suffix)", mode: 0o600) }
        try TestProcess("/bin/sh", ["-c", String(command)]).waitForExit()
        for suffix in ["", "-wal", "-shm"] { #expect(access(file.path + suffix, F_OK) != 0, "\(suffix)") }

        #expect(try file.examine() == .missing)
    }

    @Test func `a failed write is not attributed to a read-only file system without evidence`() async throws {
        try await makeFile()
        // The code SQLITE_READONLY_DBMOVED, and a file that does not exist.
        let moved = StorageError.database(
            file.path, code: 1032, message: "attempt to write a readonly database", system: 0)

        #expect(moved.description == "\(file.path) cannot be used: attempt to write a readonly database.")

        let missing = StorageError.database(
            "/nowhere/state.db", code: 8, message: "attempt to write a readonly database", system: 0)

        #expect(missing.description.hasPrefix("/nowhere/state.db cannot be written: No such file or directory."))

        // A file of the kernel that no user can write to.
        let kernel = StorageError.database(
            "/proc/version", code: 8, message: "attempt to write a readonly database", system: 0)

        #expect(kernel.kind != .readOnly)
    }

    @Test func `a damaged page is detected, and no write is attempted after the first failure`() async throws {
        try await makeFile()
        // The damage is at the root page of the table, which follows the first page.
        try damage(at: 4096, [UInt8](repeating: 0x58, count: 4096))
        let examined = #expect(throws: StorageError.self) { try file.examine() }

        #expect(examined?.kind == .damaged)

        // The store detects the damage at the first use.
        let test = try StoreUnderTest(in: directory)
        let reading = await #expect(throws: StorageError.self) { try await test.numbers() }

        #expect(reading?.kind == .damaged)

        let writing = await #expect(throws: StorageError.self) { try await test.addToDisk(100) }

        #expect(writing?.kind == .damaged)
        #expect(try test.events.values == [.fails(#require(writing))])

        // From now on, the store does not attempt any operation.
        let later = await #expect(throws: StorageError.self) { try await test.addToDisk(101) }

        #expect(later == writing)
    }

    @Test func `writes lost to a damaged file are counted, and the file stays locked until closing`() async throws {
        try await makeFile()
        try damage(at: 4096, [UInt8](repeating: 0x58, count: 4096))
        let test = try StoreUnderTest(in: directory)
        let gate = try test.holdWriter()
        // The batch that fails contains two writes without a waiting caller. Later writes are not attempted.
        test.add(100)
        test.add(101)
        gate.open()
        let events = test.events
        try events.wait("the first count", within: .seconds(20)) { $0.count == 2 }
        for number in 102...104 as ClosedRange<Int64> { test.add(number) }
        guard case .fails(let error) = events.values.first else {
            Issue.record("\(events.values)")
            return
        }

        // The reader still uses the file.
        #expect(try StoreUnderTest.holder(of: file).hasPrefix("error: Another gateway (process \(getpid())) uses "))
        #expect(test.store.close())
        #expect(error.kind == .damaged)
        #expect(events.values == [.fails(error), .lost(2), .lost(3)])
        #expect(try StoreUnderTest.holder(of: file) == "open")
    }

    @Test func `a file of a newer gateway is rejected with both schema numbers`() async throws {
        do {
            let newer = StateFile(
                folder: file.folder, migrations: [StoreUnderTest.numbers, Migration(2, "CREATE TABLE more (x)")])
            _ = try Store(newer) { _ in }
        }
        let fault = try fault()

        #expect(fault.kind == .newer)
        #expect(
            fault.description
                == "\(file.path) was written by a newer gateway: its schema version is 2, and this gateway "
                + "supports versions up to 1. Run the newer gateway, or set --state-dir to another directory.")
    }

    @Test func `another program's database is rejected`() throws {
        try directory.makeDirectory("state")
        chmod(file.folder, 0o700)
        // SQLite treats an empty file as an empty database.
        try directory.write("", to: "state/state.db")
        try Connection(file.path, for: .writing).execute("CREATE TABLE other (x); PRAGMA user_version = 3")
        let fault = try fault()

        #expect(fault.kind == .foreign)
        #expect(fault.description.hasPrefix("\(file.path) is another program's database."))
    }

    @Test func `a file is rejected with the process number while another process uses it`() throws {
        let other = try TestProcess(try BuiltProducts.path("storage-writer"), ["hold", file.folder])
        try other.waitForLine { $0 == "open" }
        let fault = try fault()

        #expect(fault.kind == .locked(by: other.pid))
        #expect(
            fault.description
                == "Another gateway (process \(other.pid)) uses \(file.path). Stop that gateway, or set "
                + "--state-dir of this gateway to another directory.")

        other.terminate(SIGKILL)
        try other.waitForExit()
        _ = try Store(file) { _ in }
    }

    @Test func `a state directory that other users can write to is rejected with the chmod command`() throws {
        try directory.makeDirectory("state")
        chmod(file.folder, 0o777)
        let fault = try fault()

        #expect(fault.description == "Other users can change \(file.folder). Run `chmod 700 \(file.folder)`.")
    }

    @Test func `a regular file in place of the state directory is rejected`() throws {
        try directory.write("", to: "state")

        #expect(try fault().description == "\(file.folder) is not a directory. Set --state-dir to a directory.")
    }

    @Test func `a symbolic link in place of the file is rejected, and its target is unchanged`() throws {
        try directory.makeDirectory("state")
        chmod(file.folder, 0o700)
        let target = try directory.write("mine", to: "target")
        symlink(target, file.path)

        #expect(throws: StorageError.self) { _ = try Store(file) { _ in } }
        #expect(try FileTree.contents(target) == Array("mine".utf8))
    }

    @Test func `a write to a full disk fails, and later writes that fit succeed`() async throws {
        let test = try StoreUnderTest(in: directory)
        try await test.addToDisk(1)
        // SQLite's own size limit simulates a full disk.
        test.store.write(size: 1) { (connection) throws(StorageError) in
            try connection.execute("PRAGMA max_page_count = 8")
        }
        let error = await #expect(throws: StorageError.self) { try await test.addToDisk(2, ballast: 100_000) }

        #expect(error?.kind == .full)
        #expect(
            error?.description == "\(test.path) cannot be written: the disk is full. Free space on the disk "
                + "(`df \(test.path)`).")
        // Existing data can still be read, and writes that fit are still performed.
        #expect(try await test.numbers() == [1])

        try await test.addToDisk(3)

        #expect(try await test.numbers() == [1, 3])
    }
}
