// SPDX-License-Identifier: Apache-2.0

import Instances
import Storage
import TestKit
import Testing

@Suite struct HistoryTableTests {
    private let directory: TemporaryDirectory
    private let store: Store

    init() throws {
        directory = try TemporaryDirectory()
        store = try Store(StateFile(folder: directory.path, migrations: [.instanceHistory])) { Issue.record("\($0)") }
    }

    private func add(_ entry: HistoryTable.Entry, to folder: String) async throws {
        try await store.writeToDisk(size: HistoryTable.size(of: entry, Array(folder.utf8))) {
            (connection) throws(StorageError) in try HistoryTable.add(entry, to: Array(folder.utf8), connection)
        }
    }

    private func entries(of folder: String) async throws -> [HistoryTable.Entry] {
        try await store.read { (connection) throws(StorageError) in
            try HistoryTable.entries(of: Array(folder.utf8), connection)
        }
    }

    @Test func `the last 200 entries of a project folder are kept in order`() async throws {
        let (folder, other) = ("/home/vibe/demo", "/home/vibe/other")
        let entries = (1...450).map { number -> HistoryTable.Entry in
            let actor: String? = number % 2 == 0 ? "key" : nil
            let reason: String? = number % 3 == 0 ? "Ä\n€" : nil
            return HistoryTable.Entry(
                time: Int64(number), event: "ready", actor: actor, version: "1.2.\(number)", reason: reason)
        }
        let last = HistoryTable.Entry(time: 451, event: "failed", reason: "why")
        try await add(HistoryTable.Entry(time: 7, event: "stopped"), to: other)
        for entry in entries {
            store.write(size: 1) { (connection) throws(StorageError) in
                try HistoryTable.add(entry, to: Array(folder.utf8), connection)
            }
        }
        try await add(last, to: folder)
        let kept = try await self.entries(of: folder)

        #expect(kept.count == 200)
        #expect(kept == Array(entries.suffix(199)) + [last])
        #expect(try await self.entries(of: other) == [HistoryTable.Entry(time: 7, event: "stopped")])
        #expect(try await self.entries(of: "/home/vibe/dem").isEmpty)
    }

    @Test func `the last entry before a time is found for each project folder of one home directory`() async throws {
        try await add(HistoryTable.Entry(time: 1, event: "ready"), to: "/home/vibe/a")
        try await add(HistoryTable.Entry(time: 3, event: "failed", reason: "x"), to: "/home/vibe/a")
        try await add(HistoryTable.Entry(time: 2, event: "stopped"), to: "/home/vibe/ä%_")
        try await add(HistoryTable.Entry(time: 4, event: "failed"), to: "/home/vibes/a")
        let found = try await store.read { (connection) throws(StorageError) in
            try HistoryTable.lastEntries(below: Array("/home/vibe".utf8), before: .max, connection)
        }
        let pairs = found.map { (String(decoding: $0.folder, as: UTF8.self), $0.entry) }
        let byFolder = Dictionary(uniqueKeysWithValues: pairs)

        #expect(
            byFolder == [
                "/home/vibe/a": HistoryTable.Entry(time: 3, event: "failed", reason: "x"),
                "/home/vibe/ä%_": HistoryTable.Entry(time: 2, event: "stopped"),
            ])

        let earlier = try await store.read { (connection) throws(StorageError) in
            try HistoryTable.lastEntries(below: Array("/home/vibe".utf8), before: 2, connection)
        }

        #expect(earlier.map(\.entry) == [HistoryTable.Entry(time: 1, event: "ready")])
    }
}
