internal import Dialects

/// All conversations as OpenCode listed them. What comes between the question and its answer's being learned, counting
/// for example, may take long: what was made meanwhile is missing in it, what was deleted meanwhile still stands in it.
package struct SessionList: Sendable {
    /// As they were then.
    let sessions: [Session]
    /// OpenCode's ids of those that were known when it was asked for.
    let known: Set<String>
    /// Those of them that OpenCode does not have any more.
    var deleted: [String] = []
    /// Those of them that it has and does not list: archived ones, and those of other directories.
    var unlisted: [String] = []
}

extension ConversationState {
    /// How many sessions that are missing in a list are asked for.
    private static let mostMissing = 100

    /// Asks for all conversations.
    func listing() -> Plan<SessionList> {
        let (asking, before) = (asking, Set(known.keys))
        return asking.sessions().then { sessions in
            let missing = before.subtracting(sessions.map(\.id)).sorted().prefix(Self.mostMissing)
            return Self.find(Array(missing), asking, SessionList(sessions: sessions, known: before))
        }
    }

    /// Asks for sessions that are missing in a list one after the other.
    private static func find(_ missing: [String], _ asking: RequestBuilder, _ list: SessionList) -> Plan<SessionList> {
        guard let session = missing.first else { return .done(list) }
        return .ask(asking.request("GET", ["session", session])) { answer in
            var list = list
            if answer.status == 404 { list.deleted.append(session) }
            if answer.isGood { list.unlisted.append(session) }
            return find(Array(missing.dropFirst()), asking, list)
        }
    }

    /// What a list says beyond what is known. Gives what is told of conversations that were deleted: their event may come later,
    /// and is not told again.
    mutating func learn(_ list: SessionList, at now: Int64) -> [Told] {
        let told = list.deleted.filter { known[$0] != nil }.flatMap { deleted($0, at: now) }
        for id in list.unlisted where known[id] != nil { forget(id, isGone: false) }
        let gone = Set(gone)
        for session in list.sessions where known[session.id] != nil || !list.known.contains(session.id) {
            if !gone.contains(session.id) { learn(found: session) }
        }
        return told
    }

    /// A request named this conversation, and OpenCode does not have it. One that was not listed is only forgotten: it may be
    /// archived.
    mutating func missing(_ session: String, at now: Int64) -> [Told] {
        if known[session] != nil { return deleted(session, at: now) }
        forget(session, isGone: true)
        return []
    }
}
