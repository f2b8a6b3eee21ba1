// SPDX-License-Identifier: Apache-2.0

/// A part of a message.
struct Part: Sendable {
    /// The kind of the part, with its data.
    enum Content: Sendable {
        case text(TextBlock)
        case reasoning(TextBlock)
        case stepStart(snapshot: String)
        case stepFinish(reason: String, snapshot: String, usage: Usage)
        case tool(ToolCall)
        case patch(hash: String, files: [String])
    }

    let id = Identifier.make("prt")
    var content: Content

    /// Returns the part in the format of one context.
    func json(in message: (id: String, session: String), _ look: MessageLayouts, _ layouts: Layouts) -> JSON {
        let identity: [String: JSON?] = [
            "id": .string(id), "messageID": .string(message.id), "sessionID": .string(message.session),
        ]
        let (layout, members) = members(look, layouts)
        return layout.object(identity.merging(members) { $1 })
    }

    private func members(_ look: MessageLayouts, _ layouts: Layouts) -> (Layout, [String: JSON?]) {
        switch content {
        case .text(let block):
            return (look.part, block.members.merging(["type": "text"]) { $1 })
        case .reasoning(let block):
            return (look.part, block.members.merging(["type": "reasoning"]) { $1 })
        case .stepStart(let snapshot):
            return (look.stepStart, ["type": "step-start", "snapshot": .string(snapshot)])
        case .stepFinish(let reason, let snapshot, let usage):
            let members: [String: JSON?] = [
                "type": "step-finish", "reason": .string(reason), "snapshot": .string(snapshot), "cost": 0,
                "tokens": usage.json(layouts.tokens, cache: look.cache),
            ]
            return (look.stepFinish, members)
        case .tool(let call):
            let members: [String: JSON?] = [
                "type": "tool", "callID": .string(call.callID), "tool": .string(call.tool),
                "state": call.state(look),
            ]
            return (call.status == .pending ? look.part : look.tool, members)
        case .patch(let hash, let files):
            return (
                look.part,
                ["type": "patch", "hash": .string(hash), "files": .array(files.map { JSON.string($0) })]
            )
        }
    }
}

/// A text of a user or of the model, or the model's reasoning.
struct TextBlock: Sendable {
    var text: String
    /// The time at which the text began; nil for a user's text.
    var started: Int?
    var ended: Int?
    /// Whether the server generated the text.
    var isSynthetic = false

    var members: [String: JSON?] {
        [
            "text": .string(text), "synthetic": isSynthetic ? true : nil,
            "time": started.map { Layout.times(start: $0, end: ended) },
        ]
    }
}

/// The token usage of a message.
struct Usage: Sendable {
    var input = 0
    var output = 0
    /// Whether the provider has reported the usage. If not, the JSON contains no total.
    var isKnown = true

    /// The usage of one simulated step.
    static let step = Usage(input: 120, output: 42)

    func json(_ layout: Layout, cache: Layout) -> JSON {
        layout.object([
            "total": isKnown ? .integer(input + output) : nil, "input": .integer(input), "output": .integer(output),
            "reasoning": 0, "cache": cache.object(["read": 0, "write": 0]),
        ])
    }
}

extension Layout {
    /// Returns `{"start","end"}` with times in milliseconds.
    static func times(start: Int, end: Int?) -> JSON {
        let layout: Layout = "start end"
        return layout.object(["start": .integer(start), "end": end.map { .integer($0) }])
    }
}
