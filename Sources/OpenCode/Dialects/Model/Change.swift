// SPDX-License-Identifier: Apache-2.0

package import JSONText

/// The content of an event.
package enum Change: Sendable, Equatable {
    case sessionCreated(Session)
    case sessionUpdated(Session)
    case sessionDeleted(Session)
    case status(sessionID: String, Status)
    case idle(sessionID: String)
    case failed(sessionID: String?, Failure)
    case compacted(sessionID: String)
    /// The file changes of a session, in OpenCode's format.
    case diff(sessionID: String, JSON)
    case todo(sessionID: String, JSON)
    case message(MessageInfo)
    case messageRemoved(sessionID: String, messageID: String)
    /// The current state of a part, with the time in milliseconds since 1970. `delta` is the added text, which only
    /// OpenCode before 1.2 sends in this event.
    case part(Part, time: Number?, delta: JSON?)
    case partDelta(Delta)
    case partRemoved(sessionID: String, messageID: String, partID: String)
    case permissionAsked(Permission)
    case permissionReplied(sessionID: String, id: String, reply: String)
    case questionAsked(Question)
    case questionReplied(sessionID: String, id: String, answers: [[String]])
    case questionRejected(sessionID: String, id: String)
    /// An unchanged event of a type that this model does not define.
    case other(type: String, properties: JSON)

    /// Text that was added to a part.
    package struct Delta: Sendable, Equatable {
        /// OpenCode's id of the session (`ses_…`).
        package var sessionID: String
        /// OpenCode 1's id of the message.
        package var messageID: String
        /// OpenCode 1's id of the part.
        package var partID: String
        /// The member of the part to which the text was added.
        package var field: String
        /// The added string, which may begin or end with half of a surrogate pair.
        package var delta: JSON
    }

    /// The status of a session.
    package enum Status: Sendable, Equatable {
        case idle
        case busy
        /// The session waits for its next attempt, whose time is `next` in milliseconds since 1970.
        case retry(attempt: Number, message: String, next: Number, others: JSONObject)
        case other(JSON)
    }
}

/// An event: its content and its additional members.
package struct Event: Sendable, Equatable {
    /// The event's id (`evt_…`); OpenCode before 1.15 has none.
    package var id: String?
    /// The content of the event.
    package var change: Change
    /// Additional members of the event, which are kept unchanged.
    package var others = JSONObject()
    /// Additional members of the event's properties, which are kept unchanged.
    package var otherProperties = JSONObject()

    /// Creates an event, whose id begins with `evt_`.
    package init(id: String?, _ change: Change) {
        self.id = id
        self.change = change
    }
}

/// The version of OpenCode 1's events that a client was written for.
package enum Edition: Sendable {
    /// The events of versions up to 1.0.223. These versions report a permission request as `permission.updated`, and
    /// send a part's whole text and its delta in the same event.
    case first
    /// The events of OpenCode 1.18.33.
    case current
}
