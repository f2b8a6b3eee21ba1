// SPDX-License-Identifier: Apache-2.0

import Glibc
import Storage
import TestKit
import Testing

@Suite struct KilledWriterTests {
    private struct Verdict: Row {
        let text: String

        init(_ columns: borrowing Columns) throws(StorageError) { text = try columns.text(0) }
    }

    /// Runs writers that are killed. With `flush`, data is committed in the gateway's usual way (NORMAL). With `disk`,
    /// the caller requests that the data is on the disk (FULL). Each file has a sequence of writers, and the sequences
    /// run at the same time.
    @Test(.timeLimit(.minutes(2)), arguments: ["flush", "disk"], 0..<4)
    func `100 killed writers lose no data that was reported as committed`(_ way: String, sequence: Int) async throws {
        let directory = try TemporaryDirectory()
        let program = try BuiltProducts.path("storage-writer")
        var random = SeededGenerator(seed: UInt64(14 + sequence))
        var before: Int64 = 0
        for round in 1...25 {
            // The kill can occur at any moment: before anything was written, within a batch, during its commit, or
            // during a checkpoint.
            let life = Int.random(in: 0...20_000, using: &random)
            let process = try TestProcess(program, [way, StoreUnderTest.file(in: directory).folder, "\(life)"])
            try #require(try process.waitForExit(within: .seconds(30)) == .signalled(SIGKILL))
            let received = process.lines(of: .output)
            try #require(received.first == "open", "round \(round): \(received)")
            let known = received.last.flatMap { Int64($0) } ?? before

            let test = try StoreUnderTest(in: directory)
            let verdict = try await test.store.read { (connection) throws(StorageError) in
                try connection.rows("PRAGMA integrity_check", as: Verdict.self).map(\.text)
            }
            #expect(verdict == ["ok"], "round \(round)")
            let numbers = try await test.numbers()
            // The file contains the written numbers from the first one without gaps, including all numbers that were
            // reported as committed.
            let count = Int64(numbers.count)
            try #require(numbers.isEmpty || numbers == Array(1...count), "round \(round)")
            try #require(count >= known, "round \(round): \(known) were committed, \(count) are left")
            before = count
        }

        #expect(before > 25)
    }
}
