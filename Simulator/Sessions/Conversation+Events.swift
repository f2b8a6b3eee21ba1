// SPDX-License-Identifier: Apache-2.0

/// Publishes the events of a session.
extension Conversation {
    func publish(_ type: String, _ properties: JSON, in session: Session, stored: Bool = false) {
        bus.publish(type, properties, directory: session.directory, storedIn: stored ? session.id : nil)
    }

    /// Returns the properties of an event that contains the info of a session or a message.
    func properties(_ info: JSON, _ session: Session) -> JSON {
        profile.layouts.infoProperties.object(["sessionID": .string(session.id), "info": info])
    }

    /// Publishes `message.updated` with a message's info.
    func publishInfo(_ info: JSON, _ session: Session) {
        publish("message.updated", properties(info, session), in: session, stored: true)
    }

    /// Publishes `message.part.updated` for a part.
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
            ]), in: session, stored: true)
    }

    /// Publishes `message.part.delta` for a part.
    func publishDelta(_ delta: String, of part: Part, _ message: (id: String, session: Session)) {
        publish(
            "message.part.delta",
            [
                "sessionID": .string(message.session.id), "messageID": .string(message.id),
                "partID": .string(part.id), "field": "text", "delta": .string(delta),
            ], in: message.session)
    }

    /// Publishes `session.updated` with the current session.
    func publishSession(_ id: String) {
        guard let session = store[id] else { return }
        let info = session.json(profile.layouts.sessionChanged, profile)
        publish("session.updated", properties(info, session), in: session, stored: true)
    }

    func publishStatus(_ status: JSON, _ session: Session) {
        publish("session.status", ["sessionID": .string(session.id), "status": status], in: session)
    }

    /// Sets the session's status to busy, for example after a retry, and publishes the status.
    func publishBusy(_ session: Session) {
        store.update(session.id) { $0.status = ["type": "busy"] }
        publishStatus(["type": "busy"], session)
    }

    func publishIdle(_ session: Session) {
        publishStatus(["type": "idle"], session)
        publish("session.idle", ["sessionID": .string(session.id)], in: session)
    }

    /// Publishes `session.diff` with a session's changes.
    func publishChanges(_ changes: [FileChange], _ session: Session) {
        let diff = JSON.array(changes.map { $0.json(profile.layouts.change) })
        publish("session.diff", ["sessionID": .string(session.id), "diff": diff], in: session)
    }
}
