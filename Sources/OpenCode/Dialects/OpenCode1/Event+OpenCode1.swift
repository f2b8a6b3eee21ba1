// SPDX-License-Identifier: Apache-2.0

package import JSONText

extension Event {
    /// Parses an event from OpenCode 1.0.223 to 1.18; nil if the JSON is not an event. Keeps unknown members unchanged.
    package init?(openCode1 json: JSON) {
        guard var remaining = json.object, let type = remaining.text("type"),
            let properties = remaining.value("properties")
        else {
            return nil
        }
        let id = remaining.text("id")
        var others = properties.object ?? JSONObject()
        if properties.object != nil, let change = Change(type, &others) {
            self.init(id: id, change)
            otherProperties = others
        } else {
            self.init(id: id, .other(type: type, properties: properties))
        }
        self.others = remaining
    }
}

extension Change {
    /// Creates the content of an event, and removes the known members from `remaining`. Returns nil if the properties
    /// do not belong to a known event. In that case, the content of `remaining` is unspecified.
    fileprivate init?(_ type: String, _ remaining: inout JSONObject) {
        let all = remaining
        switch type {
        case "session.created", "session.updated", "session.deleted":
            guard let session = remaining.extract("info", { Session(openCode1: $0) }) else { return nil }
            // Since OpenCode 1.14, the event also contains the session's id. The id is redundant here.
            guard Self.drop("sessionID", value: session.id, from: &remaining) else { return nil }
            switch type {
            case "session.created": self = .sessionCreated(session)
            case "session.updated": self = .sessionUpdated(session)
            default: self = .sessionDeleted(session)
            }
        case "message.updated":
            guard let info = remaining.object("info").map(MessageInfo.init(openCode1:)), let id = info.sessionID,
                Self.drop("sessionID", value: id, from: &remaining)
            else { return nil }
            self = .message(info)
        case "message.part.updated":
            guard let part = remaining.extract("part", { Part(openCode1: $0) }),
                Self.drop("sessionID", value: part.sessionID, from: &remaining)
            else { return nil }
            self = .part(part, time: remaining.number("time"), delta: remaining.value("delta"))
        case "permission.asked", "permission.updated":
            guard let permission = Permission(openCode1: .object(all)) else { return nil }
            remaining = JSONObject()
            self = .permissionAsked(permission)
        case "question.asked":
            guard let question = Question(openCode1: .object(all)) else { return nil }
            remaining = JSONObject()
            self = .questionAsked(question)
        case "session.error":
            guard let failure = remaining.extract("error", { Failure(openCode1: $0) }) else { return nil }
            self = .failed(sessionID: remaining.text("sessionID"), failure)
        default:
            guard let sessionID = remaining.text("sessionID"),
                let change = Self.parse(type, sessionID: sessionID, from: &remaining)
            else {
                return nil
            }
            self = change
        }
    }

    /// Removes a redundant member. Returns false if the member has a different value.
    private static func drop(_ name: String, value: String, from remaining: inout JSONObject) -> Bool {
        guard let found = remaining.text(name) else { return remaining[name] == nil }
        return found == value
    }

    /// Parses an event that contains the id of its session and few other members.
    private static func parse(_ type: String, sessionID: String, from remaining: inout JSONObject) -> Change? {
        switch type {
        case "session.status":
            return remaining.extract("status") { .status(sessionID: sessionID, Status(openCode1: $0)) }
        case "session.idle": return .idle(sessionID: sessionID)
        case "session.compacted": return .compacted(sessionID: sessionID)
        case "session.diff": return remaining.value("diff").map { .diff(sessionID: sessionID, $0) }
        case "todo.updated": return remaining.value("todos").map { .todo(sessionID: sessionID, $0) }
        case "message.removed":
            return remaining.text("messageID").map { .messageRemoved(sessionID: sessionID, messageID: $0) }
        case "message.part.removed":
            guard let messageID = remaining.text("messageID"), let partID = remaining.text("partID") else { return nil }
            return .partRemoved(sessionID: sessionID, messageID: messageID, partID: partID)
        case "message.part.delta":
            guard let messageID = remaining.text("messageID"), let partID = remaining.text("partID"),
                let field = remaining.text("field"),
                let delta = remaining.extract("delta", { $0.text == nil ? nil : $0 })
            else { return nil }
            return .partDelta(
                Delta(sessionID: sessionID, messageID: messageID, partID: partID, field: field, delta: delta))
        case "permission.replied":
            guard let id = remaining.text("requestID") ?? remaining.text("permissionID"),
                let reply = remaining.text("reply") ?? remaining.text("response")
            else { return nil }
            return .permissionReplied(sessionID: sessionID, id: id, reply: reply)
        case "question.replied":
            let answers: [[String]]? = remaining.extract("answers") { value in
                value.array?.all { row in row.array?.all { if case .string(let text) = $0 { text } else { nil } } }
            }
            guard let id = remaining.text("requestID"), let answers else { return nil }
            return .questionReplied(sessionID: sessionID, id: id, answers: answers)
        case "question.rejected":
            return remaining.text("requestID").map { .questionRejected(sessionID: sessionID, id: $0) }
        default: return nil
        }
    }
}

extension Change.Status {
    init(openCode1 json: JSON) {
        guard var remaining = json.object, let type = remaining.text("type") else {
            self = .other(json)
            return
        }
        switch type {
        case "idle" where remaining.isEmpty: self = .idle
        case "busy" where remaining.isEmpty: self = .busy
        case "retry":
            guard let attempt = remaining.number("attempt"), let message = remaining.text("message"),
                let next = remaining.number("next")
            else { fallthrough }
            self = .retry(attempt: attempt, message: message, next: next, others: remaining)
        default: self = .other(json)
        }
    }

    /// The status as JSON in OpenCode 1.18.33's format.
    package var json: JSON {
        switch self {
        case .idle: return ["type": "idle"]
        case .busy: return ["type": "busy"]
        case .retry(let attempt, let message, let next, let others):
            var object = JSONObject()
            object.add("type", "retry")
            object.add("attempt", attempt)
            object.add("message", message)
            object.add("next", next)
            object.add(others)
            return .object(object)
        case .other(let json): return json
        }
    }
}
