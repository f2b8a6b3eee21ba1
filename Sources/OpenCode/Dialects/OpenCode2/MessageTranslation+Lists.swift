// SPDX-License-Identifier: Apache-2.0

internal import JSONText

extension MessageTranslation {
    /// Translates a step of an answer in a list.
    ///
    /// - Parameter isRetried: Whether the next message retries the step. The failure of a retried step is not reported.
    func assistant(_ object: JSONObject, parentID: String, isRetried: Bool) -> Message? {
        guard let id = object["id"]?.text, let created = object["time"]?["created"]?.number,
            let model = object["model"].flatMap({ Model(openCode1Session: $0) })
        else { return nil }
        let agent = object["agent"]?.text ?? session.agent ?? ""
        var info = assistant(id, parentID: parentID, created: created, agent: agent, model: model)
        info.completed = object["time"]?["completed"]?.number
        info.cost = object["cost"]?.number ?? 0
        if let tokens = object["tokens"].flatMap({ Tokens($0) }) { info.tokens = summed(tokens) }
        let content = object["content"]?.array ?? []
        let ending = ending(object, content, isRetried: isRetried)
        info.finish = ending.finish
        info.failure = ending.failure
        let before = object["snapshot"]?["start"]?.text
        var parts: [Part] = []
        if !content.isEmpty || ending.finish != nil {
            parts.append(part(of: info.id, at: .stepStart, .stepStart(snapshot: before)))
        }
        for (index, item) in content.enumerated() {
            guard let kind = kind(of: item, at: index, in: info, created: created) else { continue }
            parts.append(part(of: info.id, at: .content(index), kind))
        }
        if let reason = ending.finish {
            let after = object["snapshot"]?["end"]?.text
            parts.append(stepFinish(info.id, reason: reason, snapshot: after, cost: info.cost, tokens: info.tokens))
        }
        let files = object["snapshot"]?["files"]?.array?.compactMap(\.text) ?? []
        if let patch = patch(info.id, before: before, files: files) { parts.append(patch) }
        return Message(.assistant(info), parts)
    }

    private func ending(_ object: JSONObject, _ content: [JSON], isRetried: Bool) -> (
        finish: String?, failure: Failure?
    ) {
        guard let finish = object["finish"]?.text else { return (nil, nil) }
        guard let error = object["error"] else { return (finish, nil) }
        if isRetried { return ("unknown", nil) }
        if error["type"]?.text == "aborted", content.contains(where: { ToolRefusal.isOne($0["state"]?["error"]) }) {
            return (ToolRefusal.finish(object["rawFinish"]?.text), nil)
        }
        return (nil, Failure(openCode2: error))
    }

    private func kind(of item: JSON, at index: Int, in info: AssistantMessage, created: Number) -> Part.Kind? {
        switch item["type"]?.text {
        case "text": return .text(Part.Text(text: item["text"]?.text ?? ""))
        case "reasoning":
            let time = Part.Time(
                start: item["time"]?["created"]?.number ?? created, end: item["time"]?["completed"]?.number)
            return .reasoning(Part.Reasoning(text: item["text"]?.text ?? "", time: time))
        case "tool": return tool(item, at: index, in: info).map(Part.Kind.tool)
        default: return nil
        }
    }

    private func tool(_ item: JSON, at index: Int, in info: AssistantMessage) -> ToolCall? {
        guard let name = item["name"]?.text, let id = item["id"]?.text, let state = item["state"],
            let created = item["time"]?["created"]?.number
        else { return nil }
        let tool = ToolTranslation(name: name, callID: id, session: session, model: info.model)
        let input = state["input"]?.object ?? JSONObject()
        let start = item["time"]?["ran"]?.number ?? created
        let time = Part.Time(start: start, end: item["time"]?["completed"]?.number ?? info.completed ?? start)
        let metadata = state["metadata"]?.object
        switch state["status"]?.text {
        case "streaming": return tool.pending(raw: state["input"]?.text ?? "")
        case "running":
            return tool.running(input: input, start: start, metadata: metadata?.isEmpty == true ? nil : metadata)
        case "completed":
            return tool.completed(
                input: input, content: state["content"]?.array ?? [], metadata: metadata, time: time,
                messageID: info.id, position: index)
        case "error": return tool.failed(input: input, error: state["error"], metadata: metadata, time: time)
        default: return nil
        }
    }
}

/// A user's shell command, which is one message in OpenCode 2 and two messages in OpenCode 1.
struct ShellTranslation {
    let messages: MessageTranslation
    let id: String
    let callID: String
    let command: String
    let created: Number
    let agent: String
    let model: Model

    var answerID: String { MessageIDs.answer(to: MessageIDs.openCode1(id)) }

    /// Returns the message that OpenCode 1 writes on the user's behalf.
    func userMessage() -> Message {
        var message = messages.user(id, created: created, payload: JSONObject(), agent: agent, model: model)
        let text = Part.Text(text: "The following tool was executed by the user", isSynthetic: true)
        message.parts = [messages.part(of: MessageIDs.openCode1(id), at: .content(0), .text(text))]
        return message
    }

    /// Returns the message that contains the tool call.
    ///
    /// - Parameter output: The output; nil while the command is running.
    func answer(completed: Number?, output: String?) -> (info: AssistantMessage, call: Part) {
        let parent = MessageIDs.openCode1(id)
        var info = messages.assistant(id, parentID: parent, created: created, agent: agent, model: model)
        info.id = answerID
        info.completed = completed
        var state = ToolCall.State(
            completed == nil ? .running : .completed, input: JSONObject([.init("command", .string(command))]))
        if let completed {
            let output = output ?? ""
            state.output = output
            state.title = ""
            state.metadata = JSONObject([.init("output", .string(output))])
            state.time = Part.Time(start: created, end: completed)
        } else {
            state.time = Part.Time(start: created)
        }
        let call = ToolCall(callID: callID, tool: "bash", state: state)
        return (info, messages.part(of: answerID, at: .content(0), .tool(call)))
    }
}

/// A summary of the previous messages, which is one message in OpenCode 2 and two messages in OpenCode 1.
struct CompactionTranslation {
    let messages: MessageTranslation
    let id: String
    let created: Number
    let agent: String
    let model: Model

    var answerID: String { MessageIDs.answer(to: MessageIDs.openCode1(id)) }

    func userMessage(isAutomatic: Bool) -> Message {
        var message = messages.user(id, created: created, payload: JSONObject(), agent: agent, model: model)
        message.parts = [
            messages.part(of: MessageIDs.openCode1(id), at: .content(0), .compaction(isAutomatic: isAutomatic))
        ]
        return message
    }

    func answer(created: Number) -> AssistantMessage {
        let parent = MessageIDs.openCode1(id)
        var info = messages.assistant(id, parentID: parent, created: created, agent: "compaction", model: model)
        info.id = answerID
        info.isSummary = true
        return info
    }
}
