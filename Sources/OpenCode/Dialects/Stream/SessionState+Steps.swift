// SPDX-License-Identifier: Apache-2.0

internal import JSONText

extension SessionState {
    /// Translates `session.step.started`, which begins a new message or the next attempt of the current message.
    mutating func stepStarted(_ event: OpenCode2Event) {
        guard let id = event["assistantMessageID"]?.text else { return }
        endFailedStep(event.created)
        if step?.id == id, step?.isOver == false, restoredAnswer != id {
            emit(.busy)
            return
        }
        let agent = event["agent"]?.text ?? agent
        let model = event["model"].flatMap { Model(openCode1Session: $0) } ?? model
        let hasChanged = session.agent != agent || session.model != model
        session.agent = agent
        session.model = model
        if hasChanged { emitSession(event.created) }
        if hasStepped { emit(.busy) }
        hasStepped = true
        restoredAnswer = nil
        let info = messages.assistant(
            id, parentID: parentID ?? MessageIDs.openCode1(id), created: event["started"]?.number ?? event.created,
            agent: agent, model: model)
        step = Step(info, id: id, before: event["snapshot"]?.text)
        emit(.assistant(info))
        emit(.diff(sessionID: session.id, []))
        emit(.busy)
    }

    /// Changes the step that an event names. Does nothing if the event names a step other than the current step.
    mutating func inStep(_ event: OpenCode2Event, _ change: (inout SessionState, inout Step) -> Void) {
        guard var current = step, current.id == event["assistantMessageID"]?.text else { return }
        // An event within the step shows that the step has begun. The event that begins the step can therefore no
        // longer arrive.
        if restoredAnswer != nil {
            restoredAnswer = nil
            hasStepped = true
        }
        change(&self, &current)
        step = current
    }

    private mutating func emitStepStart(_ step: inout Step, _ time: Number) {
        guard !step.isStarted else { return }
        step.isStarted = true
        emit(messages.part(of: step.info.id, at: .stepStart, .stepStart(snapshot: step.before)), time)
    }

    mutating func textStarted(_ event: OpenCode2Event, isReasoning: Bool) {
        let ordinal = event["ordinal"]?.number?.integer ?? 0
        inStep(event) { state, step in
            state.emitStepStart(&step, event.created)
            // A restored step may already contain a text that begins with this event. Keep the position of such a text.
            let known = isReasoning ? step.reasonings[ordinal] : step.texts[ordinal]
            let text = step.opened(position: known?.position ?? step.nextPosition(), start: event.created)
            if isReasoning { step.reasonings[ordinal] = text } else { step.texts[ordinal] = text }
            if isReasoning { step.startReasoning(ordinal) }
        }
    }

    /// Emits the beginning of a text before its first delta. OpenCode 1 ends a reasoning text before another text
    /// begins.
    mutating func textBegins(_ ordinal: Int, isReasoning: Bool, _ created: Number) {
        guard var current = step, var text = isReasoning ? current.reasonings[ordinal] : current.texts[ordinal],
            !text.isEmitted
        else { return }
        if !isReasoning { endReasonings(&current, created) }
        text.isEmitted = true
        if isReasoning { current.reasonings[ordinal] = text } else { current.texts[ordinal] = text }
        step = current
        emit(part(text, all: "", end: nil, isReasoning: isReasoning, of: current), created)
    }

    /// Emits the ends of the reasoning texts whose beginnings were emitted. OpenCode 2 may send these ends only at the
    /// end of the answer text. The translator then emits the ends again, with the same values as in lists.
    private mutating func endReasonings(_ step: inout Step, _ created: Number) {
        for (ordinal, reasoning) in step.reasonings.sorted(by: { $0.key < $1.key }) where reasoning.isEmitted {
            guard let text = step.removeReasoning(ordinal) else { continue }
            emit(part(reasoning, all: text, end: created, isReasoning: true, of: step), created)
        }
    }

    /// Emits the beginnings of the texts that precede a tool call. The first deltas of these texts may arrive after the
    /// beginning of the call.
    mutating func textsBegin(before event: OpenCode2Event) {
        guard let step, step.id == event["assistantMessageID"]?.text else { return }
        for ordinal in step.reasonings.keys.sorted() { textBegins(ordinal, isReasoning: true, event.created) }
        for ordinal in step.texts.keys.sorted() { textBegins(ordinal, isReasoning: false, event.created) }
    }

    mutating func textEnded(_ event: OpenCode2Event, isReasoning: Bool) {
        let ordinal = event["ordinal"]?.number?.integer ?? 0
        // Begin the text if the event that begins it is missing.
        if (isReasoning ? step?.reasonings : step?.texts)?[ordinal] == nil {
            textStarted(event, isReasoning: isReasoning)
        }
        textBegins(ordinal, isReasoning: isReasoning, event.created)
        inStep(event) { state, step in
            guard let text = isReasoning ? step.reasonings[ordinal] : step.texts[ordinal] else { return }
            if isReasoning { _ = step.removeReasoning(ordinal) }
            let part = state.part(
                text, all: event["text"]?.text ?? "", end: event.created, isReasoning: isReasoning, of: step)
            state.pendingEnds.append(.part(part, time: event.created, delta: nil))
            // Do not hold back the end of the text while a tool is running, because the tool may run for a long time.
            if step.tools.values.contains(where: \.isOpen) { state.flush() }
        }
    }

    private func part(_ text: Step.OpenText, all: String, end: Number?, isReasoning: Bool, of step: Step) -> Part {
        let time = Part.Time(start: text.start, end: end)
        let kind: Part.Kind =
            isReasoning
            ? .reasoning(Part.Reasoning(text: all, time: time)) : .text(Part.Text(text: all, time: time))
        return messages.part(of: step.info.id, at: .content(text.position), kind)
    }

    /// Translates a successful `session.step.ended` event.
    mutating func stepEnded(_ event: OpenCode2Event) {
        inStep(event) { state, step in
            state.emitStepEnd(&step, with: event.data, at: event.created, finish: event["finish"]?.text ?? "unknown")
        }
    }

    /// Emits the events with which OpenCode 1 reports the successful end of a step.
    private mutating func emitStepEnd(_ step: inout Step, with data: JSONObject, at created: Number, finish: String) {
        emitStepStart(&step, created)
        let tokens = data["tokens"].flatMap { Tokens($0) }.map(messages.summed) ?? .zero
        step.info.cost = data["cost"]?.number ?? 0
        step.info.tokens = tokens
        step.info.finish = finish
        let id = step.info.id
        emit(
            messages.stepFinish(
                id, reason: finish, snapshot: data["snapshot"]?.text, cost: step.info.cost, tokens: tokens), created)
        emit(.assistant(step.info))
        let files = data["files"]?.array?.compactMap(\.text) ?? []
        if let patch = messages.patch(id, before: step.before, files: files) { emit(patch, created) }
        step.info.completed = created
        step.isOver = true
        emit(.assistant(step.info))
    }

    /// Ends a failed step after which OpenCode 2 continues. OpenCode 1 reports no failure in this case.
    mutating func endFailedStep(_ created: Number) {
        guard let data = failure, var current = step else { return }
        failure = nil
        flush()
        let finish = current.wasRefused ? ToolRefusal.finish(data["rawFinish"]?.text) : "unknown"
        emitStepEnd(&current, with: data, at: created, finish: finish)
        step = current
    }

    /// Translates `session.retry.scheduled`, which ends a failed step and announces the next attempt.
    mutating func retryScheduled(_ event: OpenCode2Event) {
        endFailedStep(event.created)
        emit(Change.Status(openCode2Retry: event.data, next: event["at"]?.number ?? event.created))
    }
}

extension Change.Status {
    /// Translates the `attempt` and `error` of a retry in OpenCode 2. OpenCode 2 counts the first attempt, but OpenCode
    /// 1 does not.
    ///
    /// - Parameter next: The time of the next attempt, in milliseconds since 1970.
    init(openCode2Retry retry: JSONObject, next: Number) {
        let attempt = retry["attempt"]?.number?.integer.map { max($0, 2) - 1 } ?? 1
        self = .retry(
            attempt: Number(attempt), message: retry["error"]?["message"]?.text ?? "", next: next,
            others: JSONObject())
    }
}
