// SPDX-License-Identifier: Apache-2.0

import TestKit

/// The activity of a session from its wake-up until its inbox is empty. Only one thread uses an execution.
final class Execution2 {
    /// The reason for a premature end.
    enum Ending: Error {
        case interrupted(reason: String)
        case failed(JSON)
    }

    let conversation: Conversation2
    let id: String
    let control: TurnControl
    /// The script of the turn. Each processed prompt selects a new script.
    private(set) var script: TurnScript
    /// The last prompt, and the id of its message.
    private(set) var prompt = (id: "", text: "")
    /// Whether the scenario's tool was called since the last prompt.
    var hasCalledTool = false
    /// A subagent's text, which overrides the text of the script; nil for other sessions.
    var words: [String]?

    var store: SessionStore2 { conversation.store }

    init(_ conversation: Conversation2, session id: String, _ control: TurnControl) {
        self.conversation = conversation
        self.id = id
        self.control = control
        script = TurnScript(model: "talk", prompt: "", pace: conversation.pace)
    }

    /// Returns the session in its current state. Throws an error if the session was removed, because a removed session
    /// publishes no events.
    func session() throws(Ending) -> Session2 {
        guard let session = store[id] else { throw .interrupted(reason: "user") }
        return session
    }

    /// Runs until the inbox is empty and marks the session as idle.
    func run() {
        do throws(Ending) {
            conversation.publish("session.execution.started", in: try session(), isLocated: false)
            repeat { try emptyInbox() } while !finish("succeeded", outcome: .succeeded, parksInbox: false)
        } catch {
            switch error {
            case .failed(let error):
                _ = finish("failed", outcome: .failed, members: [("error", error)], parksInbox: true)
                // Wake the session again, so that input that arrived before the session became idle is processed.
                if store[id]?.inbox.isEmpty == false { conversation.wake(id) }
            case .interrupted(let reason):
                // The remaining inbox items wait for the next prompt. The session has an outcome only if the user has
                // interrupted the turn.
                let outcome: Session2.TurnOutcome? = reason == "user" ? .interrupted : nil
                _ = finish("interrupted", outcome: outcome, members: [("reason", .string(reason))], parksInbox: true)
                if reason == "user" { control.wasAborted.open() }
            }
        }
        control.isSettled.open()
    }

    /// Waits for a time. Throws an error if the turn is interrupted.
    func pause(_ time: Duration) throws(Ending) {
        do {
            try control.pause(time)
        } catch {
            throw .interrupted(reason: "user")
        }
    }

    /// Ends the execution and publishes the outcome. Returns false if the inbox contains more items to process.
    private func finish(
        _ type: String, outcome: Session2.TurnOutcome?, members: [(String, JSON)] = [], parksInbox: Bool
    ) -> Bool {
        let bus = conversation.bus
        let id = id
        let data = JSON.object([]).adding([("sessionID", .string(id))] + members)
        return store.finish(id, parksInbox: parksInbox) { session in
            let now = Clock.milliseconds
            let event = bus.publish(
                "session.execution.\(type)", data, in: nil, durable: EventBus2.Durable(session: id), created: now)
            guard let outcome else { return }
            session.outcome = outcome
            session.idle = now
            let message = "msg_\(event.dropFirst(4))"
            session.messages.append(
                Session2.Message(
                    id: message, type: "idle",
                    json: [
                        "id": .string(message), "time": ["created": .integer(now)], "type": "idle",
                        "outcome": .string(outcome.rawValue),
                    ]))
        }
    }

    private func emptyInbox() throws(Ending) {
        var owesStep = false
        while true {
            let items = store.dequeue(id, includesQueued: !owesStep)
            if items.isEmpty, !owesStep { return }
            if items.contains(where: { $0.kind == .user }) { try instruct() }
            for item in items where try consume(item) { owesStep = true }
            if owesStep { owesStep = try step() }
        }
    }

    /// Processes an inbox item. Returns whether the model must answer the item.
    private func consume(_ item: InboxItem2) throws(Ending) -> Bool {
        try pause(.zero)
        // In every recorded turn, the message and the event have the same time.
        let now = Clock.milliseconds
        conversation.publish(
            "session.inbox.delivered", in: try session(), [("inboxID", .string(item.id))], created: now)
        switch item.kind {
        case .user:
            let text = item.payload["text"]?.text ?? ""
            prompt = (item.id, text)
            hasCalledTool = false
            try show(item, "user", created: now)
            if try session().model == nil { store.update(id, isProgress: true) { $0.model = .standard } }
            script = TurnScript(model: try session().model?.id ?? "talk", prompt: text, pace: conversation.pace)
            if words != nil { script.scenario = .talk }
            try entitle()
            return true
        case .synthetic: try show(item, "synthetic", created: now)
        case .move: try move(item)
        case .compaction: try compact(item)
        }
        return false
    }

    /// Stores an inbox item as a message.
    private func show(_ item: InboxItem2, _ type: String, created: Int) throws(Ending) {
        guard case .object(let members) = item.payload else { return }
        let metadata = members.filter { $0.name == "metadata" }.map { ($0.name, $0.value) }
        let remainder = members.filter { $0.name != "metadata" }.map { ($0.name, $0.value) }
        let start: JSON = ["id": .string(item.id)]
        let json = start.adding(metadata + [("time", ["created": .integer(created)])] + remainder).adding([
            ("type", .string(type))
        ])
        store.store(Session2.Message(id: item.id, type: type, json: json), in: id)
    }

    /// Publishes the session's initial instructions if they have not been published yet.
    private func instruct() throws(Ending) {
        let session = try session()
        if session.isInstructed { return }
        store.update(id, isProgress: true) { $0.isInstructed = true }
        conversation.publish(
            "session.instructions.updated", in: session, [("delta", Conversation2.instructions(of: session))],
            version: 2,
            metadata: ["instructions": ["initial": true]])
    }

    /// Generates the title of a new session, which requires one call of a model.
    private func entitle() throws(Ending) {
        if try session().title != nil { return }
        try pause(script.scaled(.milliseconds(40)))
        conversation.bus.skip(id)
        use(.call)
        let words = TurnScript.withoutOptions(prompt.text).split(whereSeparator: \.isWhitespace).prefix(6)
        conversation.rename(id, to: words.joined(separator: " "))
    }

    /// Adds the usage of a call to the session.
    func use(_ usage: Usage2) {
        guard let session = store.update(id, isProgress: true, { $0.usage += usage }) else { return }
        conversation.publish(
            "session.usage.updated", in: session, session.usage.members, version: nil, isLocated: false)
    }
}
