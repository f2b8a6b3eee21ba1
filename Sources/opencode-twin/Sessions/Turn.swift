import TestKit

/// One turn: the events of a model's answer, in the recorded order and at its script's pace.
struct Turn {
    let conversation: Conversation
    let prompt: Conversation.Prompt
    let session: Session
    let control: TurnControl

    private var store: SessionStore { conversation.store }

    /// Runs the turn to its end or its abort.
    func run() -> AssistantMessage {
        var message = AssistantMessage(
            sessionID: session.id, parentID: prompt.message.id, model: prompt.message.model,
            directory: session.directory)
        conversation.publishStatus("busy", session)
        store.store(.assistant(message), in: session.id)
        conversation.publish(message.event, session)
        prepare()
        let script = TurnScript(model: prompt.message.model.modelID, prompt: prompt.message.text)
        if control.abort.isOpened(within: script.silence) { return aborted(&message) }

        var parts = AssistantMessage.Parts(snapshot: SHA1.hexadecimal(session.id))
        conversation.publishPart(message.stepStartEvent(parts), session)
        conversation.publishPart(message.textEvent(parts), session)
        for (index, piece) in script.answer(to: prompt.message.text).enumerated() {
            if index > 0,
                script.interval > .zero ? control.abort.isOpened(within: script.interval) : control.abort.isOpen
            {
                message.parts = parts
                return aborted(&message)
            }
            parts.text += piece
            publishDelta(piece, message, parts)
        }
        finish(&message, &parts)
        return message
    }

    /// What happens around the model's call: a title for a new session, a summary of changes.
    private func prepare() {
        if session.hasDefaultTitle, store[session.id]?.hasDefaultTitle == true {
            let words = TurnScript.withoutOptions(prompt.message.text).split(whereSeparator: \.isWhitespace).prefix(6)
            store.update(session.id) {
                $0.title = words.joined(separator: " ")
                $0.hasDefaultTitle = false
            }
            conversation.publishSession(session.id)
        }
        summarize(afterTurn: false)
        conversation.publishStatus("busy", session)
    }

    private func summarize(afterTurn: Bool) {
        store.update(session.id) { $0.hasSummary = true }
        conversation.publishSession(session.id)
        conversation.publishDiff(session)
        var user = prompt.message
        user.hasSummary = true
        store.store(.user(user), in: session.id)
        conversation.publish(user.summaryEvent(afterTurn: afterTurn), session)
    }

    private func publishDelta(_ delta: String, _ message: AssistantMessage, _ parts: AssistantMessage.Parts) {
        conversation.publish(
            "message.part.delta",
            [
                "sessionID": .string(session.id), "messageID": .string(message.id), "partID": .string(parts.textID),
                "field": "text", "delta": .string(delta),
            ], session)
    }

    private func finish(_ message: inout AssistantMessage, _ parts: inout AssistantMessage.Parts) {
        parts.textEnded = Clock.milliseconds
        conversation.publishPart(message.textEvent(parts), session)
        parts.isFinished = true
        message.hasFinished = true
        message.parts = parts
        conversation.publishPart(message.stepFinishEvent(parts), session)
        conversation.publish(message.event, session)
        message.completed = Clock.milliseconds
        store.store(.assistant(message), in: session.id)
        store.update(session.id) {
            $0.tokens.input += AssistantMessage.inputTokens
            $0.tokens.output += AssistantMessage.outputTokens
        }
        conversation.publish(message.event, session)
        conversation.publishStatus("busy", session)
        // Before the idle event: who sees that asks for the status, or sends the next prompt.
        store.release(session.id)
        control.isSettled.open()
        conversation.publishIdle(session)
        summarize(afterTurn: true)
    }

    private func aborted(_ message: inout AssistantMessage) -> AssistantMessage {
        conversation.publish(
            "session.error", ["sessionID": .string(session.id), "error": AssistantMessage.abortError], session)
        conversation.publishIdle(session)
        control.wasAborted.open()
        control.isSettled.open()
        if message.parts != nil {
            message.parts?.textEnded = Clock.milliseconds
            if let parts = message.parts { conversation.publishPart(message.textEvent(parts), session) }
        }
        message.wasAborted = true
        message.completed = Clock.milliseconds
        store.store(.assistant(message), in: session.id)
        conversation.publish(message.event, session)
        store.release(session.id)
        conversation.publishIdle(session)
        return message
    }
}
