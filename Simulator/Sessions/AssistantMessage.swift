// SPDX-License-Identifier: Apache-2.0

/// The answer to a prompt, with its progress.
struct AssistantMessage: Sendable {
    let id = Identifier.make("msg")
    let sessionID: String
    let parentID: String
    let model: Session.Model
    let directory: String
    let created = Clock.milliseconds
    var completed: Int?
    /// The model's reason for the end of its output; nil before the end.
    var finish: String?
    var usage: Usage?
    var error: JSON?
    var parts: [Part] = []

    /// Returns the message's info in the format of one context.
    func info(_ look: MessageLayouts, _ layouts: Layouts) -> JSON {
        let times: Layout = "created completed"
        let tokens: JSON =
            usage?.json(layouts.tokens, cache: look.cache)
            ?? Usage(isKnown: false).json(layouts.tokens, cache: "read write")
        return look.assistant.object([
            "id": .string(id), "sessionID": .string(sessionID), "parentID": .string(parentID), "role": "assistant",
            "mode": "build", "agent": "build", "path": ["cwd": .string(directory), "root": .string(directory)],
            "cost": 0, "tokens": tokens, "modelID": .string(model.modelID), "providerID": .string(model.providerID),
            "time": times.object(["created": .integer(created), "completed": completed.map { .integer($0) }]),
            "finish": finish.map { .string($0) }, "error": error,
        ])
    }

    /// Returns the info and the parts in the format of one context.
    func json(_ look: MessageLayouts, _ layouts: Layouts) -> JSON {
        ["info": info(look, layouts), "parts": .array(parts.map { $0.json(in: (id, sessionID), look, layouts) })]
    }

    /// Returns a copy of the message in another session.
    func copied(to session: String) -> AssistantMessage {
        var copy = AssistantMessage(sessionID: session, parentID: parentID, model: model, directory: directory)
        copy.completed = completed
        copy.finish = finish
        copy.usage = usage
        copy.error = error
        copy.parts = parts.map { Part(content: $0.content) }
        return copy
    }

    /// Replaces a part, or adds it at the end.
    mutating func store(_ part: Part) {
        if let index = parts.firstIndex(where: { $0.id == part.id }) {
            parts[index] = part
        } else {
            parts.append(part)
        }
    }
}
