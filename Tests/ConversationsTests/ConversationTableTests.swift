// SPDX-License-Identifier: Apache-2.0

import Conversations
import TestKit
import Testing

@testable import Storage

@Suite struct ConversationTableTests {
    private static let folder = Array("/home/vibe/demo".utf8)

    private let directory: TemporaryDirectory
    private let connection: Connection

    init() throws {
        directory = try TemporaryDirectory()
        connection = try StateFile(folder: directory.path, migrations: [.conversations]).openForWriting()
    }

    /// Stores a conversation whose three numbers are `number`, and reads it again.
    private func entry(with number: Int64) throws -> ConversationTable.Entry {
        var entry = ConversationTable.Entry(session: "ses_1")
        entry.isPinned = true
        entry.count = number
        entry.newest = number
        entry.counted = number
        try ConversationTable.set(entry, in: Self.folder, connection)
        return try #require(try ConversationTable.entries(of: Self.folder, connection).first)
    }

    @Test func `valid numbers are read as they were stored`() throws {
        let entry = try entry(with: 1_795_381_944_461)

        #expect(entry.count == 1_795_381_944_461)
        #expect(entry.newest == 1_795_381_944_461)
        #expect(entry.counted == 1_795_381_944_461)
    }

    /// The gateway calculates with these numbers, so they must not overflow.
    @Test(arguments: [.max, .max / 2, (1 << 53) + 1, -(1 << 53) - 1, .min] as [Int64])
    func `invalid numbers in the file are read as unknown`(number: Int64) throws {
        let entry = try entry(with: number)

        #expect(entry.count == nil)
        #expect(entry.newest == nil)
        #expect(entry.counted == nil)
        #expect(entry.isPinned)
    }

    @Test func `a negative count is read as unknown`() throws {
        let entry = try entry(with: -1)

        #expect(entry.count == nil)
        #expect(entry.newest == -1)
    }
}
