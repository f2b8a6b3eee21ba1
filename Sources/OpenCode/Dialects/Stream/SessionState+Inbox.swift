// SPDX-License-Identifier: Apache-2.0

internal import JSONText

extension SessionState {
    /// Translates a new inbox item. OpenCode 1 reports a prompt immediately, even while a turn is running.
    mutating func enqueued(_ event: OpenCode2Event) {
        guard let id = event["inboxID"]?.text, let item = event["item"] else { return }
        switch item["type"]?.text {
        case "user":
            guard let payload = item["payload"]?.object else { return }
            let message = messages.user(
                id, created: event.created, payload: payload, agent: agent, model: model)
            expect(id, message)
            emit(message, event.created)
        case "compaction":
            let translation = compactionTranslation(id, event.created)
            emit(translation.userMessage(isAutomatic: false), event.created)
        default: break
        }
    }

    mutating func delivered(_ event: OpenCode2Event) {
        guard let id = event["inboxID"]?.text, waiting.remove(id) != nil else { return }
        parentID = MessageIDs.openCode1(id)
        // Emit the prompt again with the time of its delivery. From now on, lists contain this time instead of the time
        // when the prompt was sent.
        guard var prompt = prompts.removeValue(forKey: id) else { return }
        prompt.created = event.created
        emit(.message(.user(prompt)))
    }

    /// Adds a prompt that waits for delivery.
    mutating func expect(_ id: String, _ message: Message?) {
        waiting.insert(id)
        if case .user(let prompt)? = message?.info { prompts[id] = prompt }
    }

    /// Translates the removal of an item from the inbox.
    mutating func withdrawn(_ event: OpenCode2Event) {
        guard let id = event["inboxID"]?.text, waiting.remove(id) != nil else { return }
        prompts[id] = nil
        let message = MessageIDs.openCode1(id)
        messageIDs.removeAll { $0 == message }
        emit(.messageRemoved(sessionID: session.id, messageID: message))
    }

    mutating func shellStarted(_ event: OpenCode2Event) {
        guard let shell = event["shell"], let callID = shell["id"]?.text, let command = shell["command"]?.text else {
            return
        }
        let translation = ShellTranslation(
            messages: messages, id: MessageIDs.made(by: event.id), callID: callID, command: command,
            created: event.created, agent: agent, model: model)
        shells[callID] = translation
        if !isRunning { emit(.busy) }
        emit(translation.userMessage(), event.created)
        let answer = translation.answer(completed: nil, output: nil)
        emit(.assistant(answer.info))
        emit(answer.call, event.created)
    }

    mutating func shellEnded(_ event: OpenCode2Event) {
        guard let id = event["shell"]?["id"]?.text, let translation = shells.removeValue(forKey: id) else { return }
        let answer = translation.answer(completed: event.created, output: event["output"]?["output"]?.text)
        emit(.assistant(answer.info))
        emit(answer.call, event.created)
        if !isRunning { emitIdle() }
    }

    mutating func compactionStarted(_ event: OpenCode2Event) {
        let isAutomatic = event["reason"]?.text == "auto"
        let id = event["inputID"]?.text ?? MessageIDs.made(by: event.id)
        let translation = compactionTranslation(id, event.created)
        let userMessage = translation.userMessage(isAutomatic: isAutomatic)
        if event["inputID"]?.text == nil {
            emit(userMessage, event.created)
        } else {
            // The message was already emitted when the item was enqueued. Emit the message again with the time when the
            // summary began, because lists contain this time.
            emit(userMessage.info)
        }
        let info = translation.answer(created: event.created)
        let partID = PartIDs.make(info.id, .content(0))
        let text = Step.OpenText(
            position: 0, start: event.created, isEmitted: true, part: GrowingPart(partID, of: info))
        compaction = OpenCompaction(translation: translation, info: info, isAutomatic: isAutomatic, text: text)
        hasStepped = true
        emit(.assistant(info))
        emit(.busy)
        emit(messages.part(of: info.id, at: .stepStart, .stepStart(snapshot: nil)), event.created)
        let time = Part.Time(start: event.created)
        emit(messages.part(of: info.id, at: .content(0), .text(Part.Text(text: "", time: time))), event.created)
    }

    mutating func compactionEnded(_ event: OpenCode2Event) {
        guard var open = compaction else { return }
        compaction = nil
        let created = event.created
        if let model = event["model"].flatMap({ Model(openCode1Session: $0) }) {
            open.info.model = Model(
                providerID: model.providerID, modelID: model.modelID,
                variant: model.variant == "default" ? nil : model.variant)
        }
        let time = Part.Time(start: open.text.start, end: created)
        let text = Part.Text(text: event["text"]?.text ?? "", time: time)
        emit(messages.part(of: open.info.id, at: .content(0), .text(text)), created)
        let tokens = event["tokens"].flatMap { Tokens($0) }.map(messages.summed) ?? .zero
        open.info.cost = event["cost"]?.number ?? 0
        open.info.tokens = tokens
        open.info.finish = "stop"
        emit(
            messages.stepFinish(open.info.id, reason: "stop", snapshot: nil, cost: open.info.cost, tokens: tokens),
            created)
        emit(.assistant(open.info))
        open.info.completed = created
        emit(.assistant(open.info))
        emit(.compacted(sessionID: session.id))
    }

    mutating func compactionFailed(_ event: OpenCode2Event) {
        guard var open = compaction else { return }
        compaction = nil
        let reason = Failure(openCode2: event["error"] ?? .null)
        open.info.failure = reason
        open.info.completed = event.created
        emit(.failed(sessionID: session.id, reason))
        emit(.assistant(open.info))
    }

    private func compactionTranslation(_ id: String, _ created: Number) -> CompactionTranslation {
        CompactionTranslation(messages: messages, id: id, created: created, agent: agent, model: model)
    }
}
