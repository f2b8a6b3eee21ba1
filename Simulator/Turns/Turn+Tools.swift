// SPDX-License-Identifier: Apache-2.0

import TestKit

/// The tools that a step can call.
extension Turn {
    /// The model's text before a tool call.
    private static let announcement = ["Let ", "me ", "see ", "first. "]
    /// The shell command in the recordings.
    private static let command = "printf 'one\\ntwo\\n'; sleep 1; printf 'three\\n'"

    /// Runs a step that calls the scenario's tool.
    ///
    /// - Returns: Whether the tool was allowed. A refusal ends the turn.
    func performTool() throws(TurnControl.Aborted) -> Bool {
        beginStep()
        try streamText(Turn.announcement)
        let name =
            switch script.scenario {
            case .question: "question"
            case .edit: "write"
            case .todo: "todowrite"
            case .subagent: "task"
            default: "bash"
            }
        var part = Part(content: .tool(ToolCall(tool: name)))
        publish(part)
        try control.pause(script.scaled(.milliseconds(100)))
        var files: [String] = []
        var isAllowed = true
        switch script.scenario {
        case .question: isAllowed = try waitForReply(&part)
        case .edit: files = write(&part)
        case .todo: writeTodos(&part)
        case .subagent: try delegate(&part)
        default: isAllowed = try runCommand(&part)
        }
        endText()
        endStep(reason: "tool-calls", patch: files, isBusyAgain: isAllowed)
        return isAllowed
    }

    /// Changes the tool call of a part and publishes the part.
    func change(_ part: inout Part, _ change: (inout ToolCall) -> Void) {
        guard case .tool(var call) = part.content else { return }
        change(&call)
        part.content = .tool(call)
        publish(part)
    }

    private func runCommand(_ part: inout Part) throws(TurnControl.Aborted) -> Bool {
        let description = "Prints three lines"
        change(&part) { $0.run(["command": .string(Turn.command), "description": .string(description)]) }
        let patterns = ["printf 'one\\ntwo\\n'", traits.permissionPatterns.sleep, "printf 'three\\n'"]
        let asked = request(.permission, by: part) { id, tool in
            [
                "id": .string(id), "sessionID": .string(session.id), "permission": "bash",
                "patterns": .array(patterns.map { .string($0) }),
                "metadata": profile.layouts.permissionMetadata.object(["command": .string(Turn.command)]),
                "always": .array(traits.permissionPatterns.always.map { .string($0) }), "tool": tool,
            ]
        }
        guard case .permission(let answer) = try reply(to: asked), answer != "reject" else {
            change(&part) { $0.fail("The user rejected permission to use this specific tool call.") }
            return false
        }
        let layout = profile.layouts.bashMetadata
        for (output, pause) in [("", 3), ("one\ntwo\n", 1000), ("one\ntwo\nthree\n", 3)] {
            change(&part) {
                $0.metadata = layout.object(["output": .string(output), "description": .string(description)])
            }
            try control.pause(script.scaled(.milliseconds(pause)))
        }
        change(&part) {
            $0.complete(
                output: "one\ntwo\nthree\n", title: description,
                metadata: layout.object([
                    "output": "one\ntwo\nthree\n", "exit": 0, "description": .string(description), "truncated": false,
                ]))
        }
        return true
    }

    private func waitForReply(_ part: inout Part) throws(TurnControl.Aborted) -> Bool {
        let options: JSON = [
            ["label": "Left", "description": "Go left"], ["label": "Right", "description": "Go right"],
        ]
        let questions: JSON = [["question": "Which way?", "header": "Way", "options": options]]
        let asked = request(.question, by: part) {
            [
                "id": .string($0), "sessionID": .string(session.id), "questions": questions, "tool": $1,
            ]
        }
        change(&part) { $0.run(["questions": questions]) }
        guard case .answers(let answers?) = try reply(to: asked) else {
            change(&part) { $0.fail("The user dismissed this question") }
            return false
        }
        let first = answers.elements?.first?.elements?.first?.text ?? ""
        change(&part) {
            $0.complete(
                output: "The user has answered: \"Which way?\"=\"\(first)\".", title: "Asked 1 question",
                metadata: ["answers": answers, "truncated": false])
        }
        return true
    }

    /// Sends a request to the user.
    ///
    /// - Parameter make: Creates the request's JSON from its id and a reference to the tool call.
    private func request(
        _ kind: PendingRequests.Kind, by part: Part, _ make: (String, JSON) -> JSON
    ) -> PendingRequests.Request {
        guard case .tool(let call) = part.content else { preconditionFailure("only tools ask") }
        let id = Identifier.make(kind == .permission ? "per" : "que")
        let json = make(id, ["messageID": .string(message.id), "callID": .string(call.callID)])
        let request = PendingRequests.Request(id: id, kind: kind, sessionID: session.id, json: json)
        store.pending.add(request)
        conversation.publish(kind == .permission ? "permission.asked" : "question.asked", json, in: session)
        return request
    }

    /// Ends the text before the tool call, waits for the user's reply, and publishes the reply.
    private func reply(to request: PendingRequests.Request) throws(TurnControl.Aborted) -> PendingRequests.Reply {
        endText()
        // Abort the request here if the turn was aborted just before the request was added.
        if control.abort.isOpen { store.pending.abort(session: session.id) }
        let id = request.id
        let kind = request.kind
        let reply = store.pending.wait(for: id)
        var answer: JSON = ["sessionID": .string(session.id), "requestID": .string(id)]
        switch reply {
        case .aborted: throw TurnControl.Aborted()
        case .permission(let text): answer = answer.adding([("reply", .string(text))])
        case .answers(let answers?): answer = answer.adding([("answers", answers)])
        case .answers(nil):
            conversation.publish("question.rejected", answer, in: session)
            return reply
        }
        conversation.publish(kind == .permission ? "permission.replied" : "question.replied", answer, in: session)
        return reply
    }

    private func write(_ part: inout Part) -> [String] {
        let content = "# Notes\n\nhello\n"
        let path = "\(session.directory)/notes.md"
        let input: JSON = ["filePath": "notes.md", "content": .string(content)]
        change(&part) { $0.run(input) }
        conversation.publish("file.edited", ["file": .string(path)], in: session)
        if traits.watchesFiles {
            conversation.publish("file.watcher.updated", ["file": .string(path), "event": "add"], in: session)
        }
        change(&part) {
            $0.complete(
                output: traits.writeOutput, title: "notes.md",
                metadata: ["diagnostics": [:], "filepath": .string(path), "exists": false, "truncated": false])
        }
        store.update(session.id) { $0.changes = [FileChange(file: "notes.md", content: content)] }
        return [path]
    }

    private func writeTodos(_ part: inout Part) {
        let entries = [("1", "Read", "completed"), ("2", "Write", "in_progress"), ("3", "Check", "pending")]
        let todos = { (layout: Layout) in
            JSON.array(
                entries.map { id, content, status in
                    layout.object([
                        "id": .string(id), "content": .string(content), "status": .string(status), "priority": "high",
                    ])
                })
        }
        let stored = todos(profile.layouts.todo)
        store.update(session.id) { $0.todos = stored }
        change(&part) { $0.run(["todos": todos("id content status priority")]) }
        conversation.publish("todo.updated", ["sessionID": .string(session.id), "todos": stored], in: session)
        change(&part) {
            $0.complete(
                output: stored.encoded, title: "2 todos", metadata: ["todos": stored, "truncated": false])
        }
    }
}
