// SPDX-License-Identifier: Apache-2.0

internal import Dialects
import Storage

/// Manages the properties of a conversation that the gateway stores, because OpenCode does not store them.
extension ConversationState {
    /// The changes that were made before the stored entries could be read. The stored entries do not contain these
    /// changes.
    struct Unread: Sendable {
        /// Sessions that a client has pinned or unpinned.
        var pins: Set<String> = []
        /// The sessions whose model a client has chosen.
        var models: Set<String> = []
        /// Sessions whose message count has become invalid.
        var doubts: Set<String> = []
    }

    /// Merges the stored entries of the project's conversations. Changes that were made before this call are newer and
    /// take precedence.
    package mutating func recall(_ written: [ConversationTable.Entry]) {
        guard let unread else { return }
        self.unread = nil
        let changes = changes
        for entry in written where !changes.contains(.remove(session: entry.session)) { recall(entry, unread) }
    }

    private mutating func recall(_ written: ConversationTable.Entry, _ unread: Unread) {
        let session = written.session
        var entry = written
        let newer = kept[session]
        if let newer {
            entry.chosen = newer.chosen ?? entry.chosen
            if unread.pins.contains(session) { entry.isPinned = newer.isPinned }
            if unread.models.contains(session) { entry.model = newer.model }
        }
        if let newer, newer.count != nil {
            entry.count = newer.count
            entry.newest = newer.newest
            entry.counted = newer.counted
        } else if unread.doubts.contains(session) {
            entry.counted = nil
        }
        if chosen[session] == nil, let id = entry.chosen.flatMap(ConversationID.init) {
            if let other = sessions[id], other != session {
                // The id was assigned to another conversation before the stored entries were known, so drop the stored
                // id.
                entry.chosen = nil
            } else {
                chosen[session] = id
                sessions[id] = session
            }
        }
        kept[session] = entry
        if newer != nil { changes.removeAll { $0.setsEntry(of: session) } }
        if entry != written { write(entry) }
    }

    func isPinned(_ session: String) -> Bool { kept[session]?.isPinned ?? false }

    mutating func pin(_ session: String, _ isPinned: Bool) {
        unread?.pins.insert(session)
        change(session) { $0.isPinned = isPinned }
    }

    mutating func choose(model: String?, for session: String) {
        unread?.models.insert(session)
        change(session) { $0.model = model }
    }

    /// Returns the model that a client has chosen; nil if OpenCode chooses the model.
    func chosenModel(of session: String) -> String? { kept[session]?.model }

    /// Returns the model of a conversation: the chosen model, otherwise the model that was used last. If no model was
    /// used, returns the model that OpenCode would use.
    func model(of session: String) -> String {
        kept[session]?.model ?? known[session]?.session.modelName ?? known[session]?.newest?.model
            ?? catalogue?.defaultModel ?? ""
    }

    /// Returns the number of messages of a conversation; nil if they must be counted.
    func count(of session: String) -> Int? {
        guard let entry = kept[session], let count = entry.count, let known = known[session] else { return nil }
        return known.isCounted || entry.counted == known.session.updatedAt ? Int(count) : nil
    }

    /// Returns the last known count of a conversation, which may be outdated; nil if it was never counted.
    func lastCount(of session: String) -> Int? { kept[session]?.count.map { Int($0) } }

    /// Returns the sessions whose message count is unknown, the most recently changed session first.
    func uncounted(_ sessions: [Session]) -> [Session] {
        sessions.filter { count(of: $0.id) == nil }.sorted { $0.updatedAt > $1.updatedAt }
    }

    /// Returns the time of the newest message, in milliseconds since 1970.
    func lastMessageTime(of session: String) -> Int64 {
        if let newest = known[session]?.newest { return newest.time }
        guard let known = known[session] else { return 0 }
        if count(of: session) != nil, let newest = kept[session]?.newest { return newest }
        return known.session.updatedAt
    }

    /// Returns the changes since the previous call that must be stored. Returns none until the stored entries have been
    /// recalled.
    package mutating func takeChanges() -> [KeptChange] {
        guard unread == nil else { return [] }
        defer { changes = [] }
        return changes
    }

    func revision(of session: String) -> Int { turns[session]?.revision ?? 0 }

    /// Stores a message count.
    ///
    /// - Parameter counted: The time of the session's last change when its messages were counted; nil if the count may
    ///   be wrong.
    mutating func keep(count: Int, newest: Int64?, of session: String, counted: Int64?) {
        change(session) { entry in
            entry.count = Int64(count)
            entry.newest = newest
            entry.counted = counted
        }
    }

    mutating func change(_ session: String, _ change: (inout ConversationTable.Entry) -> Void) {
        let before = kept[session]
        var entry = before ?? ConversationTable.Entry(session: session)
        change(&entry)
        guard entry != before else { return }
        kept[session] = entry
        write(entry)
    }

    private mutating func write(_ entry: ConversationTable.Entry) {
        changes.removeAll { $0.setsEntry(of: entry.session) }
        changes.append(.set(entry))
    }

    /// Removes a session's entry, because the session no longer exists.
    mutating func drop(_ session: String) {
        let wasKept = kept.removeValue(forKey: session) != nil
        // Stored entries that have not been read yet may contain this session, so record the removal.
        guard wasKept || unread != nil else { return }
        changes.removeAll { $0.setsEntry(of: session) || $0 == .remove(session: session) }
        changes.append(.remove(session: session))
    }

    // MARK: Counts

    /// Adds a message or the beginning of an answer, which increases the count.
    mutating func add(_ entry: Entry, to session: String) {
        let count = count(of: session)
        let isNew = known[session]?.newest?.id != entry.id
        known[session]?.newest = entry
        guard let known = known[session], let count else { return }
        self.known[session]?.isCounted = true
        keep(count: count + (isNew ? 1 : 0), newest: entry.time, of: session, counted: known.session.updatedAt)
    }

    /// Stores the final entry of an answer.
    mutating func finish(_ entry: Entry, in session: String) {
        if known[session]?.newest?.id == entry.id { known[session]?.newest = entry }
    }

    /// Applies a change of a session by OpenCode. A correct count remains correct.
    mutating func update(_ session: Session) {
        let count = count(of: session.id)
        let before = known[session.id]?.session
        apply(session)
        // OpenCode sends no separate events for messages that a revert hides or restores, so the count becomes invalid.
        if let before, before.revert != session.revert { return doubtCount(of: session.id) }
        guard let count, known[session.id] != nil else { return }
        known[session.id]?.isCounted = true
        keep(count: count, newest: kept[session.id]?.newest, of: session.id, counted: session.updatedAt)
    }

    /// Marks a conversation's count as invalid.
    mutating func doubtCount(of session: String) {
        turns[session, default: SessionTurns(session)].change()
        known[session]?.isCounted = false
        known[session]?.newest = nil
        unread?.doubts.insert(session)
        if kept[session] != nil { change(session) { $0.counted = nil } }
    }

    /// Marks all counts as possibly invalid.
    mutating func doubtCounts() {
        for id in known.keys {
            known[id]?.isCounted = false
            known[id]?.newest = nil
        }
    }
}

extension KeptChange {
    fileprivate func setsEntry(of session: String) -> Bool {
        if case .set(let entry) = self { entry.session == session } else { false }
    }
}
