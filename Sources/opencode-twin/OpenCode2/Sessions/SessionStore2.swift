import TestKit

/// All sessions of the process, whatever directory they belong to.
final class SessionStore2: Sendable {
    private let sessions = Monitor<[String: Session2]>([:])

    /// Adds a session; false when there is one with its id.
    @discardableResult
    func add(_ session: Session2) -> Bool {
        sessions.withLock { sessions in
            guard sessions[session.id] == nil else { return false }
            sessions[session.id] = session
            return true
        }
    }

    subscript(id: String) -> Session2? { sessions.withLock { $0[id] } }

    var all: [Session2] { sessions.withLock { Array($0.values) } }

    /// Changes a session in place and returns it as it is then; nil when there is none. What only a turn's progress
    /// changes leaves the time of its last update.
    @discardableResult
    func update(_ id: String, isProgress: Bool = false, _ change: (inout Session2) -> Void) -> Session2? {
        sessions.withLock { sessions in
            guard var session = sessions[id] else { return nil }
            change(&session)
            if !isProgress { session.updated = max(session.updated, Clock.milliseconds) }
            sessions[id] = session
            return session
        }
    }

    func remove(_ id: String) -> Session2? {
        sessions.withLock { $0.removeValue(forKey: id) }
    }

    /// Marks a session as running; nil when it is running already, or not there.
    func begin(_ id: String, abort: Latch = Latch("an interrupt")) -> TurnControl? {
        let control = TurnControl(abort: abort)
        return sessions.withLock { sessions in
            guard let session = sessions[id], session.execution == nil else { return nil }
            sessions[id]?.execution = control
            return control
        }
    }

    /// Ends the mark with what `settle` does, which nobody sees before: who is told that it has ended finds it idle.
    /// Where more is to do nothing happens, unless `parksInbox`. Whether the mark has ended.
    func finish(_ id: String, parksInbox: Bool, settle: (inout Session2) -> Void) -> Bool {
        sessions.withLock { sessions in
            guard var session = sessions[id] else { return true }
            if !session.inbox.isEmpty, !parksInbox { return false }
            session.execution = nil
            settle(&session)
            sessions[id] = session
            return true
        }
    }

    /// Takes what is next out of the inbox: all that steers, else, where nothing else is to do, the first that queues.
    func take(_ id: String, takesQueued: Bool) -> [InboxItem2] {
        var items: [InboxItem2] = []
        update(id, isProgress: true) { session in
            items = session.inbox.filter { $0.delivery == .steer }
            if items.isEmpty, takesQueued { items = Array(session.inbox.prefix(1)) }
            session.inbox.removeAll { item in items.contains { $0.id == item.id } }
        }
        return items
    }

    /// Replaces or adds a message.
    func store(_ message: Session2.Message, in id: String) {
        update(id, isProgress: true) { session in
            if let index = session.messages.firstIndex(where: { $0.id == message.id }) {
                session.messages[index] = message
            } else {
                session.messages.append(message)
            }
        }
    }

    /// Waits until no turn of a session runs; false when that took too long.
    func waitUntilIdle(_ id: String, within limit: Duration) -> Bool {
        let idle = try? sessions.wait(for: "a session to be idle", within: limit) { sessions in
            sessions[id]?.execution == nil ? true : nil
        }
        return idle == true
    }
}
