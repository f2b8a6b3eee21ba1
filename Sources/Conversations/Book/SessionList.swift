internal import Dialects

/// All conversations as OpenCode listed them. What comes between the question and its answer's being learned, counting
/// for example, may take long: what was made meanwhile is missing in it, what was deleted meanwhile still stands in it.
package struct SessionList: Sendable {
    /// As they were then.
    let sessions: [Session]
    /// OpenCode's ids of those that were known when it was asked for.
    let known: Set<String>
}

extension ConversationBook {
    /// Asks for all conversations.
    func listing() -> Plan<SessionList> {
        let before = Set(known.keys)
        return asking.sessions().then { .done(SessionList(sessions: $0, known: before)) }
    }

    /// What a list says beyond what is known.
    mutating func learn(_ list: SessionList) {
        let listed = Set(list.sessions.map(\.id))
        for id in list.known.subtracting(listed) where known[id] != nil { forget(id, isGone: true) }
        let gone = Set(gone)
        for session in list.sessions where known[session.id] != nil || !list.known.contains(session.id) {
            if !gone.contains(session.id) { learn(found: session) }
        }
    }
}
