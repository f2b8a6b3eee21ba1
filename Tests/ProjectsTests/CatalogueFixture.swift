// SPDX-License-Identifier: Apache-2.0

import Foundation
import Locking
import Logging
import Projects
import Systemd
import TemporaryHomes

/// A catalogue of a temporary home directory, with a separate loop.
final class CatalogueFixture: Sendable {
    let home: TemporaryHome
    let catalogue: ProjectCatalogue
    let reader: CountingReader
    let watcher: FaultyWatcher
    let repositories = CountingRepositories()
    let lines = RecordedLines()
    private let loop: SystemEventLoop
    private let ended: AsyncStream<Void>
    private let changes: AsyncStream<Void>
    private let change: AsyncStream<Void>.Continuation

    /// Opens the catalogue of a home directory that contains these folders. For `interval`, see
    /// ``ProjectCatalogue/defaultInterval``.
    init(
        projects: [String] = [], folder: String = "", followsLinks: Bool = false,
        interval: Duration = .seconds(3_600), watcherFailure: Int32? = nil
    ) async throws {
        home = try TemporaryHome()
        for project in projects { try home.makeFolder(project) }
        let path = home.path + folder
        loop = try SystemEventLoop()
        reader = CountingReader(DiskProjectReader(home: path, followsLinks: followsLinks))
        watcher = FaultyWatcher(loop, failure: watcherFailure)
        catalogue = ProjectCatalogue(
            loop: loop, home: path + "/", followsLinks: followsLinks, logger: Logger(sink: lines, level: .debug),
            interval: interval, reader: reader, watcher: watcher, repositories: repositories)
        (changes, change) = AsyncStream.makeStream(of: Void.self)
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        self.ended = ended
        let loop = loop
        Thread {
            try? loop.run()
            end.finish()
        }.start()
        await catalogue.open { [change] in change.yield() }
    }

    func tearDown() async {
        loop.stop()
        for await _ in ended {}
    }

    /// Returns the names of the projects in list order; nil if there is no list.
    func names() async -> [String]? { try? await catalogue.folders().map(\.name.string) }

    /// Waits until the condition is true, and returns the waiting time. The condition is checked after every change of
    /// the catalogue.
    func wait(until isWanted: (ProjectCatalogue) async -> Bool) async -> Duration {
        let start = ContinuousClock.now
        if await isWanted(catalogue) { return start.duration(to: .now) }
        for await _ in changes where await isWanted(catalogue) { break }
        return start.duration(to: .now)
    }

    /// Waits until the list consists of exactly these names.
    @discardableResult
    func wait(forNames names: [String]?) async -> Duration { await wait { _ in await self.names() == names } }

    /// Returns whether the log contains the phrase, now or within a minute. This polls, because the log has no
    /// notification.
    func waitForLine(_ phrase: String) async -> Bool {
        let deadline = ContinuousClock.now + .seconds(60)
        while !lines.all.contains(where: { $0.message.contains(phrase) }) {
            guard ContinuousClock.now < deadline else { return false }
            await catalogue.onLoop {}
        }
        return true
    }

    func folder(_ name: String) async -> ProjectFolder? {
        try? await catalogue.folders().first { $0.name.string == name }
    }
}

/// A project reader that counts the reads of the file system.
final class CountingReader: ProjectReader {
    private let reader: any ProjectReader
    private let counter = Locked(0)

    init(_ reader: any ProjectReader) { self.reader = reader }

    var count: Int { counter.withLock { $0 } }

    func home() throws(ProjectListingError) -> HomeFolder {
        counter.withLock { $0 += 1 }
        return try reader.home()
    }

    func names() throws(ProjectListingError) -> [ProjectName] {
        counter.withLock { $0 += 1 }
        return try reader.names()
    }

    func entry(_ name: ProjectName, in home: HomeFolder) -> ProjectEntry? {
        counter.withLock { $0 += 1 }
        return reader.entry(name, in: home)
    }
}

/// A repository reader that counts its reads.
final class CountingRepositories: RepositoryReader {
    private let reader = DiskRepositoryReader()
    private let counter = Locked(0)

    var count: Int { counter.withLock { $0 } }

    func repository(of folder: String) -> Repository? {
        counter.withLock { $0 += 1 }
        return reader.repository(of: folder)
    }
}

/// A folder watcher that can refuse watches, and that can lose events like the kernel does when its queue is full.
final class FaultyWatcher: FolderWatcher {
    private struct State {
        var failure: Int32?
        var isDeaf = false
        var handlers: [@Sendable (FolderChange) -> Void] = []
    }

    private let loop: SystemEventLoop
    private let state: Locked<State>

    init(_ loop: SystemEventLoop, failure: Int32?) {
        self.loop = loop
        state = Locked(State(failure: failure))
    }

    func setFailure(_ code: Int32?) { state.withLock { $0.failure = code } }

    /// Drops all events until the next call of ``overflow()``.
    func becomeDeaf() { state.withLock { $0.isDeaf = true } }

    /// Delivers events again, and reports lost events to every watch. Must be called on the loop.
    func overflow() {
        let handlers = state.withLock { state in
            state.isDeaf = false
            return state.handlers
        }
        for handler in handlers { handler(FolderChange(events: .overflowed, entry: nil)) }
    }

    func watchFolder(
        _ path: String, _ events: FolderEvents, handler: @escaping @Sendable (FolderChange) -> Void
    ) throws(SystemdError) -> EventSource {
        if let code = state.withLock({ $0.failure }) {
            throw SystemdError(operation: "sd_event_add_inotify", code: code, detail: path)
        }
        state.withLock { $0.handlers.append(handler) }
        return try loop.watchFolder(path, events) { [weak self] change in
            if self?.state.withLock({ $0.isDeaf }) == false { handler(change) }
        }
    }
}
