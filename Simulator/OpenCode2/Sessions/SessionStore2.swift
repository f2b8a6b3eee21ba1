// SPDX-License-Identifier: Apache-2.0

import TestKit

/// All sessions of the process in all directories. If the store uses files, the sessions include those of other
/// servers.
final class SessionStore2: Sendable {
    private let sessions = Monitor<[String: Session2]>([:])
    private let files: SessionFiles2?
    private let bus: EventBus2

    /// Creates a store.
    ///
    /// - Parameter folder: The directory that stores the sessions; nil to keep the sessions only in memory.
    init(folder: String?, bus: EventBus2) {
        files = folder.map { SessionFiles2(folder: $0) }
        self.bus = bus
    }

    /// Adds a session. Returns false if the id is in use.
    @discardableResult
    func add(_ session: Session2) -> Bool {
        sessions.withLock { sessions in
            refresh(session.id, &sessions)
            guard sessions[session.id] == nil else { return false }
            save(session, &sessions)
            return true
        }
    }

    subscript(id: String) -> Session2? {
        sessions.withLock { sessions in
            refresh(id, &sessions)
            return sessions[id]
        }
    }

    var all: [Session2] {
        sessions.withLock { sessions in
            for id in Set(files?.ids ?? []).union(sessions.keys) { refresh(id, &sessions) }
            return Array(sessions.values)
        }
    }

    /// Changes a session in place and returns its new state; nil if the session does not exist.
    ///
    /// - Parameter isProgress: Whether the change is only the progress of a turn. Progress does not change the time of
    ///   the last update.
    @discardableResult
    func update(_ id: String, isProgress: Bool = false, _ change: (inout Session2) -> Void) -> Session2? {
        sessions.withLock { sessions in
            refresh(id, &sessions)
            guard var session = sessions[id] else { return nil }
            change(&session)
            if !isProgress { session.updated = max(session.updated, Clock.milliseconds) }
            save(session, &sessions)
            return session
        }
    }

    func remove(_ id: String) -> Session2? {
        sessions.withLock { sessions in
            files?.remove(id)
            return sessions.removeValue(forKey: id)
        }
    }

    /// Saves the number of a session's next event.
    func save(_ id: String) {
        if files != nil { update(id, isProgress: true) { _ in } }
    }

    /// Marks a session as running. Returns nil if the session is already running or does not exist.
    func startExecution(_ id: String, abort: Latch = Latch("an interrupt")) -> TurnControl? {
        let control = TurnControl(abort: abort)
        return sessions.withLock { sessions in
            refresh(id, &sessions)
            guard var session = sessions[id], session.execution == nil else { return nil }
            session.execution = control
            save(session, &sessions)
            return control
        }
    }

    /// Ends the running state of a session, and applies `settle` under the same lock. A client that is notified of the
    /// end therefore finds the session idle.
    ///
    /// - Parameter parksInbox: Whether the running state ends even if the inbox contains items.
    ///
    /// - Returns: Whether the running state has ended.
    func finish(_ id: String, parksInbox: Bool, settle: (inout Session2) -> Void) -> Bool {
        sessions.withLock { sessions in
            guard var session = sessions[id] else { return true }
            if !session.inbox.isEmpty, !parksInbox { return false }
            session.execution = nil
            settle(&session)
            save(session, &sessions)
            return true
        }
    }

    /// Removes and returns the next items of the inbox. If the inbox contains steering items, the method returns all of
    /// them. If the inbox contains none and `includesQueued` is true, the method returns the first queued item.
    func dequeue(_ id: String, includesQueued: Bool) -> [InboxItem2] {
        var items: [InboxItem2] = []
        update(id, isProgress: true) { session in
            items = session.inbox.filter { $0.delivery == .steer }
            if items.isEmpty, includesQueued { items = Array(session.inbox.prefix(1)) }
            session.inbox.removeAll { item in items.contains { $0.id == item.id } }
        }
        return items
    }

    /// Replaces a message or adds it.
    func store(_ message: Session2.Message, in id: String) {
        update(id, isProgress: true) { session in
            if let index = session.messages.firstIndex(where: { $0.id == message.id }) {
                session.messages[index] = message
            } else {
                session.messages.append(message)
            }
        }
    }

    /// Waits until no turn of a session is running. Returns false if the time limit expires first.
    func waitUntilIdle(_ id: String, within limit: Duration) -> Bool {
        let idle = try? sessions.wait(for: "a session to be idle", within: limit) { sessions in
            sessions[id]?.execution == nil ? true : nil
        }
        return idle == true
    }

    /// Loads the changes that another server has made to a session. Does nothing if this server is running the session.
    private func refresh(_ id: String, _ sessions: inout [String: Session2]) {
        guard let files, sessions[id]?.execution == nil else { return }
        guard let record = files.load(id) else {
            sessions[id] = nil
            return
        }
        guard let revision = record["revision"]?.number, revision > sessions[id]?.revision ?? -1,
            let session = Session2(record: record)
        else { return }
        sessions[id] = session
        bus.resume(id, at: record["sequence"]?.number ?? 0)
    }

    private func save(_ session: Session2, _ sessions: inout [String: Session2]) {
        var session = session
        session.revision += 1
        sessions[session.id] = session
        files?.write(session.record(sequence: bus.sequence(session.id)), session.id)
    }
}
