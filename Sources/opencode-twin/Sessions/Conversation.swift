import TestKit

/// Runs turns: stores what is said and publishes the events in the recorded order.
struct Conversation: Sendable {
    /// A prompt that was stored and waits for its turn.
    struct Prompt: Sendable {
        let sessionID: String
        let message: UserMessage
    }

    let store: SessionStore
    let bus: EventBus
    let profile: Profile

    /// Creates a session.
    func create(directory: String, title: String?, parentID: String?) -> Session {
        let session = Session(directory: directory, title: title, parentID: parentID)
        store.add(session)
        bus.publish(
            "session.created", ["sessionID": .string(session.id), "info": session.createdEvent(profile)],
            directory: directory, storedIn: session.id)
        return session
    }

    /// Stores a prompt; its turn comes when the turns before it are over.
    func accept(_ text: String, model: Session.Model, in session: Session) -> Prompt {
        let message = UserMessage(sessionID: session.id, text: text, model: model)
        var modelIsNew = false
        store.update(session.id) {
            modelIsNew = $0.model != model
            $0.model = model
            $0.queued.append(message.id)
        }
        if modelIsNew { publishSession(session.id) }
        store.store(.user(message), in: session.id)
        publish(message.addedEvent, session)
        publishPart(message.partEvent, session)
        publishSession(session.id)
        return Prompt(sessionID: session.id, message: message)
    }

    /// Runs the turn of a prompt to its end, which releases the session; the answer, or nil when it was dropped before
    /// it began.
    func run(_ prompt: Prompt) -> AssistantMessage? {
        let control = TurnControl()
        guard let session = store.claim(prompt.sessionID, prompt: prompt.message.id, with: control) else {
            return nil
        }
        return Turn(conversation: self, prompt: prompt, session: session, control: control).run()
    }

    /// Aborts the running turn, which publishes that itself between two of its events, and drops the queued ones.
    func abort(_ session: Session) {
        let running = store.update(session.id) { $0.queued = [] }?.runningTurn
        if let running {
            running.abort.open()
            _ = running.isSettled.isOpened(within: .seconds(10))
            if running.wasAborted.isOpen { return }
        }
        publishIdle(session)
    }

    /// Deletes a session.
    func delete(_ session: Session) {
        store[session.id]?.runningTurn?.abort.open()
        publishIdle(session)
        guard let removed = store.remove(session.id) else { return }
        publish(
            "session.deleted", ["sessionID": .string(session.id), "info": removed.updatedEvent(profile)], session,
            stored: true)
    }

    /// Changes the title.
    func rename(_ session: Session, to title: String) -> Session {
        let changed = store.update(session.id) {
            $0.title = title
            $0.hasDefaultTitle = false
        }
        publishSession(session.id)
        return changed ?? session
    }
}

extension Conversation {
    func publish(_ type: String, _ properties: JSON, _ session: Session, stored: Bool = false) {
        bus.publish(type, properties, directory: session.directory, storedIn: stored ? session.id : nil)
    }

    /// `message.updated` with a message's info.
    func publish(_ info: JSON, _ session: Session) {
        publish("message.updated", ["sessionID": .string(session.id), "info": info], session, stored: true)
    }

    /// `message.part.updated`.
    func publishPart(_ part: JSON, _ session: Session) {
        publish(
            "message.part.updated",
            ["sessionID": .string(session.id), "part": part, "time": .integer(Clock.milliseconds)], session,
            stored: true)
    }

    /// `session.updated` with the session as it is now.
    func publishSession(_ id: String) {
        guard let session = store[id] else { return }
        publish(
            "session.updated", ["sessionID": .string(id), "info": session.updatedEvent(profile)], session, stored: true)
    }

    func publishStatus(_ status: String, _ session: Session) {
        publish("session.status", ["sessionID": .string(session.id), "status": ["type": .string(status)]], session)
    }

    func publishIdle(_ session: Session) {
        publishStatus("idle", session)
        publish("session.idle", ["sessionID": .string(session.id)], session)
    }

    func publishDiff(_ session: Session) {
        publish("session.diff", ["sessionID": .string(session.id), "diff": []], session)
    }
}
