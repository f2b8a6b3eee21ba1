internal import Dialects
package import Storage

/// The conversations of one project: whose ids are whose, what is said in them now, and what is kept of them. One value
/// that all chats and requests of the project share; whoever holds it gives it the project's events in order.
package struct ConversationBook: Sendable {
    /// What is known of a session beside what is kept.
    struct Known: Sendable {
        var session: Session
        var newest: Entry?
        /// Whether all that was said since the count has been heard.
        var isCounted = false
    }

    /// The questions about this project.
    package let asking: Asking
    /// What its OpenCode has to offer; nil while nobody has asked.
    package var catalogue: Catalogue?
    var known: [String: Known] = [:]
    var turns: [String: SessionTurns] = [:]
    private var kept: [String: ConversationTable.Entry] = [:]
    private var sessions: [ConversationID: String] = [:]
    private var chosen: [String: ConversationID] = [:]
    /// Sessions that are no conversations.
    private var others: Set<String> = []
    private var changes: [KeptChange] = []

    /// `directory`: the project's folder; `kept`: what is written down of its conversations.
    package init(directory: String, kept: [ConversationTable.Entry]) {
        asking = Asking(directory: directory)
        for entry in kept {
            self.kept[entry.session] = entry
            guard let id = entry.chosen.flatMap(ConversationID.init) else { continue }
            chosen[entry.session] = id
            sessions[id] = entry.session
        }
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

    /// A client has chosen this id for a session.
    mutating func choose(_ id: ConversationID, for session: String) {
        chosen[session] = id
        sessions[id] = session
        change(session) { $0.chosen = id.text }
    }

    // MARK: What is known

    /// A session as OpenCode says it is now.
    mutating func learn(_ session: Session) {
        guard session.isConversation else {
            others.insert(session.id)
            return forget(session.id, isGone: false)
        }
        sessions[id(of: session.id)] = session.id
        known[session.id, default: Known(session: session)].session = session
    }

    /// All sessions that there are.
    mutating func learn(_ all: [Session]) {
        let ids = Set(all.map(\.id))
        for id in known.keys where !ids.contains(id) { forget(id, isGone: true) }
        for session in all { learn(session) }
    }

    /// A conversation's messages were counted.
    mutating func learn(_ survey: Survey, of session: String, revision: Int) {
        guard var known = known[session] else { return }
        known.newest = survey.newest
        known.isCounted = revision == self.revision(of: session)
        self.known[session] = known
        keep(count: survey.count, newest: survey.newest?.time, of: known.session)
    }

    mutating func forget(_ session: String, isGone: Bool) {
        if sessions[id(of: session)] == session { sessions[id(of: session)] = nil }
        known[session] = nil
        guard isGone else { return }
        turns[session] = nil
        chosen[session] = nil
        if kept.removeValue(forKey: session) != nil { changes.append(.remove(session: session)) }
    }

    func isConversation(_ session: String) -> Bool { !others.contains(session) }

    // MARK: What is kept

    func isPinned(_ session: String) -> Bool { kept[session]?.isPinned ?? false }

    mutating func pin(_ session: String, _ isPinned: Bool) { change(session) { $0.isPinned = isPinned } }

    mutating func choose(model: String?, for session: String) { change(session) { $0.model = model } }

    /// The model that a client has chosen; nil where OpenCode's own choice holds.
    func chosenModel(of session: String) -> String? { kept[session]?.model }

    /// The model of a conversation: the chosen one, the last used one, or the one that would be used.
    func model(of session: String) -> String {
        kept[session]?.model ?? known[session]?.session.modelName ?? known[session]?.newest?.model
            ?? catalogue?.defaultModel ?? ""
    }

    /// How many messages a conversation has; nil where they have to be counted.
    func count(of session: String) -> Int? {
        guard let entry = kept[session], let count = entry.count, let known = known[session] else { return nil }
        return known.isCounted || entry.counted == known.session.updatedAt ? Int(count) : nil
    }

    /// When the newest message came: milliseconds since 1970.
    func lastMessageTime(of session: String) -> Int64 {
        if let newest = known[session]?.newest { return newest.time }
        guard let known = known[session] else { return 0 }
        if count(of: session) != nil, let newest = kept[session]?.newest { return newest }
        return known.session.updatedAt
    }

    /// What is to be written down since this was asked last.
    package mutating func takeChanges() -> [KeptChange] {
        defer { changes = [] }
        return changes
    }

    func revision(of session: String) -> Int { turns[session]?.revision ?? 0 }

    private mutating func keep(count: Int, newest: Int64?, of session: Session) {
        change(session.id) { entry in
            entry.count = Int64(count)
            entry.newest = newest
            entry.counted = session.updatedAt
        }
    }

    private mutating func change(_ session: String, _ change: (inout ConversationTable.Entry) -> Void) {
        let before = kept[session]
        var entry = before ?? ConversationTable.Entry(session: session)
        change(&entry)
        guard entry != before else { return }
        kept[session] = entry
        changes.removeAll { if case .set(let old) = $0 { old.session == session } else { false } }
        changes.append(.set(entry))
    }

    /// A message was said, or an answer has begun: the count grows.
    mutating func add(_ entry: Entry, to session: String) {
        let count = count(of: session)
        let isNew = known[session]?.newest?.id != entry.id
        known[session]?.newest = entry
        guard let known = known[session], let count else { return }
        self.known[session]?.isCounted = true
        keep(count: count + (isNew ? 1 : 0), newest: entry.time, of: known.session)
    }

    /// An answer is over.
    mutating func finish(_ entry: Entry, in session: String) {
        if known[session]?.newest?.id == entry.id { known[session]?.newest = entry }
    }

    /// OpenCode has changed a session: a count that was right stays right.
    mutating func update(_ session: Session) {
        let count = count(of: session.id)
        let before = known[session.id]?.session
        learn(session)
        // What was taken back, or came again, is not said by events of its own.
        if let before, before.revert != session.revert { return doubtCount(of: session.id) }
        guard let count, known[session.id] != nil else { return }
        known[session.id]?.isCounted = true
        keep(count: count, newest: kept[session.id]?.newest, of: session)
    }

    /// A conversation's count has become wrong.
    mutating func doubtCount(of session: String) {
        turns[session, default: SessionTurns(session)].change()
        known[session]?.isCounted = false
        known[session]?.newest = nil
        if kept[session] != nil { change(session) { $0.count = nil } }
    }

    /// Counts may have become wrong.
    mutating func doubtCounts() {
        for id in known.keys {
            known[id]?.isCounted = false
            known[id]?.newest = nil
        }
    }
}
