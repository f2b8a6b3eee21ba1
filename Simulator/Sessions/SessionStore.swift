// SPDX-License-Identifier: Apache-2.0

import TestKit

/// All sessions and terminals of the process in all directories.
final class SessionStore: Sendable {
    /// The requests for which turns wait.
    let pending = PendingRequests()
    private let sessions = Monitor<[String: Session]>([:])
    private let terminals = Monitor<[(id: String, info: JSON)]>([])
    private let hasOpened = Monitor(false)

    /// Whether a request about a directory has arrived.
    var isOpen: Bool { hasOpened.withLock { $0 } }

    /// Records that a request about a directory has arrived.
    func open() { hasOpened.withLock { $0 = true } }

    func add(_ session: Session) {
        sessions.withLock { $0[session.id] = session }
    }

    subscript(id: String) -> Session? { sessions.withLock { $0[id] } }

    /// Returns one directory's sessions, beginning with the session that was changed or created last.
    func list(directory: String, byCreation: Bool) -> [Session] {
        let own = sessions.withLock { Array($0.values) }.filter { $0.directory == directory }
        // A session's id sorts before the ids of older sessions, so ascending order puts the newest session first.
        if byCreation { return own.sorted { $0.id < $1.id } }
        return
            own
            .sorted { ($0.updated, $0.created, $1.id) > ($1.updated, $1.created, $0.id) }
    }

    func children(of id: String) -> [Session] {
        sessions.withLock { Array($0.values) }.filter { $0.parentID == id }.sorted { $0.created < $1.created }
    }

    /// The sessions that have a running turn.
    var busy: [Session] {
        sessions.withLock { $0.values.filter { $0.runningTurn != nil } }.sorted { $0.id < $1.id }
    }

    /// Changes a session in place and returns its new state; nil if the session does not exist.
    @discardableResult
    func update(_ id: String, _ change: (inout Session) -> Void) -> Session? {
        sessions.withLock { sessions in
            guard var session = sessions[id] else { return nil }
            change(&session)
            session.updated = max(session.updated, Clock.milliseconds)
            sessions[id] = session
            return session
        }
    }

    func remove(_ id: String) -> Session? {
        sessions.withLock { $0.removeValue(forKey: id) }
    }

    /// Waits until the turn of a queued prompt can begin, and marks the turn as running. Returns nil if the prompt was
    /// dropped from the queue.
    func claim(_ id: String, prompt: String, with turn: TurnControl) -> Session? {
        try? sessions.wait(for: "the earlier turns to end", within: .seconds(86_400)) { sessions -> Session?? in
            guard let session = sessions[id], session.queued.contains(prompt) else { return .some(nil) }
            if session.runningTurn != nil || session.ending != nil || session.queued.first != prompt { return nil }
            sessions[id]?.queued.removeFirst()
            sessions[id]?.runningTurn = turn
            return .some(session)
        }
    }

    /// Marks the session as idle while the loop of its turn is still ending.
    func beginEnding(_ id: String) {
        update(id) {
            $0.runningTurn = nil
            $0.ending = .losesPrompts
            $0.queued = []
        }
    }

    /// Drops the prompts that arrived while the loop ended. Later prompts receive an answer.
    func losePrompts(_ id: String) {
        update(id) {
            $0.ending = .publishes
            $0.queued = []
        }
    }

    /// Marks the session's turn as ended.
    func release(_ id: String) {
        sessions.withLock { sessions in
            sessions[id]?.runningTurn = nil
            sessions[id]?.ending = nil
        }
    }

    /// Replaces a message or adds it.
    func store(_ message: Message, in id: String) {
        update(id) { session in
            if let index = session.messages.firstIndex(where: { $0.id == message.id }) {
                session.messages[index] = message
            } else {
                session.messages.append(message)
            }
        }
    }

    /// Replaces an answer's parts, which OpenCode stores separately from the message's info.
    func storeParts(of answer: AssistantMessage) {
        sessions.withLock { sessions in
            guard let messages = sessions[answer.sessionID]?.messages,
                let index = messages.lastIndex(where: { $0.id == answer.id }),
                case .assistant(var stored) = messages[index]
            else { return }
            stored.parts = answer.parts
            sessions[answer.sessionID]?.messages[index] = .assistant(stored)
        }
    }

    func addTerminal(_ id: String, _ info: JSON) {
        terminals.withLock { $0.append((id, info)) }
    }

    func terminal(_ id: String) -> JSON? {
        terminals.withLock { $0.first { $0.id == id }?.info }
    }

    var allTerminals: [JSON] { terminals.withLock { $0.map(\.info) } }

    /// Removes a terminal. Returns whether the terminal existed.
    func removeTerminal(_ id: String) -> Bool {
        terminals.withLock { terminals in
            let before = terminals.count
            terminals.removeAll { $0.id == id }
            return terminals.count < before
        }
    }
}
