// SPDX-License-Identifier: Apache-2.0

internal import Dialects
internal import JSONText

/// The newest messages of a session, as far back as a caller needs them.
struct Window: Sendable {
    /// The messages that were read, oldest first.
    private(set) var messages: [Message] = []
    /// Whether the window contains the oldest message.
    private(set) var isAll = false
    /// OpenCode's cursor of each response with the ids of its messages, the oldest response last.
    private var answers: [(before: String?, messageIDs: Set<String>)] = []

    /// The session's revert; nil if there is none. OpenCode still lists the reverted messages until the next prompt,
    /// because they may be restored.
    private let revert: Session.Revert?

    init(_ revert: Session.Revert?) { self.revert = revert }

    /// The entries that a conversation shows for the messages, oldest first.
    var entries: [Entry] { Entry.entries(revert?.remaining(of: messages) ?? messages, isAll: isAll) }

    /// Returns OpenCode's cursor of the response that contains this message; nil for the newest response.
    func cursor(of messageID: String) -> String? { answers.first { $0.messageIDs.contains(messageID) }?.before }

    /// The number of messages that the next request must ask for, and OpenCode's cursor for that request.
    struct Page {
        var size: Int
        var before: String?
    }

    /// Adds the response to the request for a page, whose messages precede all messages of this window. Returns the
    /// next older page; nil if there is none.
    mutating func add(_ list: [JSON], nextCursor: String?, of page: Page) -> Page? {
        let read = list.compactMap { Message(openCode1: $0) }
        if nextCursor == nil, page.before == nil, list.count >= page.size, list.count > messages.count {
            // OpenCode before 1.2 has no pages and returns only the newest `size` messages. The next attempt therefore
            // requests more messages.
            self = Window(revert)
            add(read, before: nil)
            return Page(size: page.size * 8)
        }
        if page.before == nil { self = Window(revert) }
        add(read, before: page.before)
        isAll = nextCursor == nil
        return nextCursor.map { Page(size: page.size, before: $0) }
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

    /// A position in a conversation: the message before which the next page ends, and OpenCode's cursor for that page.
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

    /// Returns whether a window contains a whole page of `limit` entries before a position.
    static func isComplete(in window: Window, limit: Int, before position: Position?) -> Bool {
        older(window.entries, than: position).map { $0 >= limit } ?? false
    }

    /// Returns the number of entries before a position; nil if the position is not among them.
    private static func older(_ entries: [Entry], than position: Position?) -> Int? {
        guard let position else { return entries.count }
        return entries.firstIndex { $0.messageID == position.messageID }
    }

    /// Creates the page of at most `limit` entries: the newest entries of the window, or those before a position.
    init(_ window: Window, limit: Int, before position: Position?) {
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
struct Survey: Sendable, Equatable {
    /// The number of messages, as lists count them.
    var count: Int
    /// The newest message; nil if there are none.
    var newest: Entry?
}
