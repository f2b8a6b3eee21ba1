// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import Testing

@testable import Storage

@Suite struct StoreTests {
    @Test func `writes are found after the store is closed and opened again`() async throws {
        let directory = try TemporaryDirectory()
        var first: StoreUnderTest? = try StoreUnderTest(in: directory)
        for number in 1...1_000 as ClosedRange<Int64> { first?.add(number) }

        #expect(first?.store.close() == true)

        first = nil
        let second = try StoreUnderTest(in: directory)

        #expect(try await second.numbers() == Array(1...1_000))
    }

    @Test(.timeLimit(.minutes(5))) func `a write without a waiting caller is committed within 100 ms`() async throws {
        let test = try StoreUnderTest()
        _ = try await test.numbers()
        var times: [Duration] = []
        // A busy machine may be late, but a commit is never earlier than the writer intends.
        for number in 1...50 as ClosedRange<Int64> where times.min() ?? .seconds(1) >= .milliseconds(100) {
            let clock = ContinuousClock()
            let start = clock.now
            test.add(number)
            while try await test.numbers().last != number {}
            times.append(clock.now - start)
        }

        #expect(try #require(times.min()) < .milliseconds(100), "\(times)")
    }

    @Test func `queued writes share one commit`() async throws {
        let test = try StoreUnderTest()
        let gate = try test.holdWriter()
        // The number that another connection reads while one of the writes is applied. A commit between the writes
        // would increase this number.
        let committed = Recorded<Int>("how many are committed")
        let path = test.path
        for number in 1...500 as ClosedRange<Int64> {
            test.store.write(size: 64) { (connection) throws(StorageError) in
                try StoreUnderTest.insert(number, connection)
                committed.append(try StoreUnderTest.numbers(try Connection(path, for: .reading)).count)
            }
        }
        gate.open()
        try await test.store.flush()

        #expect(try await test.numbers().count == 500)
        #expect(committed.values == [Int](repeating: 0, count: 500))
    }

    @Test func `only a write that waits for the disk uses PRAGMA synchronous=FULL`() async throws {
        let test = try StoreUnderTest()
        let levels = Recorded<Int64>("a level")
        let query: @Sendable (Connection) throws(StorageError) -> Void = { (connection) throws(StorageError) in
            let level = try connection.rows("PRAGMA synchronous", as: StoreUnderTest.Number.self)
            levels.append(level.first?.value ?? -1)
        }
        try await test.store.writeToDisk(size: 1, query)
        test.store.write(size: 1, query)
        try levels.wait("both", within: .seconds(20)) { $0.count == 2 }

        // SQLite reports FULL as 2 and NORMAL as 1.
        #expect(levels.values == [2, 1])
    }

    @Test func `a rejected write does not affect other writes`() async throws {
        let test = try StoreUnderTest()
        test.add(1)
        test.add(1)
        try await test.addToDisk(2)

        #expect(try await test.numbers() == [1, 2])

        guard case .refused(let error)? = test.events.values.first else {
            Issue.record("\(test.events.values)")
            return
        }

        #expect(error.kind == .refused)
        #expect(error.description.contains("UNIQUE constraint failed: number.value"))

        let failure = await #expect(throws: StorageError.self) { try await test.addToDisk(2) }

        #expect(failure?.kind == .refused)
        #expect(try await test.numbers() == [1, 2])
    }

    @Test func `writes beyond the queue's limit are rejected and counted as lost`() async throws {
        let test = try StoreUnderTest(limit: 1_000)
        let gate = try test.holdWriter(size: 100)
        for number in 1...20 as ClosedRange<Int64> { test.add(number, size: 100) }
        let failure = await #expect(throws: StorageError.self) { try await test.addToDisk(21, ballast: 936) }

        #expect(failure?.kind == .overflow)

        gate.open()
        try test.events.wait("the count", within: .seconds(20)) { $0 == [.lost(12)] }
        // The disk has space again.
        try await test.addToDisk(30)

        #expect(try await test.numbers() == Array(1...9) + [30])
    }

    @Test func `closing commits queued writes, and later writes and queries are rejected`() async throws {
        let test = try StoreUnderTest()
        test.add(1)

        #expect(test.store.close())

        let failure = await #expect(throws: StorageError.self) { try await test.addToDisk(2) }

        #expect(failure?.kind == .closed)

        let reading = await #expect(throws: StorageError.self) { try await test.numbers() }

        #expect(reading?.kind == .closed)
        // No companion file remains for another process to clean up.
        #expect(access(test.path + "-wal", F_OK) != 0)

        let next = try StoreUnderTest(in: test.directory)

        #expect(try await next.numbers() == [1])
    }

    @Test func `only their owner can access the state directory and its files`() async throws {
        let test = try StoreUnderTest()
        try await test.addToDisk(1)
        _ = try await test.numbers()

        #expect(try mode(of: "\(test.directory.path)/state") == 0o700)

        for suffix in ["", "-wal", "-shm", ".lock"] { #expect(try mode(of: test.path + suffix) == 0o600, "\(suffix)") }
    }

    @Test func `a file that others can read is made private when it is opened`() async throws {
        let directory = try TemporaryDirectory()
        var test: StoreUnderTest? = try StoreUnderTest(in: directory)
        try await test?.addToDisk(1)
        let path = try #require(test?.path)
        test = nil
        chmod(path, 0o644)

        let next = try StoreUnderTest(in: directory)
        try await next.addToDisk(2)

        for suffix in ["", "-wal", "-shm"] { #expect(try mode(of: path + suffix) == 0o600, "\(suffix)") }
    }

    @Test func `each type of value is read as it was written, and a wrong type is an error`() async throws {
        struct Kinds: Row, Equatable {
            let text: String
            let bytes: [UInt8]
            let number: Int64
            let missing: String?
            let none: Int64?

            init(_ columns: borrowing Columns) throws(StorageError) {
                text = try columns.text(0)
                bytes = try columns.bytes(1)
                number = try columns.integer(2)
                missing = try columns.optionalText(3)
                none = try columns.optionalInteger(4)
            }
        }
        let test = try StoreUnderTest()
        for text in ["", "a\u{0}b", "Ä €\u{1F600}\n'\"; --"] {
            let bytes = Array(text.utf8) + (text.isEmpty ? [] : [0xFF, 0x00])
            let found = try await test.store.read { (connection) throws(StorageError) in
                try connection.rows(
                    "SELECT ?1, ?2, ?3, ?4, ?5", .text(text), .bytes(bytes), .integer(.min), Value(String?.none),
                    Value(Int64?.none), as: Kinds.self)
            }
            #expect(found.first?.text == text)
            #expect(found.first?.bytes == bytes)
            #expect(found.first?.number == .min)
            #expect(found.first?.missing == nil)
            #expect(found.first?.none == nil)
        }
        let failure = await #expect(throws: StorageError.self) {
            try await test.store.read { (connection) throws(StorageError) in
                _ = try connection.rows("SELECT 'text'", as: StoreUnderTest.Number.self)
            }
        }

        #expect(failure?.kind == .damaged)
    }
}
