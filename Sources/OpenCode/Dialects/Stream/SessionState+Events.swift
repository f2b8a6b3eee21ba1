// SPDX-License-Identifier: Apache-2.0

internal import JSONText

extension SessionState {
    /// Translates an event of this session, and appends the result to ``changes``.
    mutating func translate(_ event: OpenCode2Event) {
        if !Self.waits(event.type) { flush() }
        switch event.type {
        case "session.execution.started": executionStarted()
        case "session.execution.succeeded": executionSucceeded(event)
        case "session.execution.failed": executionFailed(event)
        case "session.execution.interrupted": executionInterrupted(event)
        case "session.step.started": stepStarted(event)
        case "session.step.ended": stepEnded(event)
        case "session.step.failed": inStep(event) { state, _ in state.failure = event.data }
        case "session.retry.scheduled": retryScheduled(event)
        case "session.text.started", "session.reasoning.started":
            textStarted(event, isReasoning: event.type == "session.reasoning.started")
        case "session.text.delta", "session.reasoning.delta":
            added(event, isReasoning: event.type == "session.reasoning.delta")
        case "session.text.ended", "session.reasoning.ended":
            textEnded(event, isReasoning: event.type == "session.reasoning.ended")
        case "session.tool.input.started": toolInputStarted(event)
        case "session.tool.called": toolCalled(event)
        case "session.tool.progress": toolProgress(event)
        case "session.tool.success": toolSucceeded(event)
        case "session.tool.failed": toolFailed(event)
        case "permission.asked": permissionAsked(event)
        case "permission.replied": permissionReplied(event)
        case "form.created": formCreated(event)
        case "form.replied", "form.cancelled": formSettled(event)
        default: translateOther(event)
        }
    }

    private mutating func translateOther(_ event: OpenCode2Event) {
        switch event.type {
        case "session.created", "session.forked": emit(.sessionCreated(session))
        case "session.deleted": emit(.sessionDeleted(session))
        case "session.inbox.enqueued": enqueued(event)
        case "session.inbox.delivered": delivered(event)
        case "session.inbox.cancelled": withdrawn(event)
        case "session.shell.started": shellStarted(event)
        case "session.shell.ended": shellEnded(event)
        case "session.compaction.started": compactionStarted(event)
        case "session.compaction.ended": compactionEnded(event)
        case "session.compaction.failed": compactionFailed(event)
        case "session.renamed":
            session.title = event["title"]?.text ?? session.title
            emitSession(event.created)
        case "session.usage.updated":
            session.cost = event["cost"]?.number ?? session.cost
            session.tokens = event["tokens"].flatMap { Tokens($0) } ?? session.tokens
            emitSession(event.created)
        case "session.agent.selected":
            session.agent = event["agent"]?.text ?? session.agent
            emitSession(event.created)
        case "session.model.selected":
            session.model = event["model"].flatMap { Model(openCode1Session: $0) } ?? session.model
            emitSession(event.created)
        case "session.moved":
            session.directory = event["location"]?["directory"]?.text ?? session.directory
            session.projectID = event["projectID"]?.text ?? session.projectID
            session.path = event["subpath"]?.text ?? session.path
            emitSession(event.created)
        case "session.revert.staged":
            session.revert = event["revert"].flatMap { Session.Revert(openCode2: $0) }
            emitSession(event.created)
        case "session.revert.cleared":
            session.revert = nil
            emitSession(event.created)
        case "session.revert.committed": revertCommitted(event)
        default: break
        }
    }

    /// Returns whether the held-back ends of texts remain held back after an event of this type. If the result is true,
    /// such an event does not show whether an abort ended the text.
    private static func waits(_ type: String) -> Bool {
        switch type {
        case "session.step.streamed", "session.step.failed", "session.execution.failed",
            "session.execution.interrupted",
            "session.text.delta", "session.reasoning.delta", "session.usage.updated", "session.renamed":
            true
        default: false
        }
    }

    /// Translates a delta of a text whose beginning has not been emitted yet.
    private mutating func added(_ event: OpenCode2Event, isReasoning: Bool) {
        guard let addition = event["delta"], event["assistantMessageID"]?.text == step?.id else { return }
        let ordinal = event["ordinal"]?.number?.integer ?? 0
        textBegins(ordinal, isReasoning: isReasoning, event.created)
        guard let step, let text = isReasoning ? step.reasonings[ordinal] : step.texts[ordinal] else { return }
        emit(
            .partDelta(
                Change.Delta(
                    sessionID: session.id, messageID: step.info.id,
                    partID: PartIDs.make(step.info.id, .content(text.position)), field: "text", delta: addition)))
    }

    /// Translates `session.revert.committed`. OpenCode 2 reports the removal of a message and all later messages in one
    /// event. OpenCode 1 sends an event for each message.
    private mutating func revertCommitted(_ event: OpenCode2Event) {
        session.revert = nil
        if let first = event["to"]?.text.map(MessageIDs.openCode1), let index = messageIDs.firstIndex(of: first) {
            for id in messageIDs[index...] { emit(.messageRemoved(sessionID: session.id, messageID: id)) }
            messageIDs.removeSubrange(index...)
            parentID = nil
        }
        emitSession(event.created)
    }
}
