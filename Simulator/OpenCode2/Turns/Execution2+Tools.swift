// SPDX-License-Identifier: Apache-2.0

import TestKit

/// The tools that a step can call.
extension Execution2 {
    /// The model's text before a tool call.
    private static let announcement = "Let me see first. "
    /// The shell command in the recordings.
    private static let command = "printf 'one\\ntwo\\n'; sleep 1; printf 'three\\n'"
    private static let resources = ["printf 'one\\ntwo\\n'", "sleep 1", "printf 'three\\n'"]
    private static let patterns = ["printf *", "sleep *", "printf *"]
    private static let notes = "# Notes\n\nhello\n"

    /// Runs a step that calls the scenario's tool. Returns true, because the model must be called again.
    func callTool() throws(Ending) -> Bool {
        let step = try startStep()
        let (name, input) = toolCall
        var call = ToolCall2(name)
        try publish(step, "session.text.started", members: [("ordinal", 0)])
        try publish(step, "session.tool.input.started", members: [("id", .string(call.id)), ("name", .string(name))])
        do throws(Ending) {
            try pause(script.scaled(.milliseconds(100)))
        } catch {
            try complete(step, Execution2.announcement)
            try streamed(step)
            try fail(step, Execution2.interruption)
            throw error
        }
        try publishDelta(step, "session.text.delta", delta: Execution2.announcement)
        try publish(
            step, "session.tool.input.ended", members: [("id", .string(call.id)), ("text", .string(input.encoded))])
        call.ran = Clock.milliseconds
        call.input = input
        step.content.append(.tool(call))
        try publish(
            step, "session.tool.called", members: [("id", .string(call.id)), ("input", input), ("executed", false)])
        try complete(step, Execution2.announcement)
        try streamed(step)
        let files: [String]
        do throws(Ending) {
            files = try perform(&call, of: step)
        } catch {
            try refuse(&call, of: step, error)
            try fail(step, Execution2.interruption, rawFinish: "tool_calls")
            throw error
        }
        try finish(step, "tool-calls", files: files)
        return true
    }

    private var toolCall: (name: String, input: JSON) {
        switch script.scenario {
        case .question:
            let options: JSON = [
                ["label": "Left", "description": "Go left"], ["label": "Right", "description": "Go right"],
            ]
            let question: JSON = ["question": "Which way?", "header": "Way", "options": options]
            return ("question", ["questions": [question]])
        case .edit: return ("write", ["path": "notes.md", "content": .string(Execution2.notes)])
        case .subagent:
            return ("subagent", ["agent": "general", "description": "Look around", "prompt": "List the files"])
        default: return ("shell", ["command": .string(Execution2.command)])
        }
    }

    /// Runs the tool. Returns the files that the tool has written.
    private func perform(_ call: inout ToolCall2, of step: Step2) throws(Ending) -> [String] {
        switch script.scenario {
        case .question: try waitForReply(&call, of: step)
        case .edit: return try write(&call, of: step)
        case .subagent: try delegate(&call, of: step)
        default: try runCommand(&call, of: step)
        }
        return []
    }

    /// Completes the tool call successfully.
    func succeed(_ call: inout ToolCall2, of step: Step2, _ text: String, metadata: JSON) throws(Ending) {
        call.content = [["type": "text", "text": .string(text)]]
        call.metadata = metadata
        call.completed = Clock.milliseconds
        store(call, in: step)
        try publish(
            step, "session.tool.success",
            members: [
                ("id", .string(call.id)), ("content", call.content ?? []), ("metadata", metadata), ("executed", false),
            ], version: 2)
    }

    /// Ends a tool call that was refused or interrupted.
    private func refuse(_ call: inout ToolCall2, of step: Step2, _ ending: Ending) throws(Ending) {
        let message =
            switch (ending, call.name) {
            case (.interrupted("user"), _): "Tool execution interrupted"
            case (_, "question"): "The user dismissed this question"
            default: "The user declined this tool call"
            }
        let error: JSON = ["type": "aborted", "message": .string(message)]
        call.error = error
        call.completed = Clock.milliseconds
        store(call, in: step)
        try publish(
            step, "session.tool.failed", members: [("id", .string(call.id)), ("error", error), ("executed", false)],
            version: 2)
    }

    /// Publishes the progress of a running tool.
    func progress(_ call: inout ToolCall2, of step: Step2, _ metadata: JSON) throws(Ending) {
        call.metadata = metadata
        store(call, in: step)
        try publish(
            step, "session.tool.progress", members: [("id", .string(call.id)), ("metadata", metadata)], version: nil)
    }

    private func store(_ call: ToolCall2, in step: Step2) {
        step.content.removeAll { if case .tool = $0 { true } else { false } }
        step.content.append(.tool(call))
        store.store(step.message, in: id)
    }

    private func runCommand(_ call: inout ToolCall2, of step: Step2) throws(Ending) {
        let session = try session()
        let isAllowed = Execution2.patterns.allSatisfy {
            conversation.pending.isSaved("shell", $0, project: session.project.id)
        }
        if !isAllowed { try askForPermission(call, of: step, session) }
        var shell = Shell2(command: Execution2.command, session: session, home: conversation.home)
        conversation.bus.publish("shell.created", ["info": shell.json], in: session.directory)
        try progress(&call, of: step, ["shellID": .string(shell.id)])
        try pause(script.scaled(.seconds(1)))
        shell.finish()
        conversation.bus.publish("shell.exited", shell.exit, in: session.directory)
        try succeed(
            &call, of: step, "one\ntwo\nthree\n", metadata: ["status": "completed", "truncated": false, "exit": 0])
    }

    private func askForPermission(_ call: ToolCall2, of step: Step2, _ session: Session2) throws(Ending) {
        let request = Identifier.make("per")
        let asked: JSON = [
            "id": .string(request), "sessionID": .string(id), "action": "shell",
            "resources": .array(Execution2.resources.map { .string($0) }),
            "save": .array(Execution2.patterns.map { .string($0) }),
            "source": ["type": "tool", "messageID": .string(step.id), "id": .string(call.id)],
        ]
        guard
            case .permission(let reply) = try wait(
                for: request, .permission, json: asked, type: "permission.asked", data: asked),
            reply != "reject"
        else { throw .interrupted(reason: "shutdown") }
        if reply == "always" {
            conversation.pending.save("shell", Execution2.patterns, project: session.project.id)
        }
    }

    private func waitForReply(_ call: inout ToolCall2, of step: Step2) throws(Ending) {
        let form = Identifier.make("frm")
        let options: JSON = [
            ["value": "Left", "label": "Left", "description": "Go left"],
            ["value": "Right", "label": "Right", "description": "Go right"],
        ]
        let field: JSON = [
            "key": "q0", "title": "Way", "description": "Which way?", "type": "string", "options": options,
            "custom": true,
        ]
        let asked: JSON = [
            "id": .string(form), "sessionID": .string(id), "title": "Questions",
            "metadata": [
                "kind": "question", "tool": ["messageID": .string(step.id), "id": .string(call.id)],
            ], "fields": [field],
        ]
        guard
            case .answer(let answer) = try wait(
                for: form, .form, json: asked, type: "form.created", data: ["form": asked])
        else {
            throw .interrupted(reason: "shutdown")
        }
        let choice = answer["q0"]?.text ?? ""
        try succeed(
            &call, of: step,
            "User has answered your questions: \"Which way?\"=\"\(choice)\". You can now continue with them in mind.",
            metadata: ["answers": [[.string(choice)]], "truncated": false])
    }

    /// Sends a request to the user and waits for the reply. If the request is aborted, the turn is interrupted.
    private func wait(
        for request: String, _ kind: Pending2.Kind, json: JSON, type: String, data: JSON
    ) throws(Ending) -> Pending2.Reply {
        let session = try session()
        conversation.pending.add(
            Pending2.Request(id: request, kind: kind, sessionID: id, directory: session.directory, json: json))
        conversation.bus.publish(type, data, in: session.directory)
        // Abort the request here if the interrupt arrived just before the request was added.
        if control.abort.isOpen { conversation.pending.abort(session: id) }
        let reply = conversation.pending.wait(for: request)
        if case .aborted = reply { throw .interrupted(reason: "user") }
        return reply
    }

    private func write(_ call: inout ToolCall2, of step: Step2) throws(Ending) -> [String] {
        let session = try session()
        let before = session.changes.last { $0.file == "notes.md" }?.after
        if before != Execution2.notes {
            let change = FileChange2(
                messageID: prompt.id, file: "notes.md", before: before, after: Execution2.notes)
            store.update(id, isProgress: true) { $0.changes.append(change) }
        }
        try succeed(
            &call, of: step, "\(before == nil ? "Created" : "Wrote") file successfully: notes.md",
            metadata: ["truncated": false])
        return before == Execution2.notes ? [] : ["notes.md"]
    }
}
