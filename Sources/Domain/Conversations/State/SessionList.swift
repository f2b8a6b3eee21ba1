// SPDX-License-Identifier: Apache-2.0

internal import Dialects

/// All conversations as listed by OpenCode. Much time may pass between the request and the use of its response, for
/// example while messages are counted. A conversation that is created in the meantime is missing in the list. A
/// conversation that is deleted in the meantime is still in the list.
struct SessionList: Sendable {
    /// The sessions at the time of the response.
    let sessions: [Session]
    /// OpenCode's ids of the sessions that were known when the list was requested.
    let known: Set<String>
    /// The known sessions that OpenCode no longer has.
    var deleted: [String] = []
    /// The known sessions that OpenCode has and does not list: archived ones, and sessions of other directories.
    var unlisted: [String] = []

    /// The maximum number of sessions missing in a list that are requested individually.
    static let mostMissing = 100
}

extension ConversationState {
    /// Applies a list and returns the events for conversations that were deleted. If OpenCode's own event for such a
    /// deletion arrives later, the deletion is not emitted again.
    mutating func apply(_ list: SessionList, at now: Int64) -> [ConversationEvent] {
        let events = list.deleted.filter { known[$0] != nil }.flatMap { deleted($0, at: now) }
        for id in list.unlisted where known[id] != nil { forget(id, isDeleted: false) }
        let deletedSessions = Set(deletedSessions)
        for session in list.sessions where known[session.id] != nil || !list.known.contains(session.id) {
            if !deletedSessions.contains(session.id) { apply(found: session) }
        }
        return events
    }

    /// Handles a request for a session that OpenCode does not have. If the session is in `known`, returns the events of
    /// its deletion. Otherwise, only removes the session's ids and stored entry.
    mutating func missing(_ session: String, at now: Int64) -> [ConversationEvent] {
        if known[session] != nil { return deleted(session, at: now) }
        forget(session, isDeleted: true)
        return []
    }
}
