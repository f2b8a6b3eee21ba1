// SPDX-License-Identifier: Apache-2.0

import OpenCodeFamilies
import Testing

@Suite struct SessionDirectoriesTests {
    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test func `the latest information about a session replaces the earlier one`() {
        var table = SessionDirectories()

        #expect(table[bytes("ses_1")] == nil)

        table.record(bytes("ses_1"), bytes("/a"))

        #expect(table[bytes("ses_1")] == .directory(bytes("/a")))

        table.record(bytes("ses_1"), bytes("/b"))

        #expect(table[bytes("ses_1")] == .directory(bytes("/b")))

        table.recordMissing(bytes("ses_2"))

        #expect(table[bytes("ses_2")] == .nowhere)

        // The session was created later.
        table.record(bytes("ses_2"), bytes("/a"))

        #expect(table[bytes("ses_2")] == .directory(bytes("/a")))
        #expect(table.count == 2)
    }

    @Test func `an invalid session id or an empty directory is not stored`() {
        var table = SessionDirectories()
        for id in ["", "ses 1", "ses/1", "../x", "ses_1?", String(repeating: "a", count: 129)] {
            table.record(bytes(id), bytes("/a"))
        }
        table.record(bytes("ses_1"), [])

        #expect(table.count == 0)
    }

    @Test func `the table stays within its capacity and keeps the most recently named sessions`() {
        var table = SessionDirectories(capacity: 1_000)
        for number in 0..<10_000 {
            table.record(bytes("ses_\(number)"), bytes("/d\(number % 3_000)"))
            // A session that is named repeatedly is not removed.
            table.record(bytes("ses_0"), bytes("/d0"))
            #expect(table.count <= 1_000)
        }

        #expect(table[bytes("ses_0")] == .directory(bytes("/d0")))

        for number in 9_501..<10_000 { #expect(table[bytes("ses_\(number)")] != nil, "\(number)") }

        #expect(table[bytes("ses_8000")] == nil)
        #expect(SessionDirectories.capacity == 100_000)
    }
}
