internal import JSONText

/// The moment of an event, in what OpenCode 2 says of a session at a later one.
///
/// Lists hold when messages and calls began and ended; of texts, only their order. What began later than the event begins
/// again with its own event, in the same place.
struct RewoundSession {
    private let event: OpenCode2Event
    /// The answer that the event is about.
    private let messageID: String?

    init(before event: OpenCode2Event) {
        self.event = event
        messageID = event["assistantMessageID"]?.text
    }

    /// Whether the session was at work; nil where the event does not tell.
    var isRunning: Bool? {
        switch event.type {
        case "session.execution.started", "session.created", "session.forked": false
        case "session.execution.succeeded", "session.execution.failed", "session.execution.interrupted",
            "session.inbox.delivered":
            true
        default: messageID == nil ? nil : true
        }
    }

    /// The messages that there were, as they stood.
    func messages(_ messages: [JSON]) -> [JSON] {
        var before: [JSON] = []
        for message in messages {
            if isLater(message) { continue }
            before.append(message["type"]?.text == "assistant" ? answer(message) : message)
            if let messageID, message["id"]?.text == messageID { break }
        }
        return before
    }

    /// The prompts among them that were delivered later: they may have waited.
    func later(_ messages: [JSON]) -> [JSON] {
        messages.filter { $0["type"]?.text == "user" && isLater($0) }
    }

    /// What has come into the inbox by then and was delivered with this very event.
    var delivered: String? { event.type == "session.inbox.delivered" ? event["inboxID"]?.text : nil }

    /// Whether this answer may begin only behind the event: the time that lists give is when the provider was asked.
    func mayPrecede(_ id: String) -> Bool { messageID != id || event.type == "session.step.started" }

    /// Whether another answer to the same prompt stands before this one.
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

    /// Whether the event begins this answer; another try of one begins later than the answer did.
    private func isFirst(of message: JSON) -> Bool {
        event.type == "session.step.started"
            && (event["started"] == nil || event["started"] == message["time"]?["created"])
    }

    /// Whether the event only says that a content of this answer begins, and none stands before it.
    private func beginsFirst(_ content: [JSON]) -> Bool {
        switch event.type {
        case "session.text.started": content.first?["type"]?.text == "text" && isFirstOrdinal
        case "session.reasoning.started": content.first?["type"]?.text == "reasoning" && isFirstOrdinal
        case "session.tool.input.started": content.first?["id"] == event["id"]
        default: false
        }
    }

    private var isFirstOrdinal: Bool { event["ordinal"]?.number?.integer ?? 0 == 0 }

    /// An answer as it stood.
    private func answer(_ message: JSON) -> JSON {
        guard var object = message.object else { return message }
        var time = object["time"]?.object ?? JSONObject()
        let isOpen = message["id"]?.text == messageID || isLater(time["completed"])
        guard isOpen else { return message }
        // How it ended is told later.
        time["completed"] = nil
        object["time"] = .object(time)
        if messageID != nil { object["error"] = nil }
        let content = object["content"]?.array ?? []
        object["content"] = .array(beginsFirst(content) ? [] : content.compactMap(self.content))
        return .object(object)
    }

    /// A content as it stood: a call that began later is none of them, and one that ended later had not.
    private func content(_ item: JSON) -> JSON? {
        guard item["type"]?.text == "tool", var object = item.object, var time = object["time"]?.object else {
            return item
        }
        // It begins again, in its place.
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
    /// What was learned is put back to an event's moment, as far as single messages do not tell it.
    mutating func goBack(to past: RewoundSession, _ messages: [JSON]) {
        for message in past.later(messages) { learn(later: message) }
        if let step, !step.isOver, past.mayPrecede(step.id) {
            learned = step.id
            hasStepped = past.hasAnswered(before: step.id, messages)
        }
        if let delivered = past.delivered { waiting.insert(delivered) }
    }
}
