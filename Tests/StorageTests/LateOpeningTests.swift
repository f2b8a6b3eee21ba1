// SPDX-License-Identifier: Apache-2.0

import Glibc
import Storage
import TestKit
import Testing

/// Tests a file that cannot be opened at first, for a temporary reason.
@Suite struct LateOpeningTests {
    private let directory: TemporaryDirectory
    private let events = Recorded<Store.Event>("an event of the store")
    private var file: StateFile { StoreUnderTest.file(in: directory) }

    init() throws { directory = try TemporaryDirectory() }

    private func open() throws -> Store {
        let events = events
        return try Store(file, pause: .milliseconds(10), keepsTrying: true) { events.append($0) }
    }

    private func add(_ number: Int64, to store: Store) {
        store.write(size: 64) { (connection) throws(StorageError) in
            try StoreUnderTest.insert(number, connection)
        }
    }

    private func numbers(_ store: Store) async throws -> [Int64] {
        try await store.read { (connection) throws(StorageError) in try StoreUnderTest.numbers(connection) }
    }

    @Test func `a store opens once the other gateway has ended`() async throws {
        let other = try TestProcess(try BuiltProducts.path("storage-writer"), ["hold", file.folder])
        try other.waitForLine { $0 == "open" }
        let store = try open()
        // The existing data belongs to the other process.
        let reading = await #expect(throws: StorageError.self) { try await numbers(store) }

        #expect(reading?.kind == .locked(by: other.pid))

        let flushing = await #expect(throws: StorageError.self) { try await store.flush() }

        #expect(flushing == reading)

        add(1, to: store)
        other.terminate(SIGKILL)
        try other.waitForExit()
        try events.wait("the opening", within: .seconds(20)) { $0.contains(.opened) }
        try await store.flush()

        #expect(try await numbers(store) == [1])
        #expect(try events.values == [.waits(#require(reading)), .opened])
    }

    @Test func `a store opens once the mode of its directory is fixed`() async throws {
        try directory.makeDirectory("state")
        chmod(file.folder, 0o777)
        let store = try open()
        add(1, to: store)
        chmod(file.folder, 0o700)
        try events.wait("the opening", within: .seconds(20)) { $0.contains(.opened) }
        try await store.flush()

        #expect(try await numbers(store) == [1])
    }

    @Test func `a store that never opens counts its queued writes as lost`() throws {
        try directory.makeDirectory("state")
        chmod(file.folder, 0o777)
        let store = try open()
        add(1, to: store)
        add(2, to: store)

        #expect(store.close())
        #expect(events.values.last == .lost(2))
    }

    @Test func `a damaged file is an immediate error even for a store that retries`() throws {
        try directory.write(String(repeating: "no database ", count: 500), to: "state/state.db", mode: 0o600)
        chmod(file.folder, 0o700)
        let error = #expect(throws: StorageError.self) { _ = try open() }

        #expect(error?.kind == .damaged)
        #expect(events.values == [])
    }
}
