internal import Dialects
package import Storage

/// The conversations of one project: whose ids are whose, what is said in them now, and what is kept of them. One value
/// that all chats and requests of the project share; whoever holds it gives it the project's events in order.
package struct ConversationState: Sendable {
    /// What is known of a session beside what is kept.
    struct Known: Sendable {
        var session: Session
        var newest: Entry?
        /// Whether all that was said since the count has been heard.
        var isCounted = false
    }

    /// The questions about this project.
    package let asking: RequestBuilder
    /// What its OpenCode has to offer; nil while nobody has asked.
    package var catalogue: Catalogue?
    var known: [String: Known] = [:]
    var turns: [String: SessionTurns] = [:]
    var kept: [String: ConversationTable.Entry] = [:]
    var sessions: [ConversationID: String] = [:]
    var chosen: [String: ConversationID] = [:]
    /// Sessions that are no conversations.
    private var others: Set<String> = []
    /// The last sessions of which was told that they are gone.
    private(set) var gone: [String] = []
    private static let goneAtMost = 256
    /// Answers that have begun to wait for the end of their last message.
    var held: [Held] = []
    var changes: [KeptChange] = []
    /// What was changed while nobody could read what is written down; nil once that is known.
    var unread: Unread? = Unread()

    /// `directory`: the project's folder. What is written down of its conversations is told by ``recall(_:)``.
    package init(directory: String) { asking = RequestBuilder(directory: directory) }

    /// `directory`: the project's folder; `kept`: what is written down of its conversations.
    package init(directory: String, kept: [ConversationTable.Entry]) {
        self.init(directory: directory)
        recall(kept)
    }

    // MARK: Ids

    /// The conversation's id: the client's own where one has chosen it.
    package func id(of session: String) -> ConversationID { chosen[session] ?? ConversationID(session: session) }

    /// OpenCode's id of a conversation; nil where none is known.
    package func session(_ id: ConversationID) -> String? { sessions[id] }

    /// Finds a session among those that OpenCode has.
    func find(_ id: ConversationID, among list: [Session]) -> Session? {
        list.first { self.id(of: $0.id) == id }
    }

    /// A client has chosen this id for a session. A session that had it before is gone, though nobody has told.
    mutating func choose(_ id: ConversationID, for session: String) {
        for former in chosen.filter({ $0.value == id && $0.key != session }).keys {
            chosen[former] = nil
            change(former) { $0.chosen = nil }
        }
        chosen[session] = id
        sessions[id] = session
        change(session) { $0.chosen = id.text }
    }

    // MARK: What is known

    /// Asks what OpenCode has to offer where that is not known. One that had no model may have one by now.
    func offers() -> Plan<Bool> {
        if let catalogue, !catalogue.models.isEmpty { return .done(true) }
        let plan = catalogue == nil ? asking.catalogue() : asking.catalogue(tries: 0)
        return plan.settled { .done($0 != nil) }
    }

    /// A session as it was when it was found: what was heard since is newer.
    mutating func learn(found session: Session) {
        if let known = known[session.id]?.session, session.updatedAt < known.updatedAt { return }
        learn(session)
    }

    /// A session as OpenCode says it is now.
    mutating func learn(_ session: Session) {
        guard session.isConversation else {
            others.insert(session.id)
            return forget(session.id, isGone: false)
        }
        sessions[id(of: session.id)] = session.id
        known[session.id, default: Known(session: session)].session = session
    }

    /// A conversation's messages were counted.
    mutating func learn(_ survey: Survey, of session: String, revision: Int) {
        guard var known = known[session] else { return }
        let isRight = revision == self.revision(of: session)
        // Something was said while they were counted: the count is about right, unless a better one is known.
        guard isRight || count(of: session) == nil else { return }
        if isRight || known.newest == nil { known.newest = survey.newest }
        known.isCounted = isRight
        self.known[session] = known
        let counted = isRight ? known.session.updatedAt : nil
        keep(count: survey.count, newest: survey.newest?.time, of: session, counted: counted)
    }

    mutating func forget(_ session: String, isGone: Bool) {
        for id in [id(of: session), ConversationID(session: session)] where sessions[id] == session {
            sessions[id] = nil
        }
        known[session] = nil
        guard isGone else { return }
        turns[session] = nil
        chosen[session] = nil
        drop(session)
    }

    /// It was told that a session is gone: what was asked for before may still name it.
    mutating func noteGone(_ session: String) {
        gone.append(session)
        if gone.count > Self.goneAtMost { gone.removeFirst() }
    }

    func isConversation(_ session: String) -> Bool { !others.contains(session) }
}
