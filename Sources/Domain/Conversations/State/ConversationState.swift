// SPDX-License-Identifier: Apache-2.0

internal import Dialects
import Storage

/// The conversations of one project, with their ids, current answers and stored properties. All chats and requests of
/// the project share one value. The owner of the value passes the project's events to it in order.
package struct ConversationState: Sendable {
    /// The properties of a session that are not stored.
    struct Known: Sendable {
        var session: Session
        var newest: Entry?
        /// Whether all messages since the count were received as events.
        var isCounted = false
    }

    /// The request builder of this project.
    package let requestBuilder: RequestBuilder
    /// The models, tools and servers of the project's OpenCode; nil until the first request for them.
    package var catalogue: Catalogue?
    var known: [String: Known] = [:]
    var turns: [String: SessionTurns] = [:]
    var kept: [String: ConversationTable.Entry] = [:]
    var sessions: [ConversationID: String] = [:]
    var chosen: [String: ConversationID] = [:]
    /// Sessions that are not conversations.
    private var others: Set<String> = []
    /// The sessions whose deletion was emitted most recently.
    private(set) var deletedSessions: [String] = []
    private static let mostDeletedSessions = 256
    /// The answers that have begun to wait for the end of their last message.
    var pendingEnds: [PendingEnd] = []
    var changes: [KeptChange] = []
    /// The changes that were made before the stored entries were read; nil afterwards.
    var unread: Unread? = Unread()

    /// Creates the state of a project without its stored entries, which ``recall(_:)`` adds later.
    ///
    /// - Parameter directory: The project's directory.
    package init(directory: String) { requestBuilder = RequestBuilder(directory: directory) }

    /// Creates the state of a project.
    ///
    /// - Parameters:
    ///   - directory: The project's directory.
    ///   - kept: The stored entries of its conversations.
    package init(directory: String, kept: [ConversationTable.Entry]) {
        self.init(directory: directory)
        recall(kept)
    }

    // MARK: Ids

    /// Returns the id of a conversation: the id that a client chose, if any.
    package func id(of session: String) -> ConversationID { chosen[session] ?? ConversationID(session: session) }

    /// Returns OpenCode's id of a conversation; nil if it is unknown.
    package func session(_ id: ConversationID) -> String? { sessions[id] }

    /// Assigns an id that a client has chosen to a session. A session that had this id before no longer exists,
    /// although no event has reported its deletion.
    mutating func choose(_ id: ConversationID, for session: String) {
        for former in chosen.filter({ $0.value == id && $0.key != session }).keys {
            chosen[former] = nil
            change(former) { $0.chosen = nil }
        }
        chosen[session] = id
        sessions[id] = session
        change(session) { $0.chosen = id.text }
    }

    // MARK: Known sessions

    /// Returns the session of a conversation; nil if the conversation is unknown.
    func knownSession(_ id: ConversationID) -> Session? { session(id).flatMap { known[$0]?.session } }

    /// Applies the state that a session had when it was found. Newer events take precedence.
    mutating func apply(found session: Session) {
        if let known = known[session.id]?.session, session.updatedAt < known.updatedAt { return }
        apply(session)
    }

    /// Applies the current state of a session according to OpenCode.
    mutating func apply(_ session: Session) {
        guard session.isConversation else {
            others.insert(session.id)
            return forget(session.id, isDeleted: false)
        }
        sessions[id(of: session.id)] = session.id
        known[session.id, default: Known(session: session)].session = session
    }

    /// Applies the count of a conversation's messages.
    mutating func apply(_ survey: Survey, of session: String, revision: Int) {
        guard var known = known[session] else { return }
        let isRight = revision == self.revision(of: session)
        // If a message arrived during the count, the count is approximate. Use the approximate count only if no count
        // is known.
        guard isRight || count(of: session) == nil else { return }
        if isRight || known.newest == nil { known.newest = survey.newest }
        known.isCounted = isRight
        self.known[session] = known
        let counted = isRight ? known.session.updatedAt : nil
        keep(count: survey.count, newest: survey.newest?.time, of: session, counted: counted)
    }

    mutating func forget(_ session: String, isDeleted: Bool) {
        for id in [id(of: session), ConversationID(session: session)] where sessions[id] == session {
            sessions[id] = nil
        }
        known[session] = nil
        guard isDeleted else { return }
        turns[session] = nil
        chosen[session] = nil
        drop(session)
    }

    /// Records that the deletion of a session was emitted, because earlier requests may still return the session.
    mutating func recordDeletion(_ session: String) {
        deletedSessions.append(session)
        if deletedSessions.count > Self.mostDeletedSessions { deletedSessions.removeFirst() }
    }

    func isConversation(_ session: String) -> Bool { !others.contains(session) }
}
