import Storage
import TestKit
import Testing

@Suite struct InstanceHistoryTests {
    private let directory: TemporaryDirectory
    private let store: Store

    init() throws {
        directory = try TemporaryDirectory()
        store = try Store(StateFile(folder: directory.path)) { Issue.record("\($0)") }
    }

    private func add(_ entry: InstanceHistory.Entry, to folder: String) async throws {
        try await store.writeToDisk(size: InstanceHistory.size(of: entry, Array(folder.utf8))) {
            (connection) throws(StorageError) in try InstanceHistory.add(entry, to: Array(folder.utf8), connection)
        }
    }

    private func entries(of folder: String) async throws -> [InstanceHistory.Entry] {
        try await store.read { (connection) throws(StorageError) in
            try InstanceHistory.entries(of: Array(folder.utf8), connection)
        }
    }

    @Test func theLast200EntriesOfAFolderAreKeptInTheirOrder() async throws {
        let (folder, other) = ("/home/vibe/demo", "/home/vibe/other")
        let entries = (1...450).map { number -> InstanceHistory.Entry in
            let actor: String? = number % 2 == 0 ? "key" : nil
            let reason: String? = number % 3 == 0 ? "Ä\n€" : nil
            return InstanceHistory.Entry(
                time: Int64(number), event: "ready", actor: actor, version: "1.2.\(number)", reason: reason)
        }
        let last = InstanceHistory.Entry(time: 451, event: "failed", reason: "why")
        try await add(InstanceHistory.Entry(time: 7, event: "stopped"), to: other)
        for entry in entries {
            store.write(size: 1) { (connection) throws(StorageError) in
                try InstanceHistory.add(entry, to: Array(folder.utf8), connection)
            }
        }
        try await add(last, to: folder)
        let kept = try await self.entries(of: folder)
        #expect(kept.count == 200)
        #expect(kept == Array(entries.suffix(199)) + [last])
        #expect(try await self.entries(of: other) == [InstanceHistory.Entry(time: 7, event: "stopped")])
        #expect(try await self.entries(of: "/home/vibe/dem").isEmpty)
    }

    @Test func theLastEntriesAreThoseOfOneHomesFolders() async throws {
        try await add(InstanceHistory.Entry(time: 1, event: "ready"), to: "/home/vibe/a")
        try await add(InstanceHistory.Entry(time: 3, event: "failed", reason: "x"), to: "/home/vibe/a")
        try await add(InstanceHistory.Entry(time: 2, event: "stopped"), to: "/home/vibe/ä%_")
        try await add(InstanceHistory.Entry(time: 4, event: "failed"), to: "/home/vibes/a")
        let found = try await store.read { (connection) throws(StorageError) in
            try InstanceHistory.lastEntries(below: Array("/home/vibe".utf8), connection)
        }
        let pairs = found.map { (String(decoding: $0.folder, as: UTF8.self), $0.entry) }
        let byFolder = Dictionary(uniqueKeysWithValues: pairs)
        #expect(
            byFolder == [
                "/home/vibe/a": InstanceHistory.Entry(time: 3, event: "failed", reason: "x"),
                "/home/vibe/ä%_": InstanceHistory.Entry(time: 2, event: "stopped"),
            ])
    }
}
