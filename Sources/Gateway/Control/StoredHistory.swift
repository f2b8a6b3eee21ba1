package import Instances
package import Logging
package import Projects
package import Storage

/// The history of one home's instances in `state.db`.
package struct StoredHistory: InstanceHistory {
    private let store: Store
    /// The path of the folder whose sub-folders are the projects, with a slash at its end.
    private let home: [UInt8]
    private let log: Logger

    /// The history of the projects directly below `home`.
    package init(_ store: Store, home: String, log: Logger) {
        self.store = store
        self.home = Array((home.hasSuffix("/") ? home : home + "/").utf8)
        self.log = log
    }

    /// Opens the file. Where that can't be, the log says why, and the gateway goes on without, until a later try succeeds.
    package static func open(_ file: StateFile, _ log: Logger) -> Result<Store, StorageError> {
        do throws(StorageError) {
            return .success(try Store(file, keepsTrying: true) { tell($0, log) })
        } catch {
            log.error("\(nothingKept): \(error)")
            return .failure(error)
        }
    }

    /// Writes it down, soon.
    package func record(_ event: InstanceEvent, of project: ProjectName) {
        let folder = home + project.bytes
        let entry = HistoryTable.Entry(
            time: event.time, event: event.kind.rawValue, actor: event.actor, version: event.version,
            reason: event.reason)
        store.write(size: HistoryTable.size(of: entry, folder)) { (connection) throws(StorageError) in
            try HistoryTable.add(entry, to: folder, connection)
        }
    }

    /// What is written down, with all that was recorded before the call.
    package func events(of project: ProjectName) async throws(InstanceHistoryError) -> [InstanceEvent] {
        let folder = home + project.bytes
        // Where nothing can be written now, there is what was written before.
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

    /// The last event of each project.
    package func lastEvents() async -> [ProjectName: InstanceEvent] {
        let home = home
        do throws(StorageError) {
            let found = try await store.read { (connection) throws(StorageError) in
                try HistoryTable.lastEntries(below: home, connection)
            }
            return found.reduce(into: [:]) { result, last in
                guard let name = ProjectName(directoryName: last.folder.dropFirst(home.count)),
                    let event = Self.event(last.entry)
                else { return }
                result[name] = event
            }
        } catch {
            log.error("What happened to instances before is not known: \(error)")
            return [:]
        }
    }

    /// Nil for a kind that only a newer gateway knows.
    private static func event(_ entry: HistoryTable.Entry) -> InstanceEvent? {
        InstanceEvent.Kind(rawValue: entry.event).map { kind in
            InstanceEvent(
                time: entry.time, kind: kind, actor: entry.actor, version: entry.version, reason: entry.reason)
        }
    }

    private static let nothingKept = "Nothing is kept over restarts, such as the history of instances"

    private static func tell(_ event: Store.Event, _ log: Logger) {
        switch event {
        case .waits(let error): log.error("\(nothingKept): \(error) It is tried again every few seconds.")
        case .opened: log.notice("The file of what is to outlast the gateway is open now")
        case .fails(let error):
            let next =
                error.kind.mayPass
                ? "It is tried again every few seconds." : "Nothing more is written until the gateway is started again."
            log.error("What is to outlast the gateway can't be written: \(error) \(next)")
        case .writesAgain: log.notice("What is to outlast the gateway is written again")
        case .lost(let count):
            log.warning("entries lost that were to outlast the gateway", LogField("count", count))
        case .refused(let error): log.error("An entry that was to outlast the gateway is lost: \(error)")
        }
    }
}
