/// The events of a session.
extension Conversation {
    func publish(_ type: String, _ properties: JSON, _ session: Session, stored: Bool = false) {
        bus.publish(type, properties, directory: session.directory, storedIn: stored ? session.id : nil)
    }

    /// The properties of an event that carries an info.
    func properties(_ info: JSON, _ session: Session) -> JSON {
        profile.layouts.infoProperties.object(["sessionID": .string(session.id), "info": info])
    }

    /// `message.updated` with a message's info.
    func publishInfo(_ info: JSON, _ session: Session) {
        publish("message.updated", properties(info, session), session, stored: true)
    }

    /// `message.part.updated`.
    func publishPart(
        _ part: Part, of message: (id: String, session: Session), _ look: MessageLayouts, delta: String? = nil
    ) {
        let session = message.session
        publish(
            "message.part.updated",
            profile.layouts.partProperties.object([
                "sessionID": .string(session.id),
                "part": part.json(in: (message.id, session.id), look, profile.layouts),
                "time": .integer(Clock.milliseconds), "delta": delta.map { .string($0) },
            ]), session, stored: true)
    }

    /// `message.part.delta`.
    func publishDelta(_ delta: String, of part: Part, _ message: (id: String, session: Session)) {
        publish(
            "message.part.delta",
            [
                "sessionID": .string(message.session.id), "messageID": .string(message.id),
                "partID": .string(part.id), "field": "text", "delta": .string(delta),
            ], message.session)
    }

    /// `session.updated` with the session as it is now.
    func publishSession(_ id: String) {
        guard let session = store[id] else { return }
        let info = session.json(profile.layouts.sessionChanged, profile)
        publish("session.updated", properties(info, session), session, stored: true)
    }

    func publishStatus(_ status: JSON, _ session: Session) {
        publish("session.status", ["sessionID": .string(session.id), "status": status], session)
    }

    /// The session works; what else its status said is over.
    func publishBusy(_ session: Session) {
        store.update(session.id) { $0.status = ["type": "busy"] }
        publishStatus(["type": "busy"], session)
    }

    func publishIdle(_ session: Session) {
        publishStatus(["type": "idle"], session)
        publish("session.idle", ["sessionID": .string(session.id)], session)
    }

    /// `session.diff`.
    func publishChanges(_ changes: [FileChange], _ session: Session) {
        let diff = JSON.array(changes.map { $0.json(profile.layouts.change) })
        publish("session.diff", ["sessionID": .string(session.id), "diff": diff], session)
    }
}
