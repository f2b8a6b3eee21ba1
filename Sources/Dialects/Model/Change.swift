package import JSONText

/// What an event tells.
package enum Change: Sendable, Equatable {
    case sessionCreated(Session)
    case sessionUpdated(Session)
    case sessionDeleted(Session)
    case status(sessionID: String, Status)
    case idle(sessionID: String)
    case failed(sessionID: String?, Failure)
    case compacted(sessionID: String)
    /// What a session has changed in files, as OpenCode says it.
    case diff(sessionID: String, JSON)
    case todo(sessionID: String, JSON)
    case message(MessageInfo)
    case messageRemoved(sessionID: String, messageID: String)
    /// A part as it stands now; `time` in milliseconds since 1970. `delta` is what was added to its text, where the
    /// event says both (OpenCode before 1.2).
    case part(Part, time: Number?, delta: JSON?)
    case partDelta(Delta)
    case partRemoved(sessionID: String, messageID: String, partID: String)
    case permissionAsked(Permission)
    case permissionReplied(sessionID: String, id: String, reply: String)
    case questionAsked(Question)
    case questionReplied(sessionID: String, id: String, answers: [[String]])
    case questionRejected(sessionID: String, id: String)
    /// What this model does not know, as it came.
    case other(type: String, properties: JSON)

    /// Text that was added to a part.
    package struct Delta: Sendable, Equatable {
        /// `ses_…`.
        package var sessionID: String
        /// OpenCode 1's id of the message.
        package var messageID: String
        /// OpenCode 1's id of the part.
        package var partID: String
        /// The member of the part that grows.
        package var field: String
        /// A string, perhaps with half a surrogate pair at an end.
        package var delta: JSON
    }

    /// Whether a session works.
    package enum Status: Sendable, Equatable {
        case idle
        case busy
        /// It waits for the next try; `next` in milliseconds since 1970.
        case retry(attempt: Number, message: String, next: Number, others: JSONObject)
        case other(JSON)
    }
}

/// An event: a change, and what stands around it.
package struct Event: Sendable, Equatable {
    /// `evt_…`; OpenCode before 1.15 has none.
    package var id: String?
    /// What it tells.
    package var change: Change
    /// Members of the event and of its properties that this model does not name, as they came.
    package var others = JSONObject()
    /// Of its properties, as they came.
    package var otherProperties = JSONObject()

    /// `id` begins with `evt_`.
    package init(id: String?, _ change: Change) { (self.id, self.change) = (id, change) }
}

/// Which OpenCode 1 a client was written for.
package enum Edition: Sendable {
    /// Up to 1.0.223: `permission.updated`, text and addition in one event.
    case first
    /// As 1.18.33 says it.
    case current
}
