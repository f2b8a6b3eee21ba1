// SPDX-License-Identifier: Apache-2.0

package import Addresses
package import Audit
import Encodings
import EventLoop
import GatewayCore
import Locking
package import Logging
package import Storage

/// The service that writes the audit log and returns its entries.
///
/// A caller that records an entry never waits: the entry waits in the bounded queue of the database's writer. If the queue
/// is full, or if the database cannot be written, the service counts the entry as lost. The log and the audit log itself
/// report the number.
package final class AuditService: Sendable {
    /// A closure that calls its argument after a delay.
    package typealias Delay = @Sendable (Duration, @escaping @Sendable () -> Void) -> Void

    private struct State {
        /// The refusals of clients without a valid key.
        var refusals = RefusalLimiter()
        /// The refusals of clients with a valid key.
        var keyRefusals = RefusalLimiter()
        var unknownActions = RefusalLimiter()
        /// Whether a call of ``reportOmissions()`` is pending.
        var awaitsReport = false
    }

    /// The time after which the numbers of omitted entries are reported.
    private static let gathering = Duration.seconds(60)
    /// The interval at which entries are removed although none is added.
    private static let pruneInterval = Duration.seconds(3_600)

    private let store: Result<Store, StorageError>
    private let losses = LostEntries()
    private let state = Locked(State())
    private let limits: Locked<AuditLimits>
    private let log: Logger
    private let delay: Delay

    /// Opens the database. If the database cannot be opened, logs the reason and counts all entries as lost. After a
    /// temporary failure, the service repeats the attempt.
    ///
    /// - Parameters:
    ///   - file: The database (`StateFile.audit(in:)`).
    ///   - queueLimit: The maximum size of the waiting entries in bytes.
    ///   - delay: Calls a function after a delay.
    package init(
        _ file: StateFile, limits: AuditLimits, queueLimit: Int = Store.defaultLimit, log: Logger,
        delay: @escaping Delay
    ) {
        let losses = losses
        self.limits = Locked(limits)
        self.log = log
        self.delay = delay
        do throws(StorageError) {
            store = .success(
                try Store(file, limit: queueLimit, keepsTrying: true) { event in
                    if case .lost(let count) = event { losses.add(count) }
                    if case .refused = event { losses.add(1) }
                    Self.report(event, log)
                })
        } catch {
            log.error(Self.notRecorded, LogField("reason", "\(error)"), LogField("retry", "at_restart"))
            store = .failure(error)
        }
    }

    /// Creates a service for a database that is already open.
    ///
    /// - Parameter store: The database, which must have the tables of the audit log.
    package init(_ store: Store, limits: AuditLimits, log: Logger, delay: @escaping Delay) {
        self.store = .success(store)
        self.limits = Locked(limits)
        self.log = log
        self.delay = delay
    }

    // MARK: Recording

    /// The time in milliseconds since 1970.
    private var now: Int64 { WallClock.milliseconds }

    private func write(_ entry: AuditEntry) {
        guard case .success(let store) = store else { return losses.add(1) }
        let limits = limits.withLock { $0 }
        let now = now
        store.write(size: AuditTable.size(of: entry)) { (connection) throws(StorageError) in
            try AuditTable.add(entry, limits, at: now, connection)
        }
    }

    /// Adds an entry with the number of lost entries, if there are any that no entry has reported.
    private func reportLosses() {
        let count = losses.takeUnreported()
        if count > 0 { write(AuditEntry(time: now, .omitted, count: count)) }
    }

    private func reportOmissions() {
        let (refusals, unknownActions) = state.withLock { state in
            state.awaitsReport = false
            return (state.refusals.takeOmitted() + state.keyRefusals.takeOmitted(), state.unknownActions.takeOmitted())
        }
        if refusals > 0 {
            log.warning("entries about refused requests omitted from the audit log", LogField("count", refusals))
            write(AuditEntry(time: now, .refusalsOmitted, count: refusals))
        }
        if unknownActions > 0 { write(AuditEntry(time: now, .omitted, count: unknownActions)) }
    }

    // MARK: Limits

    /// Removes the entries that exceed the limits, now and regularly. Call this method once.
    package func keepLimits() {
        prune()
        delay(Self.pruneInterval) { [weak self] in self?.keepLimits() }
    }

    private func prune() {
        guard case .success(let store) = store else { return }
        let limits = limits.withLock { $0 }
        let now = now
        store.write(size: 0) { (connection) throws(StorageError) in
            try AuditTable.prune(limits, at: now, connection)
        }
    }

    /// Sets the time for which entries are kept.
    package func follow(keep time: Duration) {
        limits.withLock { $0.time = time }
        prune()
    }

    /// Writes the waiting entries and closes the database.
    package func close() {
        reportOmissions()
        reportLosses()
        if case .success(let store) = store { store.close() }
    }

    // MARK: Reading

    /// Returns the entries that a query selects, including all entries that were recorded before the call.
    package func page(_ query: AuditQuery) async throws(StorageError) -> AuditPage {
        let store = try store.get()
        // If the database cannot be written, it may still be readable, so ignore the error.
        try? await store.flush()
        let entries = try await store.read { (connection) throws(StorageError) in
            try AuditTable.entries(query, connection)
        }
        return AuditPage(entries, of: query, lost: losses.total)
    }

    // MARK: The log

    private static let notRecorded = "cannot open the audit log, so actions are not recorded"

    private static func report(_ event: Store.Event, _ log: Logger) {
        switch event {
        case .waits(let error):
            log.error(notRecorded, LogField("reason", "\(error)"), LogField("retry", "periodic"))
        case .opened: log.notice("the audit log is open")
        case .fails(let error):
            log.error(
                "cannot write the audit log", LogField("reason", "\(error)"),
                LogField("retry", error.kind.mayPass ? "periodic" : "at_restart"))
        case .writesAgain: log.notice("the audit log can be written again")
        case .lost(let count): log.warning("entries of the audit log were lost", LogField("count", count))
        case .refused(let error): log.error("an entry of the audit log was lost", LogField("reason", "\(error)"))
        }
    }
}

extension AuditService: RequestRecorder {
    /// Adds an entry without waiting.
    package func record(_ entry: AuditEntry) {
        reportLosses()
        write(entry)
    }

    /// Returns whether to record the refusal of a request of this client. Otherwise, counts the refusal as omitted. The
    /// numbers are reported a minute later.
    package func admitsRefusal(of client: IPAddress?, isOfKey: Bool) -> Bool {
        let time = Self.time
        return admits { isOfKey ? $0.keyRefusals.admits(client, at: time) : $0.refusals.admits(client, at: time) }
    }

    /// Returns whether to record a request of this client for an unknown route. Otherwise, counts the request as omitted.
    package func admitsUnknownAction(of client: IPAddress?) -> Bool {
        let time = Self.time
        return admits { $0.unknownActions.admits(client, at: time) }
    }

    private static var time: Duration { .nanoseconds(MonotonicTime.now.nanoseconds) }

    /// Asks a limiter whether to record an entry. If it is omitted, makes sure that the number is reported.
    private func admits(_ ask: (inout State) -> Bool) -> Bool {
        let (isAdmitted, isFirst) = state.withLock { state in
            guard !ask(&state) else { return (true, false) }
            defer { state.awaitsReport = true }
            return (false, !state.awaitsReport)
        }
        if isFirst { delay(Self.gathering) { [weak self] in self?.reportOmissions() } }
        return isAdmitted
    }
}

/// The numbers of entries that are missing in the audit log because they could not be written.
private final class LostEntries: Sendable {
    private let counts = Locked((total: 0, unreported: 0))

    /// The number of all lost entries.
    var total: Int { counts.withLock { $0.total } }

    func add(_ count: Int) {
        counts.withLock { counts in
            counts.total += count
            counts.unreported += count
        }
    }

    /// Returns the number of lost entries since the last call.
    func takeUnreported() -> Int {
        counts.withLock { counts in
            defer { counts.unreported = 0 }
            return counts.unreported
        }
    }
}
