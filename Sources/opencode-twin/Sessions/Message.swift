/// One message of a session: what the user said, or an answer with its parts.
enum Message: Sendable {
    case user(UserMessage)
    case assistant(AssistantMessage)

    var id: String {
        switch self {
        case .user(let message): message.id
        case .assistant(let message): message.id
        }
    }

    var created: Int {
        switch self {
        case .user(let message): message.created
        case .assistant(let message): message.created
        }
    }

    /// As `GET /session/ID/message?limit=N` shows it: the members stand in the order in which they are stored.
    var paged: JSON {
        switch self {
        case .user(let message): message.paged
        case .assistant(let message): message.answer
        }
    }

    /// As `GET /session/ID/message` lists it.
    var listed: JSON {
        switch self {
        case .user(let message): message.listed
        case .assistant(let message): message.listed
        }
    }
}

/// A prompt.
struct UserMessage: Sendable {
    let id = Identifier.make("msg")
    let partID = Identifier.make("prt")
    let sessionID: String
    let text: String
    let model: Session.Model
    let created = Clock.milliseconds
    var hasSummary = false

    private var modelJSON: JSON {
        ["providerID": .string(model.providerID), "modelID": .string(model.modelID)]
    }

    /// As the event shows it when the prompt has just come.
    var addedEvent: JSON {
        [
            "id": .string(id), "role": "user", "sessionID": .string(sessionID), "time": ["created": .integer(created)],
            "agent": "build", "model": modelJSON,
        ]
    }

    /// As the event shows it with the summary of changes; its members stand in another order once the turn is over.
    func summaryEvent(afterTurn: Bool) -> JSON {
        let start: JSON = [
            "role": "user", "time": ["created": .integer(created)], "agent": "build", "model": modelJSON,
        ]
        let summary: [(String, JSON)] = [("summary", ["diffs": []])]
        let identity: [(String, JSON)] = [("id", .string(id)), ("sessionID", .string(sessionID))]
        return start.adding(afterTurn ? summary + identity : identity + summary)
    }

    /// The text part as the event shows it.
    var partEvent: JSON {
        [
            "type": "text", "text": .string(text), "messageID": .string(id), "sessionID": .string(sessionID),
            "id": .string(partID),
        ]
    }

    var paged: JSON {
        [
            "info": summaryEvent(afterTurn: true),
            "parts": [
                [
                    "type": "text", "text": .string(text), "id": .string(partID), "sessionID": .string(sessionID),
                    "messageID": .string(id),
                ]
            ],
        ]
    }

    var listed: JSON {
        let summary: [(String, JSON)] = hasSummary ? [("summary", ["diffs": []])] : []
        let info: JSON = [
            "id": .string(id), "sessionID": .string(sessionID), "role": "user", "time": ["created": .integer(created)],
        ]
        return [
            "info": info.adding(summary + [("agent", "build"), ("model", modelJSON)]),
            "parts": [
                [
                    "id": .string(partID), "sessionID": .string(sessionID), "messageID": .string(id), "type": "text",
                    "text": .string(text),
                ]
            ],
        ]
    }
}
