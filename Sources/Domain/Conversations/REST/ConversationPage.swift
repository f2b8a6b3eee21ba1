// SPDX-License-Identifier: Apache-2.0

internal import Dialects

/// A page of conversations, sorted by their newest message.
package struct ConversationPage: Sendable {
    /// OpenCode's ids of the conversations.
    let sessions: [String]
    /// The cursor of the next page; nil if this is the last one.
    let nextCursor: String?

    /// A position in the list, given by the last conversation before the next page.
    struct Position: Sendable, Equatable {
        let time: Int64
        let session: String

        init(time: Int64, session: String) {
            self.time = time
            self.session = session
        }

        /// Parses a cursor; nil if it is invalid.
        init?(_ cursor: String) {
            guard let dot = cursor.firstIndex(of: "."), let time = Int64(cursor[..<dot]) else { return nil }
            self.time = time
            session = String(cursor[cursor.index(after: dot)...])
        }

        var cursor: String { "\(time).\(session)" }
    }

    /// The maximum number of conversations whose messages one request counts.
    private static let counted = 200

    /// Reads a page of at most `limit` conversations after a position. Includes only conversations whose title contains
    /// `search`.
    static func load(
        limit: Int, after position: Position?, search: String?, in state: ConversationState
    ) -> Plan<ConversationWork.WorkResult> {
        let requestBuilder = state.requestBuilder
        return state.listing().then { list in
            let revisions = Dictionary(list.sessions.map { ($0.id, state.revision(of: $0.id)) }) { one, _ in one }
            var after = state
            _ = after.apply(list, at: 0)
            // The order depends on the time of the newest message, so count all conversations whose count is unknown.
            let uncounted = list.sessions.filter { after.count(of: $0.id) == nil }.sorted {
                $0.updatedAt > $1.updatedAt
            }
            let listed = after
            return Survey.load(Array(uncounted.prefix(counted)), with: requestBuilder, counts: [:]).then { surveys in
                var after = listed
                for (session, survey) in surveys {
                    after.apply(survey, of: session, revision: listed.revision(of: session))
                }
                let page = ConversationPage(
                    after.ordered(list.sessions), limit: limit, after: position, search: search, in: after)
                let unseen = page.sessions.compactMap { after.known[$0] }
                    .filter { $0.newest == nil && after.count(of: $0.session.id) != 0 }.map(\.session)
                let counts = unseen.reduce(into: [:]) { $0[$1.id] = after.count(of: $1.id) }
                return Survey.load(unseen.filter { surveys[$0.id] == nil }, with: requestBuilder, counts: counts).then {
                    newest in
                    let all = surveys.merging(newest) { one, _ in one }
                    return .done(.listed(list, all, revisions: revisions, page: page))
                }
            }
        }
    }

    private init(
        _ ordered: [Session], limit: Int, after position: Position?, search: String?, in state: ConversationState
    ) {
        let wanted = search?.lowercased() ?? ""
        let found = ordered.filter { session in
            guard wanted.isEmpty || session.title.lowercased().contains(wanted) else { return false }
            guard let position else { return true }
            return (state.lastMessageTime(of: session.id), session.id) < (position.time, position.session)
        }
        sessions = found.prefix(limit).map(\.id)
        nextCursor =
            found.count > limit
            ? sessions.last.map { Position(time: state.lastMessageTime(of: $0), session: $0).cursor } : nil
    }
}
