// SPDX-License-Identifier: Apache-2.0

internal import Dialects

/// A page of conversations, sorted by their newest message.
struct ConversationPage: Sendable {
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
    static let mostCounted = 200

    /// Creates the page of at most `limit` conversations after a position. Includes only conversations whose title
    /// contains `search`.
    ///
    /// - Parameter ordered: All conversations, the one with the newest message first.
    init(
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
