// SPDX-License-Identifier: Apache-2.0

package import JSONText

extension Event {
    /// Returns the event in OpenCode 1's format for a client of the given edition; nil if the edition has no such
    /// event.
    ///
    /// - Parameter time: The time of the event, in milliseconds since 1970. Clients of the first edition receive this
    ///   time with a permission request.
    package func json(_ edition: Edition = .current, time: Number? = nil) -> JSON? {
        guard var properties = change.properties(edition, time: time) else { return nil }
        if var object = properties.object {
            object.add(otherProperties)
            properties = .object(object)
        }
        var event = JSONObject()
        event.add("id", id)
        event.add("type", change.type(edition))
        event.add("properties", properties)
        event.add(others)
        return .object(event)
    }
}

extension Change {
    /// Returns the type of the event in the given edition.
    package func type(_ edition: Edition = .current) -> String {
        switch self {
        case .sessionCreated: "session.created"
        case .sessionUpdated: "session.updated"
        case .sessionDeleted: "session.deleted"
        case .status: "session.status"
        case .idle: "session.idle"
        case .failed: "session.error"
        case .compacted: "session.compacted"
        case .diff: "session.diff"
        case .todo: "todo.updated"
        case .message: "message.updated"
        case .messageRemoved: "message.removed"
        case .part: "message.part.updated"
        case .partDelta: "message.part.delta"
        case .partRemoved: "message.part.removed"
        case .permissionAsked: edition == .first ? "permission.updated" : "permission.asked"
        case .permissionReplied: "permission.replied"
        case .questionAsked: "question.asked"
        case .questionReplied: "question.replied"
        case .questionRejected: "question.rejected"
        case .other(let type, _): type
        }
    }

    /// The id of the event's session; nil if the event names no session.
    package var sessionID: String? {
        switch self {
        case .sessionCreated(let session), .sessionUpdated(let session), .sessionDeleted(let session): session.id
        case .status(let id, _), .idle(let id), .compacted(let id), .diff(let id, _), .todo(let id, _),
            .messageRemoved(let id, _), .partRemoved(let id, _, _), .permissionReplied(let id, _, _),
            .questionReplied(let id, _, _), .questionRejected(let id, _):
            id
        case .failed(let id, _): id
        case .message(let info): info.sessionID
        case .part(let part, _, _): part.sessionID
        case .partDelta(let delta): delta.sessionID
        case .permissionAsked(let permission): permission.sessionID
        case .questionAsked(let question): question.sessionID
        case .other(_, let properties): properties["sessionID"]?.text
        }
    }

    fileprivate func properties(_ edition: Edition, time requestedAt: Number?) -> JSON? {
        switch self {
        case .sessionCreated(let session), .sessionUpdated(let session), .sessionDeleted(let session):
            return ["sessionID": .string(session.id), "info": session.json]
        case .status(let id, let status): return ["sessionID": .string(id), "status": status.json]
        case .idle(let id), .compacted(let id): return ["sessionID": .string(id)]
        case .failed(let id, let failure): return ["sessionID": id.map(JSON.string), "error": failure.json]
        case .diff(let id, let diff): return ["sessionID": .string(id), "diff": diff]
        case .todo(let id, let todos): return ["sessionID": .string(id), "todos": todos]
        case .message(let info): return ["sessionID": info.sessionID.map(JSON.string), "info": info.json]
        case .messageRemoved(let id, let message): return ["sessionID": .string(id), "messageID": .string(message)]
        case .part(let part, let time, let delta):
            return [
                "sessionID": .string(part.sessionID), "part": part.json, "time": time.map(JSON.number), "delta": delta,
            ]
        case .partDelta(let delta): return delta.json
        case .partRemoved(let id, let message, let part):
            return ["sessionID": .string(id), "messageID": .string(message), "partID": .string(part)]
        case .permissionAsked(let permission):
            return edition == .first ? permission.firstJSON(requestedAt: requestedAt ?? 0) : permission.json
        case .permissionReplied(let id, let request, let reply):
            return edition == .first
                ? ["sessionID": .string(id), "permissionID": .string(request), "response": .string(reply)]
                : ["sessionID": .string(id), "requestID": .string(request), "reply": .string(reply)]
        case .questionAsked(let question): return question.json
        case .questionReplied(let id, let request, let answers):
            let rows = answers.map { JSON.array($0.map(JSON.string)) }
            return ["sessionID": .string(id), "requestID": .string(request), "answers": .array(rows)]
        case .questionRejected(let id, let request): return ["sessionID": .string(id), "requestID": .string(request)]
        case .other(_, let properties): return properties
        }
    }
}

extension Change {
    /// Creates the event `command.executed`.
    ///
    /// - Parameter messageID: The last message of the command's turn.
    static func commandExecuted(
        _ name: String, arguments: String, sessionID: String, messageID: String?
    ) -> Change {
        .other(
            type: "command.executed",
            properties: [
                "name": .string(name), "sessionID": .string(sessionID), "arguments": .string(arguments),
                "messageID": messageID.map(JSON.string),
            ])
    }
}

extension Change.Delta {
    var json: JSON {
        [
            "sessionID": .string(sessionID), "messageID": .string(messageID), "partID": .string(partID),
            "field": .string(field), "delta": delta,
        ]
    }
}
