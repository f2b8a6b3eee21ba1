// SPDX-License-Identifier: Apache-2.0

package import JSONText

/// Translates a list of OpenCode 2's messages to OpenCode 1, message by message.
///
/// The list retains only the messages whose translation depends on the next message. OpenCode 2's prompts name neither
/// an agent nor a model, so the list takes both from the answer. The next message also shows whether a failed step was
/// retried, and whether a step without an end was the last step of its turn.
package struct MessageList {
    private let session: Session
    private let defaults: InstanceDefaults
    private let messages: MessageTranslation
    /// The prompt of the next answers; nil if the list begins after that prompt.
    private var parentID: String?
    private var prompts: [JSONObject] = []
    /// The last step, if it failed or has no end yet.
    private var openAnswer: JSONObject?
    /// Whether the `parentID` of a message is unknown because the list begins with an answer. In that case, the
    /// `parentID` is the message's own id.
    package private(set) var lacksParent = false

    /// Creates a list.
    ///
    /// - Parameter parentID: The id of the last prompt before the list; nil if it is unknown.
    package init(session: Session, _ defaults: InstanceDefaults, parentID: String? = nil) {
        self.session = session
        self.defaults = defaults
        self.parentID = parentID.map(MessageIDs.openCode1)
        messages = MessageTranslation(session: session)
    }

    /// Adds the next message, in order from the oldest, and returns the messages that are now complete.
    package mutating func add(_ message: JSON) -> [Message] {
        guard let object = message.object, let type = object["type"]?.text else { return [] }
        switch type {
        case "user":
            let before = settle(isRetried: false)
            prompts.append(object)
            return before
        case "assistant":
            var all = settle(isRetried: true)
            all += answeredPrompts(
                agent: object["agent"]?.text, model: object["model"].flatMap { Model(openCode1Session: $0) })
            if object["error"] != nil || object["time"]?["completed"] == nil {
                openAnswer = object
            } else {
                all += answer(object, isRetried: false)
            }
            return all
        case "shell", "compaction":
            let before = settle(isRetried: false) + answeredPrompts(agent: nil, model: nil)
            return before + (type == "shell" ? shell(object) : compaction(object))
        case "idle": return settle(isRetried: false, ended: object["time"]?["created"])
        default: return []
        }
    }

    /// Returns the remaining messages.
    ///
    /// - Parameter inbox: The prompts that wait for delivery.
    package mutating func finish(inbox: [JSON] = []) -> [Message] {
        let remaining = settle(isRetried: false) + answeredPrompts(agent: nil, model: nil)
        return remaining
            + inbox.compactMap { item in
                guard item["type"]?.text == "user", let id = item["id"]?.text, let payload = item["payload"]?.object,
                    let created = item["time"]?["created"]?.number
                else { return nil }
                return messages.user(id, created: created, payload: payload, agent: agent, model: model)
            }
    }

    private var agent: String { session.agent ?? defaults.agent }
    private var model: Model {
        session.model ?? defaults.model ?? Model(providerID: "", modelID: "")
    }

    /// Returns the retained step. The message after the step has shown whether the step was retried and when its turn
    /// ended. If a turn is interrupted between two attempts, OpenCode 1 ends the step, but OpenCode 2 leaves the step
    /// without an end.
    private mutating func settle(isRetried: Bool, ended: JSON? = nil) -> [Message] {
        guard var object = openAnswer else { return [] }
        openAnswer = nil
        if let ended, var time = object["time"]?.object, time["completed"] == nil, object["error"] == nil {
            time["completed"] = ended
            object["time"] = .object(time)
        }
        return answer(object, isRetried: isRetried && object["error"]?["type"]?.text != "aborted")
    }

    /// Returns the retained prompts, with the agent and the model of their answer.
    private mutating func answeredPrompts(agent: String?, model: Model?) -> [Message] {
        defer { prompts = [] }
        return prompts.compactMap { object in
            guard let id = object["id"]?.text, let created = object["time"]?["created"]?.number else { return nil }
            parentID = MessageIDs.openCode1(id)
            return messages.user(
                id, created: created, payload: object, agent: agent ?? self.agent, model: model ?? self.model)
        }
    }

    private mutating func answer(_ object: JSONObject, isRetried: Bool) -> [Message] {
        if parentID == nil { lacksParent = true }
        let parent = parentID ?? object["id"]?.text.map(MessageIDs.openCode1) ?? ""
        return messages.assistant(object, parentID: parent, isRetried: isRetried).map { [$0] } ?? []
    }

    private func shell(_ object: JSONObject) -> [Message] {
        guard let id = object["id"]?.text, let created = object["time"]?["created"]?.number,
            let command = object["command"]?.text
        else { return [] }
        let shell = ShellTranslation(
            messages: messages, id: id, callID: object["shellID"]?.text ?? id, command: command, created: created,
            agent: agent, model: model)
        let answer = shell.answer(
            completed: object["time"]?["completed"]?.number, output: object["output"]?["output"]?.text)
        return [shell.userMessage(), Message(.assistant(answer.info), [answer.call])]
    }

    private func compaction(_ object: JSONObject) -> [Message] {
        guard let id = object["id"]?.text, let created = object["time"]?["created"]?.number else { return [] }
        let used = object["model"].flatMap { Model(openCode1Session: $0) } ?? model
        let compaction = CompactionTranslation(messages: messages, id: id, created: created, agent: agent, model: used)
        var info = compaction.answer(created: created)
        var parts: [Part] = []
        let tokens = object["tokens"].flatMap { Tokens($0) }.map(messages.summed) ?? .zero
        if let text = object["summary"]?.text {
            parts.append(messages.part(of: info.id, at: .content(0), .text(Part.Text(text: text))))
        }
        switch object["status"]?.text {
        case "completed":
            info.cost = object["cost"]?.number ?? 0
            info.tokens = tokens
            info.finish = "stop"
            info.completed = created
            parts.insert(messages.part(of: info.id, at: .stepStart, .stepStart(snapshot: nil)), at: 0)
            parts.append(
                messages.stepFinish(info.id, reason: "stop", snapshot: nil, cost: info.cost, tokens: tokens))
        case "failed":
            info.failure = object["error"].map(Failure.init(openCode2:))
            info.completed = created
        default: break
        }
        let userMessage = compaction.userMessage(isAutomatic: object["reason"]?.text == "auto")
        return [userMessage, Message(.assistant(info), parts)]
    }
}
