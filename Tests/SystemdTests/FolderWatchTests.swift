// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Systemd
import Testing

@Suite(.timeLimit(.minutes(5))) struct FolderWatchTests {
    /// A temporary directory that is watched on a separate loop.
    private final class Fixture: Sendable {
        let path: String
        let changes: AsyncStream<FolderChange>
        let actor: OnLoop
        private let thread: LoopThread
        private let report: AsyncStream<FolderChange>.Continuation

        init() async throws {
            path = FileManager.default.temporaryDirectory.appending(path: "watch-\(UUID().uuidString)").path
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            thread = try LoopThread()
            actor = OnLoop(thread.loop)
            (changes, report) = AsyncStream.makeStream(of: FolderChange.self)
        }

        func watch(_ events: FolderEvents) async throws {
            let (path, report) = (path, report)
            try await actor.retain { try $0.watchFolder(path, events) { report.yield($0) } }
        }

        /// Returns the entry of the next change as text, if the change is one of these events.
        func next(_ events: FolderEvents) async -> String? {
            for await change in changes {
                guard !change.events.isDisjoint(with: events) else { return "other events: \(change.events.rawValue)" }
                return change.entry.map { String(decoding: $0, as: UTF8.self) } ?? "(itself)"
            }
            return nil
        }

        func tearDown() async {
            await actor.dropAll()
            await thread.stop()
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    @Test func `entries that appear or disappear are reported by name`() async throws {
        let fixture = try await Fixture()
        try await fixture.watch([.appeared, .disappeared])

        #expect(mkdir("\(fixture.path)/alpha", 0o755) == 0)
        #expect(await fixture.next(.appeared) == "alpha")
        #expect(rename("\(fixture.path)/alpha", "\(fixture.path)/größe") == 0)
        #expect(await fixture.next(.disappeared) == "alpha")
        #expect(await fixture.next(.appeared) == "größe")
        #expect(chmod("\(fixture.path)/größe", 0o700) == 0)
        #expect(rmdir("\(fixture.path)/größe") == 0)
        // Changes of attributes were not requested.
        #expect(await fixture.next(.disappeared) == "größe")

        await fixture.tearDown()
    }

    @Test func `a name that is not valid UTF-8 is reported as its bytes`() async throws {
        let fixture = try await Fixture()
        try await fixture.watch(.appeared)
        let bytes = Array(fixture.path.utf8) + [UInt8(ascii: "/"), 0xFF, 0xFE, 0]

        #expect(mkdir(bytes.map { CChar(bitPattern: $0) }, 0o755) == 0)

        var iterator = fixture.changes.makeAsyncIterator()

        #expect(await iterator.next()?.entry == [0xFF, 0xFE])

        await fixture.tearDown()
    }

    @Test func `a move of the watched directory is reported even if it was not requested`() async throws {
        let fixture = try await Fixture()
        try await fixture.watch(.attributes)

        #expect(chmod(fixture.path, 0o700) == 0)
        #expect(await fixture.next(.attributes) == "(itself)")
        #expect(rename(fixture.path, fixture.path + "-moved") == 0)
        #expect(await fixture.next(.folderRemoved) == "(itself)")
        #expect(rename(fixture.path + "-moved", fixture.path) == 0)

        await fixture.tearDown()
    }

    @Test func `watching a file or a missing path is an error`() async throws {
        let fixture = try await Fixture()
        try Data().write(to: URL(filePath: fixture.path + "/file"))

        for (name, code) in [("file", ENOTDIR), ("nothing", ENOENT)] {
            let path = "\(fixture.path)/\(name)"
            let error = await #expect(throws: SystemdError.self) {
                try await fixture.actor.retain { try $0.watchFolder(path, .appeared) { _ in } }
            }
            #expect(error?.code == code)
            #expect(error?.detail == path)
        }
        await fixture.tearDown()
    }

    /// A request that follows a change of a folder sees the effect of the change.
    @Test func `a change made by a job on the loop is reported`() async throws {
        let fixture = try await Fixture()
        try await fixture.watch(.appeared)
        let order = AsyncStream.makeStream(of: String.self)
        let (path, changes) = (fixture.path, fixture.changes)
        let listener = Task {
            for await change in changes {
                order.continuation.yield(change.entry.map { String(decoding: $0, as: UTF8.self) } ?? "")
            }
        }
        // The loop's thread is blocked until both changes have occurred, so that it finds both at once.
        await fixture.actor.run { _ in _ = mkdir("\(path)/alpha", 0o755) }
        var iterator = order.stream.makeAsyncIterator()

        #expect(await iterator.next() == "alpha")

        listener.cancel()
        await fixture.tearDown()
    }
}
