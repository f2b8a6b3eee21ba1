// SPDX-License-Identifier: Apache-2.0

package import Dialects
internal import JSONText

/// The newest messages of a session, as far back as a caller needs them.
package struct Window: Sendable {
    /// The messages that were read, oldest first.
    package private(set) var messages: [Message] = []
    /// Whether the window contains the oldest message.
    package private(set) var isAll = false
    /// OpenCode's cursor of each response with the ids of its messages, the oldest response last.
    private var answers: [(before: String?, messageIDs: Set<String>)] = []

    /// The session's revert; nil if there is none. OpenCode still lists the reverted messages until the next prompt,
    /// because they may be restored.
    private let revert: Session.Revert?

    private init(_ revert: Session.Revert?) { self.revert = revert }

    /// The entries that a conversation shows for the messages, oldest first.
    var entries: [Entry] { Entry.entries(revert?.remaining(of: messages) ?? messages, isAll: isAll) }

    /// OpenCode's cursor of the response that contains this message; nil for the newest response.
    func cursor(of messageID: String) -> String? { answers.first { $0.messageIDs.contains(messageID) }?.before }

    /// Reads older messages until `isEnough` returns true or no messages remain.
    ///
    /// - Parameter size: The number of messages for each request.
    static func load(
        _ session: Session, _ requestBuilder: RequestBuilder, size: Int, before: String? = nil,
        until isEnough: @escaping @Sendable (Window) -> Bool
    ) -> Plan<Window> {
        Window(session.revert).older(session.id, requestBuilder, size: size, before: before, until: isEnough)
    }

    private func older(
        _ session: String, _ requestBuilder: RequestBuilder, size: Int, before: String?,
        until isEnough: @escaping @Sendable (Window) -> Bool
    ) -> Plan<Window> {
        .send(requestBuilder.messages(session, limit: size, before: before)) { answer in
            guard answer.isGood else { return .refused(answer.refusal) }
            guard let list = answer.json?.array else { return .refused(.strange) }
            let read = list.compactMap { Message(openCode1: $0) }
            if answer.nextCursor == nil, before == nil, list.count >= size, list.count > messages.count {
                // OpenCode before 1.2 has no pages. It returns only the newest `size` messages, so the next attempt
                // requests more.
                var all = Window(revert)
                all.add(read, before: nil)
                if isEnough(all) { return .done(all) }
                return all.older(session, requestBuilder, size: size * 8, before: nil, until: isEnough)
            }
            var window = before == nil ? Window(revert) : self
            window.add(read, before: before)
            window.isAll = answer.nextCursor == nil
            guard let next = answer.nextCursor, !isEnough(window) else { return .done(window) }
            return window.older(session, requestBuilder, size: size, before: next, until: isEnough)
        }
    }

    private mutating func add(_ older: [Message], before: String?) {
        messages.insert(contentsOf: older, at: 0)
        answers.append((before, Set(older.compactMap(\.info.id))))
    }
}

extension Session.Revert {
    /// Returns the messages that remain after the revert, oldest first.
    func remaining(of messages: [Message]) -> [Message] {
        // Ids are ascending. Compare with `>=`, because the first reverted message may be older than all of these
        // messages.
        let end = messages.firstIndex { ($0.info.id ?? "") >= messageID } ?? messages.count
        var remaining = Array(messages[..<end])
        guard let partID, end < messages.count, messages[end].info.id == messageID else { return remaining }
        var first = messages[end]
        first.parts = Array(first.parts.prefix { $0.id != partID })
        remaining.append(first)
        return remaining
    }
}

/// A page of a conversation's messages.
struct MessagePage: Sendable {
    /// The entries of the page, oldest first.
    let entries: [Entry]
    /// The cursor of the next older page; nil if no entry is older.
    let nextCursor: String?

    /// A position in a conversation: the message before which the next page ends, and OpenCode's cursor for it.
    struct Position: Sendable, Equatable {
        let messageID: String
        let before: String?

        init(messageID: String, before: String?) {
            self.messageID = messageID
            self.before = before
        }

        /// Parses a cursor; nil if it is invalid.
        init?(_ cursor: String) {
            guard cursor.hasPrefix("msg_") else { return nil }
            let dot = cursor.firstIndex(of: ".")
            messageID = String(cursor[..<(dot ?? cursor.endIndex)])
            before = dot.map { String(cursor[cursor.index(after: $0)...]) }
        }

        var cursor: String { messageID + (before.map { "." + $0 } ?? "") }
    }

    /// Reads a page of at most `limit` entries: the newest entries, or those before a position.
    static func load(_ session: Session, limit: Int, before position: Position?, _ requestBuilder: RequestBuilder)
        -> Plan<
            MessagePage
        >
    {
        // Request twice the number of messages, because an answer with tools consists of several messages. 30 entries
        // still fit into one of OpenCode 2's pages of 100, which also contain its messages about the end of a turn.
        let size = max(40, limit * 2)
        return Window.load(session, requestBuilder, size: size, before: position?.before) { window in
            let entries = window.entries
            return older(entries, than: position).map { $0 >= limit } ?? false
        }
        .then { window in .done(MessagePage(window, limit: limit, before: position)) }
    }

    /// Returns the number of entries before a position; nil if the position is not among them.
    private static func older(_ entries: [Entry], than position: Position?) -> Int? {
        guard let position else { return entries.count }
        return entries.firstIndex { $0.messageID == position.messageID }
    }

    private init(_ window: Window, limit: Int, before position: Position?) {
        let all = window.entries
        // Ids are ascending, so the position of a deleted message can be found.
        let end =
            Self.older(all, than: position) ?? all.firstIndex { $0.messageID >= position?.messageID ?? "" } ?? all.count
        let start = max(end - limit, 0)
        entries = Array(all[start..<end])
        let hasOlder = start > 0 || !window.isAll
        nextCursor = entries.first.flatMap { first in
            hasOlder ? Position(messageID: first.messageID, before: window.cursor(of: first.messageID)).cursor : nil
        }
    }
}

/// The message count and newest message of a conversation.
package struct Survey: Sendable, Equatable {
    /// The number of messages, as lists count them.
    package var count: Int
    /// The newest message; nil if there are none.
    package var newest: Entry?

    /// Surveys a session by reading all its messages.
    static func load(_ session: Session, _ requestBuilder: RequestBuilder) -> Plan<Survey> {
        Window.load(session, requestBuilder, size: 200) { _ in false }
            .then { window in
                let entries = window.entries
                return .done(Survey(count: entries.count, newest: entries.last))
            }
    }

    /// Surveys a session whose message count is known, by reading only its newest messages.
    static func newest(_ session: Session, _ requestBuilder: RequestBuilder, count: Int) -> Plan<Survey> {
        Window.load(session, requestBuilder, size: 10) { !$0.entries.isEmpty }
            .then { .done(Survey(count: count, newest: $0.entries.last)) }
    }

    /// Surveys sessions one after the other, and omits sessions that cannot be read.
    ///
    /// - Parameter counts: The known message counts.
    static func load(
        _ sessions: [Session], with requestBuilder: RequestBuilder, counts: [String: Int], known: [String: Survey] = [:]
    ) -> Plan<[String: Survey]> {
        guard let session = sessions.first else { return .done(known) }
        let plan =
            counts[session.id].map { newest(session, requestBuilder, count: $0) } ?? load(session, requestBuilder)
        let remaining = Array(sessions.dropFirst())
        return plan.settled { survey in
            var known = known
            known[session.id] = survey
            return load(remaining, with: requestBuilder, counts: counts, known: known)
        }
    }
}

extension Plan {
    /// Continues with the result of this plan, or with nil if the plan has failed.
    func settled<Next>(_ next: @escaping @Sendable (Value?) -> Plan<Next>) -> Plan<Next> {
        switch self {
        case .send(let request, let answered): .send(request) { answered($0).settled(next) }
        case .pause(let milliseconds, let resume): .pause(milliseconds: milliseconds) { resume().settled(next) }
        case .aborting(let session, let resume): .aborting(session: session) { resume().settled(next) }
        case .ended(let session, let resume): .ended(session: session) { resume($0).settled(next) }
        case .store(let catalogue, let resume): .store(catalogue) { resume().settled(next) }
        case .done(let value): next(value)
        case .refused: next(nil)
        }
    }
}
