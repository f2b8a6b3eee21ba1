// SPDX-License-Identifier: Apache-2.0

package import Logging
package import Projects
package import Storage

/// The history of the instances in one home directory, which is stored in `state.db`.
package struct StoredHistory: InstanceHistory {
    private let store: Store
    /// The path of the home directory, with a trailing slash.
    private let home: [UInt8]
    private let log: Logger

    /// Creates the history of the projects directly below `home`.
    package init(_ store: Store, home: String, log: Logger) {
        self.store = store
        self.home = Array((home.hasSuffix("/") ? home : home + "/").utf8)
        self.log = log
    }

    /// Opens the file. If the file cannot be opened, logs the reason, and the gateway works without the file. The store
    /// repeats the attempt after a temporary failure.
    package static func open(_ file: StateFile, _ log: Logger) -> Result<Store, StorageError> {
        do throws(StorageError) {
            return .success(try Store(file, keepsTrying: true) { report($0, log) })
        } catch {
            log.error(nothingKept, LogField("reason", "\(error)"), LogField("retry", "at_restart"))
            return .failure(error)
        }
    }

    /// Writes the event to the store asynchronously.
    package func record(_ event: InstanceEvent, of project: ProjectName) {
        let folder = home + project.bytes
        let entry = HistoryTable.Entry(
            time: event.time, event: event.kind.rawValue, actor: event.actor, version: event.version,
            reason: event.reason)
        store.write(size: HistoryTable.size(of: entry, folder)) { (connection) throws(StorageError) in
            try HistoryTable.add(entry, to: folder, connection)
        }
    }

    /// Returns a project's events, including all events that were recorded before the call.
    package func events(of project: ProjectName) async throws(InstanceHistoryError) -> [InstanceEvent] {
        let folder = home + project.bytes
        // If the file cannot be written, it may still be readable, so ignore the error.
        try? await store.flush()
        do throws(StorageError) {
            let entries = try await store.read { (connection) throws(StorageError) in
                try HistoryTable.entries(of: folder, connection)
            }
            return entries.compactMap(Self.event)
        } catch {
            throw InstanceHistoryError(error.description)
        }
    }

    /// Returns whether the file is open. If the file is not open, calls `body` as soon as the file is open.
    package func isOpen(orElse body: @escaping @Sendable () -> Void) -> Bool { store.isOpen(orElse: body) }

    /// Returns the last event of each project before this time.
    package func lastEvents(before time: Int64) async -> [ProjectName: InstanceEvent] {
        let home = home
        do throws(StorageError) {
            let found = try await store.read { (connection) throws(StorageError) in
                try HistoryTable.lastEntries(below: home, before: time, connection)
            }
            return found.reduce(into: [:]) { result, last in
                guard let name = ProjectName(directoryName: last.folder.dropFirst(home.count)),
                    let event = Self.event(last.entry)
                else { return }
                result[name] = event
            }
        } catch {
            log.error("cannot read the history of instances before this start", LogField("reason", "\(error)"))
            return [:]
        }
    }

    /// Returns the event of a stored entry. Returns nil if the entry is of a kind that only newer gateways know.
    private static func event(_ entry: HistoryTable.Entry) -> InstanceEvent? {
        InstanceEvent.Kind(rawValue: entry.event).map { kind in
            InstanceEvent(
                time: entry.time, kind: kind, actor: entry.actor, version: entry.version, reason: entry.reason)
        }
    }

    private static let nothingKept =
        "cannot open the state file, so history is not kept and events are kept in memory"

    private static func report(_ event: Store.Event, _ log: Logger) {
        switch event {
        case .waits(let error):
            log.error(nothingKept, LogField("reason", "\(error)"), LogField("retry", "periodic"))
        case .opened: log.notice("the state file is open, so the history of instances survives restarts")
        case .fails(let error):
            log.error(
                "cannot write the state file", LogField("reason", "\(error)"),
                LogField("retry", error.kind.mayPass ? "periodic" : "at_restart"))
        case .writesAgain: log.notice("the state file can be written again")
        case .lost(let count): log.warning("entries of the state file were lost", LogField("count", count))
        case .refused(let error):
            log.error("an entry of the state file was lost", LogField("reason", "\(error)"))
        }
    }
}
