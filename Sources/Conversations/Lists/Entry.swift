internal import Dialects

/// One message of a conversation: what a person said, or all of the answer to it.
package struct Entry: Sendable, Equatable {
    /// Who said it.
    package enum Role: String, Sendable {
        case user, assistant
    }

    /// A UUID, in lower case.
    package let id: String
    /// Who said it.
    package let role: Role
    /// All of it.
    package var text: String
    /// When it was begun: milliseconds since 1970.
    package let time: Int64
    /// OpenCode's id of its first message.
    let messageID: String
    /// OpenCode's id of the user's message that it is, or answers.
    let root: String
    /// The model that was asked.
    var model: String?
    /// Whether nothing is missing at its end.
    var isComplete: Bool

    /// The UUID of the answer to a user's message. It is known before there is one. OpenCode 2's forks keep their messages'
    /// ids: the session belongs to the name.
    static func answerID(to root: String, in session: String) -> String {
        NamedUUID.make("\(session)/\(root)", in: NamedUUID.answers)
    }

    /// The UUID of a user's message.
    static func userID(_ message: String, in session: String) -> String {
        NamedUUID.make("\(session)/\(message)", in: NamedUUID.messages)
    }

    /// The entries of messages that follow one another, oldest first. Where older messages are missing (`isAll` is false),
    /// what stands before the first user's message is left out: its beginning may be missing.
    static func read(_ messages: [Message], isAll: Bool) -> [Entry] {
        var entries: [Entry] = []
        // Which user's message an assistant's message is the answer to.
        var roots: [String: String] = [:]
        var places: [String: Int] = [:]
        var newest: String?
        for message in messages {
            switch message.info {
            case .user(let user):
                if let text = said(message.parts) {
                    entries.append(
                        Entry(
                            id: userID(user.id, in: user.sessionID), role: .user, text: text,
                            time: user.created.milliseconds, messageID: user.id, root: user.id, model: user.model.name,
                            isComplete: true))
                    newest = user.id
                    roots[user.id] = user.id
                } else {
                    // OpenCode's own words, in the middle of an answer.
                    roots[user.id] = newest
                }
            case .assistant(let assistant) where assistant.isSummary != true:
                guard let root = roots[assistant.parentID] ?? (isAll ? newest ?? assistant.parentID : nil) else {
                    continue
                }
                let isComplete = assistant.completed != nil || assistant.failure != nil
                if let place = places[root] {
                    entries[place].add(message.parts, failure: assistant.failure)
                    entries[place].isComplete = isComplete
                } else {
                    var entry = Entry(
                        id: answerID(to: root, in: assistant.sessionID), role: .assistant, text: "",
                        time: assistant.created.milliseconds,
                        messageID: assistant.id, root: root, model: assistant.model.name, isComplete: isComplete)
                    entry.add(message.parts, failure: assistant.failure)
                    places[root] = entries.count
                    entries.append(entry)
                }
            case .assistant, .other: continue
            }
        }
        return entries
    }

    /// What a person said; nil where OpenCode said it in a person's place.
    static func said(_ parts: [Part]) -> String? {
        var texts: [String] = []
        var files: [String] = []
        for part in parts {
            switch part.kind {
            case .text(let text) where text.isSynthetic != true && !text.text.isEmpty: texts.append(text.text)
            case .file(let file): files.append("[\(file.filename ?? file.mime)]")
            default: continue
            }
        }
        if !texts.isEmpty { return texts.joined(separator: "\n") }
        return files.isEmpty ? nil : files.joined(separator: "\n")
    }

    private mutating func add(_ parts: [Part], failure: Failure?) {
        for part in parts {
            guard case .text(let part) = part.kind, part.isSynthetic != true, !part.text.isEmpty else { continue }
            text += Self.space(between: text, and: part.text) + part.text
        }
        if text.isEmpty, let reason = failure?.reason { text = reason }
    }

    /// What stands between two texts of an answer: an empty line, unless one of them brings white space.
    static func space(between one: String, and other: String) -> String {
        guard let last = one.unicodeScalars.last, let first = other.unicodeScalars.first,
            !last.properties.isWhitespace, !first.properties.isWhitespace
        else { return "" }
        return "\n\n"
    }
}

extension Failure {
    /// Why it failed, for people; nil where a person broke it off.
    var reason: String? { name == Failure.aborted.name ? nil : message ?? name }

    /// Why an answer ended that no client of the gateway has aborted.
    static let abortedElsewhere = "OpenCode aborted the answer."
}
