// SPDX-License-Identifier: Apache-2.0

internal import Dialects

/// A message of a conversation: a user's text, or the whole answer to such a text.
package struct Entry: Sendable, Equatable {
    /// The author of a message.
    package enum Role: String, Sendable {
        case user, assistant
    }

    /// The message's id, a UUID in lower case.
    package let id: String
    /// The author of the message.
    package let role: Role
    /// The whole text of the message.
    package var text: String
    /// The time when the message began, in milliseconds since 1970.
    package let time: Int64
    /// OpenCode's id of the message, or of the answer's first message.
    let messageID: String
    /// OpenCode's id of the user message. A user's entry has the id of its own message. An answer has the id of the
    /// message that it answers.
    let root: String
    /// The model that was requested for the answer.
    var model: String?
    /// Whether the end of the message has been received.
    var isComplete: Bool

    /// Returns the UUID of the answer to a user message, which is known before the answer exists. The session is part
    /// of the name, because OpenCode 2's forks keep the ids of their messages.
    static func answerID(to root: String, in session: String) -> String {
        NamedUUID.make("\(session)/\(root)", in: NamedUUID.answers)
    }

    /// Returns the UUID of a user message.
    static func userID(_ message: String, in session: String) -> String {
        NamedUUID.make("\(session)/\(message)", in: NamedUUID.messages)
    }

    /// Returns the entries of consecutive messages, oldest first. If older messages are missing (`isAll` is false), the
    /// messages before the first user message are omitted, because they belong to an answer whose beginning may be
    /// missing.
    static func entries(_ messages: [Message], isAll: Bool) -> [Entry] {
        var entries: [Entry] = []
        // The user message that each message belongs to.
        var roots: [String: String] = [:]
        var indices: [String: Int] = [:]
        var newest: String?
        for message in messages {
            switch message.info {
            case .user(let user):
                if let text = userText(message.parts) {
                    entries.append(
                        Entry(
                            id: userID(user.id, in: user.sessionID), role: .user, text: text,
                            time: user.created.milliseconds, messageID: user.id, root: user.id, model: user.model.name,
                            isComplete: true))
                    newest = user.id
                    roots[user.id] = user.id
                } else {
                    // OpenCode wrote this text in the middle of an answer, so the text belongs to that answer.
                    roots[user.id] = newest
                }
            case .assistant(let assistant) where assistant.isSummary != true:
                guard let root = roots[assistant.parentID] ?? (isAll ? newest ?? assistant.parentID : nil) else {
                    continue
                }
                let isComplete = assistant.completed != nil || assistant.failure != nil
                if let index = indices[root] {
                    entries[index].add(message.parts, failure: assistant.failure)
                    entries[index].isComplete = isComplete
                } else {
                    var entry = Entry(
                        id: answerID(to: root, in: assistant.sessionID), role: .assistant, text: "",
                        time: assistant.created.milliseconds,
                        messageID: assistant.id, root: root, model: assistant.model.name, isComplete: isComplete)
                    entry.add(message.parts, failure: assistant.failure)
                    indices[root] = entries.count
                    entries.append(entry)
                }
            case .assistant, .other: continue
            }
        }
        return entries
    }

    /// Returns the user's text; nil if OpenCode wrote the message on the user's behalf.
    static func userText(_ parts: [Part]) -> String? {
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

    /// Returns the separator between two texts of an answer. The separator is an empty line. If one of the texts
    /// already has white space at the joint, the separator is empty.
    static func space(between one: String, and other: String) -> String {
        guard let last = one.unicodeScalars.last, let first = other.unicodeScalars.first,
            !last.properties.isWhitespace, !first.properties.isWhitespace
        else { return "" }
        return "\n\n"
    }
}

extension Failure {
    /// The reason for the failure, as a message for users; nil if a user aborted the answer.
    var reason: String? { name == Failure.aborted.name ? nil : message ?? name }

    /// The reason for the end of an answer that no client of the gateway aborted.
    static let abortedElsewhere = "OpenCode aborted the answer."
}
