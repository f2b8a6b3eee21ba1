// SPDX-License-Identifier: Apache-2.0

internal import JSONText

/// The state of a session before an event, reconstructed from a later state of the session in OpenCode 2.
///
/// OpenCode 2's lists contain the start and end times of messages and tool calls. For texts, the lists contain only the
/// order. The type therefore keeps some content that began after the event. The later event about such content adds the
/// content again at the same position.
struct RewoundSession {
    private let event: OpenCode2Event
    /// The answer that the event belongs to.
    private let messageID: String?

    init(before event: OpenCode2Event) {
        self.event = event
        messageID = event["assistantMessageID"]?.text
    }

    /// Whether the session was busy before the event; nil if the event does not show this.
    var isRunning: Bool? {
        switch event.type {
        case "session.execution.started", "session.created", "session.forked": false
        case "session.execution.succeeded", "session.execution.failed", "session.execution.interrupted",
            "session.inbox.delivered":
            true
        default: messageID == nil ? nil : true
        }
    }

    /// Returns the messages that existed before the event, in their state before the event.
    func messages(_ messages: [JSON]) -> [JSON] {
        var before: [JSON] = []
        for message in messages {
            if isLater(message) { continue }
            before.append(message["type"]?.text == "assistant" ? answer(message) : message)
            if let messageID, message["id"]?.text == messageID { break }
        }
        return before
    }

    /// Returns the prompts that were delivered after the event. A prompt in the result may have been in the inbox at
    /// the time of the event.
    func later(_ messages: [JSON]) -> [JSON] {
        messages.filter { $0["type"]?.text == "user" && isLater($0) }
    }

    /// The id of the inbox item that this event delivers.
    var delivered: String? { event.type == "session.inbox.delivered" ? event["inboxID"]?.text : nil }

    /// Returns whether the event that begins this answer may still arrive. In lists, an answer's creation time is the
    /// time of the request to the provider. This request precedes the event that begins the answer.
    func mayPrecede(_ id: String) -> Bool { messageID != id || event.type == "session.step.started" }

    /// Returns whether another answer to the same prompt precedes this answer.
    func hasAnswered(before id: String, _ messages: [JSON]) -> Bool {
        var isOne = false
        for message in messages {
            if message["id"]?.text == id { return isOne }
            switch message["type"]?.text {
            case "user": isOne = false
            case "assistant": isOne = true
            default: break
            }
        }
        return isOne
    }

    private func isLater(_ message: JSON) -> Bool {
        guard let id = message["id"]?.text else { return true }
        if id == delivered { return true }
        if id == messageID { return isFirst(of: message) }
        return isLater(message["time"]?["created"])
    }

    private func isLater(_ time: JSON?) -> Bool {
        guard let time = time?.number?.integer, let now = event.created.integer else { return false }
        return time > now
    }

    /// Returns whether the event begins this answer. Events of the same type also begin the retries of an answer. The
    /// event's `started` equals the creation time of the answer only for the first attempt.
    private func isFirst(of message: JSON) -> Bool {
        event.type == "session.step.started"
            && (event["started"] == nil || event["started"] == message["time"]?["created"])
    }

    /// Returns whether the event begins the first content item of an answer.
    private func beginsFirst(_ content: [JSON]) -> Bool {
        switch event.type {
        case "session.text.started": content.first?["type"]?.text == "text" && isFirstOrdinal
        case "session.reasoning.started": content.first?["type"]?.text == "reasoning" && isFirstOrdinal
        case "session.tool.input.started": content.first?["id"] == event["id"]
        default: false
        }
    }

    private var isFirstOrdinal: Bool { event["ordinal"]?.number?.integer ?? 0 == 0 }

    /// Returns an answer in its state before the event.
    private func answer(_ message: JSON) -> JSON {
        guard var object = message.object else { return message }
        var time = object["time"]?.object ?? JSONObject()
        let isOpen = message["id"]?.text == messageID || isLater(time["completed"])
        guard isOpen else { return message }
        // Remove the end of the answer, because a later event reports the end.
        time["completed"] = nil
        object["time"] = .object(time)
        if messageID != nil { object["error"] = nil }
        let content = object["content"]?.array ?? []
        object["content"] = .array(beginsFirst(content) ? [] : content.compactMap(self.content))
        return .object(object)
    }

    /// Returns a content item in its state before the event. If a tool call ended after the event, the end is removed.
    private func content(_ item: JSON) -> JSON? {
        guard item["type"]?.text == "tool", var object = item.object, var time = object["time"]?.object else {
            return item
        }
        // Keep a call that began after the event. The event that begins the call adds the call again at the same
        // position.
        guard isLater(time["completed"]) else { return item }
        time["completed"] = nil
        object["time"] = .object(time)
        if var state = object["state"]?.object {
            state["error"] = nil
            object["state"] = .object(state)
        }
        return .object(object)
    }
}

extension SessionState {
    /// Resets the restored state to the time of an event. The messages have already been reset.
    mutating func rewind(to rewound: RewoundSession, _ messages: [JSON]) {
        for message in rewound.later(messages) { restore(later: message) }
        if let step, !step.isOver, rewound.mayPrecede(step.id) {
            restoredAnswer = step.id
            hasStepped = rewound.hasAnswered(before: step.id, messages)
        }
        if let delivered = rewound.delivered { waiting.insert(delivered) }
    }
}
