// SPDX-License-Identifier: Apache-2.0

internal import JSONText

extension SessionState {
    /// Restores the state from a message in OpenCode 2's list. Call this method for each message in order, from the
    /// oldest to the newest.
    mutating func restore(_ message: JSON) {
        guard let object = message.object, let id = object["id"]?.text else { return }
        switch object["type"]?.text {
        case "user":
            parentID = MessageIDs.openCode1(id)
            remember(MessageIDs.openCode1(id))
        case "assistant": restore(answer: object, id)
        case "shell":
            remember(MessageIDs.openCode1(id))
            remember(MessageIDs.answer(to: MessageIDs.openCode1(id)))
            guard object["status"]?.text == "running", let callID = object["shellID"]?.text,
                let created = object["time"]?["created"]?.number
            else { return }
            shells[callID] = ShellTranslation(
                messages: messages, id: id, callID: callID, command: object["command"]?.text ?? "", created: created,
                agent: agent, model: model)
        case "compaction":
            remember(MessageIDs.openCode1(id))
            remember(MessageIDs.answer(to: MessageIDs.openCode1(id)))
            if object["status"]?.text == "running" { restore(compaction: object, id) }
        case "idle": failure = nil
        default: break
        }
    }

    /// Restores an item that is waiting in OpenCode 2's inbox.
    mutating func restore(waiting item: JSON) {
        guard item["type"]?.text == "user", let id = item["id"]?.text else { return }
        expect(id, item["payload"]?.object.map { prompt(id, item: item, payload: $0) })
        remember(MessageIDs.openCode1(id))
    }

    /// Restores a prompt that was delivered after the event to which the state is rewound. Treats the prompt as still
    /// waiting.
    mutating func restore(later message: JSON) {
        guard let id = message["id"]?.text else { return }
        expect(id, message.object.map { prompt(id, item: message, payload: $0) })
    }

    private func prompt(_ id: String, item: JSON, payload: JSONObject) -> Message {
        messages.user(
            id, created: item["time"]?["created"]?.number ?? 0, payload: payload, agent: agent, model: model)
    }

    private mutating func remember(_ id: String) { messageIDs.append(id) }

    private mutating func restore(answer object: JSONObject, _ id: String) {
        guard let created = object["time"]?["created"]?.number,
            let model = object["model"].flatMap({ Model(openCode1Session: $0) })
        else { return }
        remember(MessageIDs.openCode1(id))
        hasStepped = true
        let info = messages.assistant(
            id, parentID: parentID ?? MessageIDs.openCode1(id), created: created,
            agent: object["agent"]?.text ?? agent, model: model)
        var step = Step(info, id: id, before: object["snapshot"]?["start"]?.text)
        step.isOver = object["time"]?["completed"] != nil
        let content = object["content"]?.array ?? []
        step.isStarted = !content.isEmpty
        for item in content { restore(content: item, created, &step) }
        self.step = step
        // If the step has just failed, keep its failure, because the next event shows whether OpenCode retries the
        // step.
        if isRunning, object["error"] != nil {
            var data = JSONObject()
            for name in ["error", "rawFinish", "cost", "tokens"] { data.add(name, object[name]) }
            data.add("snapshot", object["snapshot"]?["end"])
            data.add("files", object["snapshot"]?["files"])
            failure = data
            self.step?.isOver = false
        } else {
            failure = nil
        }
    }

    private func restore(content item: JSON, _ created: Number, _ step: inout Step) {
        let position = step.nextPosition()
        switch item["type"]?.text {
        case "text", "reasoning":
            let isReasoning = item["type"]?.text == "reasoning"
            var text = step.opened(position: position, start: item["time"]?["created"]?.number ?? created)
            text.isEmitted = item["text"]?.text?.isEmpty == false
            if isReasoning {
                step.reasonings[step.reasonings.count] = text
            } else {
                step.texts[step.texts.count] = text
            }
        case "tool":
            guard let id = item["id"]?.text, let name = item["name"]?.text else { return }
            var tool = Step.OpenTool(
                name: name, position: position, created: item["time"]?["created"]?.number ?? created)
            tool.input = item["state"]?["input"]?.object ?? JSONObject()
            tool.start = item["time"]?["ran"]?.number
            tool.metadata = item["state"]?["metadata"]?.object
            tool.isOpen = item["time"]?["completed"] == nil
            if ToolRefusal.isOne(item["state"]?["error"]) { step.wasRefused = true }
            step.tools[id] = tool
        default: break
        }
    }

    private mutating func restore(compaction object: JSONObject, _ id: String) {
        guard let created = object["time"]?["created"]?.number else { return }
        let translation = CompactionTranslation(
            messages: messages, id: id, created: created, agent: agent, model: model)
        let info = translation.answer(created: created)
        compaction = OpenCompaction(
            translation: translation, info: info, isAutomatic: object["reason"]?.text == "auto",
            text: Step.OpenText(
                position: 0, start: created, isEmitted: true,
                part: GrowingPart(PartIDs.make(info.id, .content(0)), of: info)))
    }
}
