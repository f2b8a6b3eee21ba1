// SPDX-License-Identifier: Apache-2.0

import TestKit

/// A step: the message that results from one call of the model. Only one thread uses a step.
final class Step2 {
    /// A part of the model's output.
    enum Content {
        case text(String)
        case reasoning(String, started: Int, ended: Int?)
        case tool(ToolCall2)
    }

    let id = Identifier.make("msg")
    let started = Clock.milliseconds
    let agent: String
    let model: JSON
    /// The state of the files at the beginning of the step.
    let snapshot: String?
    var content: [Content] = []
    var streamed: Int?
    var completed: Int?
    var finish: String?
    var rawFinish: String?
    var usage: Usage2?
    var error: JSON?
    var retry: JSON?
    /// The state of the files at the end of the step, and the files that the step has written.
    var end: (snapshot: String?, files: [String])?

    init(_ session: Session2) {
        agent = session.agent ?? "build"
        model = (session.model ?? .standard).complete
        snapshot = session.snapshot
    }

    /// The message in the format of lists.
    var message: Session2.Message {
        let time: JSON = ["created": .integer(started)]
        let start: [String: JSON?] = [
            "start": snapshot.map { .string($0) }, "end": end?.snapshot.map { .string($0) },
            "files": end?.snapshot == nil ? nil : end.map { .array($0.files.map { .string($0) }) },
        ]
        let json = Step2.layout.object([
            "id": .string(id),
            "time": time.adding(
                [("streamed", streamed), ("completed", completed)].compactMap { name, value in
                    value.map { (name, .integer($0)) }
                }), "type": "assistant", "agent": .string(agent), "model": model,
            "content": .array(content.map(\.json)), "snapshot": Step2.snapshots.object(start),
            "finish": finish.map { .string($0) }, "rawFinish": rawFinish.map { .string($0) },
            "cost": usage == nil ? nil : 0, "tokens": usage?.tokens, "error": error, "retry": retry,
        ])
        return Session2.Message(id: id, type: "assistant", json: json)
    }

    private static let layout: Layout = """
        id time type agent model content snapshot finish rawFinish cost tokens error retry
        """
    private static let snapshots: Layout = "start end files"
}

extension Step2.Content {
    fileprivate var json: JSON {
        switch self {
        case .text(let text): return ["type": "text", "text": .string(text)]
        case .reasoning(let text, let started, let ended):
            let time: JSON = ["created": .integer(started)]
            return [
                "type": "reasoning", "text": .string(text), "state": Step2.reasoningState,
                "time": time.adding(ended.map { [("completed", .integer($0))] } ?? []),
            ]
        case .tool(let call): return call.json
        }
    }
}

extension Step2 {
    /// The field that contained the recorded model's reasoning.
    static var reasoningState: JSON { ["reasoningField": "reasoning_content"] }
}

/// A call of a tool, with its progress.
struct ToolCall2 {
    let id = "call_\(Clock.milliseconds)"
    let name: String
    let created = Clock.milliseconds
    var ran: Int?
    var completed: Int?
    var input: JSON?
    var content: JSON?
    var metadata: JSON?
    var error: JSON?

    init(_ name: String) {
        self.name = name
    }

    fileprivate var json: JSON {
        let state: JSON
        if let error {
            state = ["status": "error", "input": input ?? [:], "error": error]
        } else if let content {
            state = ["status": "completed", "input": input ?? [:], "content": content, "metadata": metadata ?? [:]]
        } else if let input {
            state = ["status": "running", "input": input, "metadata": metadata ?? [:]]
        } else {
            state = ["status": "streaming", "input": ""]
        }
        let time: JSON = ["created": .integer(created)]
        return [
            "type": "tool", "id": .string(id), "name": .string(name), "executed": false, "state": state,
            "time": time.adding(
                [("ran", ran), ("completed", completed)].compactMap { name, value in
                    value.map { (name, .integer($0)) }
                }),
        ]
    }
}

extension Session2 {
    /// The state of the files in the session's directory after the changes by the session's tools; nil if the directory
    /// no longer exists.
    var snapshot: String? {
        (try? FileTree.names(in: directory)) != nil
            ? SHA1.hexadecimal(changes.reduce(project.id) { "\($0)/\($1.file):\($1.after ?? "")" }) : nil
    }
}
