// SPDX-License-Identifier: Apache-2.0

internal import JSONText

extension SessionState {
    mutating func toolInputStarted(_ event: OpenCode2Event) {
        guard let id = event["id"]?.text, let name = event["name"]?.text else { return }
        textsBegin(before: event)
        inStep(event) { state, step in
            if !step.isStarted {
                step.isStarted = true
                state.emit(
                    state.messages.part(of: step.info.id, at: .stepStart, .stepStart(snapshot: step.before)),
                    event.created)
            }
            let position = step.tools[id]?.position ?? step.nextPosition()
            let tool = Step.OpenTool(name: name, position: position, created: event.created)
            step.tools[id] = tool
            state.emit(state.translation(id, of: tool, in: step).pending(), of: tool, in: step, at: event.created)
        }
    }

    mutating func toolCalled(_ event: OpenCode2Event) {
        inTool(event) { state, step, id, tool in
            tool.input = event["input"]?.object ?? JSONObject()
            tool.start = event.created
            state.emit(
                state.translation(id, of: tool, in: step).running(
                    input: tool.input, start: event.created, metadata: nil), of: tool,
                in: step, at: event.created)
        }
    }

    mutating func toolProgress(_ event: OpenCode2Event) {
        inTool(event) { state, step, id, tool in
            tool.metadata = event["metadata"]?.object
            state.emit(
                state.translation(id, of: tool, in: step).running(
                    input: tool.input, start: tool.start ?? tool.created, metadata: tool.metadata ?? JSONObject()),
                of: tool,
                in: step, at: event.created)
        }
    }

    mutating func toolSucceeded(_ event: OpenCode2Event) {
        inTool(event) { state, step, id, tool in
            tool.isOpen = false
            let translation = state.translation(id, of: tool, in: step)
            if tool.name == "write" || tool.name == "edit", let path = tool.input["path"]?.text {
                let file = JSON.string(translation.absolute(path))
                state.emit(.other(type: "file.edited", properties: ["file": file]))
            }
            let time = Part.Time(start: tool.start ?? tool.created, end: event.created)
            let call = translation.completed(
                input: tool.input, content: event["content"]?.array ?? [], metadata: event["metadata"]?.object,
                time: time, messageID: step.info.id, position: tool.position)
            state.emit(call, of: tool, in: step, at: event.created)
        }
    }

    mutating func toolFailed(_ event: OpenCode2Event) {
        inTool(event) { state, step, id, tool in
            tool.isOpen = false
            if ToolRefusal.isOne(event["error"]) { step.wasRefused = true }
            let time = Part.Time(start: tool.start ?? tool.created, end: event.created)
            let call = state.translation(id, of: tool, in: step).failed(
                input: tool.input, error: event["error"], metadata: event["metadata"]?.object, time: time)
            state.emit(call, of: tool, in: step, at: event.created)
        }
    }

    private mutating func inTool(
        _ event: OpenCode2Event, _ change: (inout SessionState, inout Step, String, inout Step.OpenTool) -> Void
    ) {
        guard let id = event["id"]?.text else { return }
        inStep(event) { state, step in
            guard var tool = step.tools[id] else { return }
            change(&state, &step, id, &tool)
            step.tools[id] = tool
        }
    }

    private func translation(_ id: String, of tool: Step.OpenTool, in step: Step) -> ToolTranslation {
        ToolTranslation(name: tool.name, callID: id, session: session, model: step.info.model)
    }

    private mutating func emit(_ call: ToolCall, of tool: Step.OpenTool, in step: Step, at time: Number) {
        emit(messages.part(of: step.info.id, at: .content(tool.position), .tool(call)), time)
    }

    mutating func permissionAsked(_ event: OpenCode2Event) {
        let input = event["source"]?["id"]?.text.flatMap { step?.tools[$0]?.input }
        guard let permission = Permission(openCode2: .object(event.data), input: input) else { return }
        emit(.permissionAsked(permission))
    }

    mutating func permissionReplied(_ event: OpenCode2Event) {
        guard let id = event["requestID"]?.text, let reply = event["reply"]?.text else { return }
        emit(.permissionReplied(sessionID: session.id, id: id, reply: reply))
    }

    mutating func formCreated(_ event: OpenCode2Event) {
        guard let form = event["form"].flatMap(QuestionForm.init) else {
            if let id = event["form"]?["id"]?.text { unemitted.insert(id) }
            return
        }
        forms[form.id] = form
        emit(.questionAsked(form.question))
    }

    mutating func formSettled(_ event: OpenCode2Event) {
        guard let id = event["id"]?.text, unemitted.remove(id) == nil else { return }
        let form = forms.removeValue(forKey: id)
        let question = QuestionIDs.openCode1(id)
        if event.type == "form.replied" {
            let answer = event["answer"] ?? .null
            let rows = form?.rows(answer) ?? QuestionForm.rows(ofUnknown: answer)
            emit(.questionReplied(sessionID: session.id, id: question, answers: rows))
        } else {
            emit(.questionRejected(sessionID: session.id, id: question))
        }
    }
}
