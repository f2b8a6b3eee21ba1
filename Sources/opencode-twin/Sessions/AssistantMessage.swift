/// The answer to a prompt, as far as it has come.
struct AssistantMessage: Sendable {
    /// One step's parts: where it started, its text, how it finished.
    struct Parts: Sendable {
        let startID = Identifier.make("prt")
        let textID = Identifier.make("prt")
        let finishID = Identifier.make("prt")
        let snapshot: String
        let textStarted = Clock.milliseconds
        var text = ""
        var textEnded: Int?
        var isFinished = false
    }

    /// What one turn of the twin costs.
    static let inputTokens = 120
    static let outputTokens = 42

    let id = Identifier.make("msg")
    let sessionID: String
    let parentID: String
    let model: Session.Model
    let directory: String
    let created = Clock.milliseconds
    var completed: Int?
    var hasFinished = false
    var wasAborted = false
    var parts: Parts?

    /// The error of an aborted turn.
    static var abortError: JSON { ["name": "MessageAbortedError", "data": ["message": "Aborted"]] }

    private var identity: [(String, JSON)] { [("id", .string(id))] }
    private var session: [(String, JSON)] { [("sessionID", .string(sessionID))] }
    private var parent: [(String, JSON)] { [("parentID", .string(parentID))] }
    private var role: [(String, JSON)] { [("role", "assistant")] }
    private var modelMembers: [(String, JSON)] {
        [("modelID", .string(model.modelID)), ("providerID", .string(model.providerID))]
    }

    private var place: [(String, JSON)] {
        [
            ("mode", "build"), ("agent", "build"),
            ("path", ["cwd": .string(directory), "root": .string(directory)]), ("cost", 0),
        ]
    }

    private var time: [(String, JSON)] {
        let end: [(String, JSON)] = completed.map { [("completed", .integer($0))] } ?? []
        let start: JSON = ["created": .integer(created)]
        return [("time", start.adding(end))]
    }

    private var outcome: [(String, JSON)] {
        if wasAborted { return [("error", AssistantMessage.abortError)] }
        return hasFinished ? [("finish", "stop")] : []
    }

    /// `total` comes with the finish; then the cache's members stand in the other order, except in lists.
    private func tokens(listed: Bool = false) -> [(String, JSON)] {
        let counted = hasFinished
        let start: JSON =
            counted ? ["total": .integer(AssistantMessage.inputTokens + AssistantMessage.outputTokens)] : [:]
        let cache: JSON = counted && !listed ? ["write": 0, "read": 0] : ["read": 0, "write": 0]
        return [
            (
                "tokens",
                start.adding([
                    ("input", .integer(counted ? AssistantMessage.inputTokens : 0)),
                    ("output", .integer(counted ? AssistantMessage.outputTokens : 0)), ("reasoning", 0),
                    ("cache", cache),
                ])
            )
        ]
    }

    /// As `message.updated` shows it.
    var event: JSON { object(identity, parent, role, place, tokens(), modelMembers, time, session, outcome) }

    /// As `POST /session/ID/message` answers it.
    var answer: JSON {
        let info = object(parent, role, place, tokens(), modelMembers, time, outcome, identity, session)
        return ["info": info, "parts": .array(partsInAnswer)]
    }

    /// As `GET /session/ID/message` lists it.
    var listed: JSON {
        let info = object(
            identity, session, role, time, parent, modelMembers, place, tokens(listed: true), outcome)
        return ["info": info, "parts": .array(partsInList)]
    }

    private func object(_ groups: [(String, JSON)]...) -> JSON {
        JSON.object([]).adding(groups.flatMap { $0 })
    }
}

extension AssistantMessage {
    private func identity(of partID: String) -> [(String, JSON)] {
        [("id", .string(partID)), ("sessionID", .string(sessionID)), ("messageID", .string(id))]
    }

    private func textMembers(_ parts: Parts) -> [(String, JSON)] {
        let end: [(String, JSON)] = parts.textEnded.map { [("end", .integer($0))] } ?? []
        let start: JSON = ["start": .integer(parts.textStarted)]
        return [("type", "text"), ("text", .string(parts.text)), ("time", start.adding(end))]
    }

    /// The part that begins the step, as `message.part.updated` shows it.
    func stepStartEvent(_ parts: Parts) -> JSON {
        [
            "id": .string(parts.startID), "messageID": .string(id), "sessionID": .string(sessionID),
            "snapshot": .string(parts.snapshot), "type": "step-start",
        ]
    }

    /// The text part, as `message.part.updated` shows it: empty at first, whole at its end.
    func textEvent(_ parts: Parts) -> JSON {
        let identity: JSON = [
            "id": .string(parts.textID), "messageID": .string(id), "sessionID": .string(sessionID),
        ]
        return identity.adding(textMembers(parts))
    }

    /// The part that ends the step, as `message.part.updated` shows it.
    func stepFinishEvent(_ parts: Parts) -> JSON {
        let start: JSON = [
            "id": .string(parts.finishID), "reason": "stop", "snapshot": .string(parts.snapshot),
            "messageID": .string(id), "sessionID": .string(sessionID), "type": "step-finish",
        ]
        return start.adding(tokens() + [("cost", 0)])
    }

    private var partsInAnswer: [JSON] {
        guard let parts else { return [] }
        let start: JSON = ["snapshot": .string(parts.snapshot), "type": "step-start"]
        let finish: JSON = ["reason": "stop", "snapshot": .string(parts.snapshot), "type": "step-finish"]
        return [
            start.adding(identity(of: parts.startID)),
            JSON.object([]).adding(textMembers(parts) + identity(of: parts.textID)),
        ] + (parts.isFinished ? [finish.adding(tokens() + [("cost", 0)] + identity(of: parts.finishID))] : [])
    }

    private var partsInList: [JSON] {
        guard let parts else { return [] }
        return [
            JSON.object([]).adding(
                identity(of: parts.startID) + [("type", "step-start"), ("snapshot", .string(parts.snapshot))]),
            JSON.object([]).adding(identity(of: parts.textID) + textMembers(parts)),
        ]
            + (parts.isFinished
                ? [
                    JSON.object([]).adding(
                        identity(of: parts.finishID) + [
                            ("type", "step-finish"), ("reason", "stop"), ("snapshot", .string(parts.snapshot)),
                            ("cost", 0),
                        ] + tokens(listed: true))
                ] : [])
    }
}
