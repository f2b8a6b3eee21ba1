// SPDX-License-Identifier: Apache-2.0

/// A message of a session: a user's prompt, or an answer with its parts.
enum Message: Sendable {
    case user(UserMessage)
    case assistant(AssistantMessage)

    var id: String {
        switch self {
        case .user(let message): message.id
        case .assistant(let message): message.id
        }
    }

    var created: Int {
        switch self {
        case .user(let message): message.created
        case .assistant(let message): message.created
        }
    }

    /// Returns the info and the parts in the format of one context.
    func json(_ look: MessageLayouts, _ layouts: Layouts) -> JSON {
        switch self {
        case .user(let message):
            [
                "info": message.info(look.user, layouts),
                "parts": [message.part.json(in: (message.id, message.sessionID), look, layouts)],
            ]
        case .assistant(let message): message.json(look, layouts)
        }
    }
}

/// A user's prompt as a message.
struct UserMessage: Sendable {
    /// The tools that a subagent must not use.
    static var subagentTools: JSON { ["todowrite": false, "todoread": false, "task": false] }

    /// The id of the message. In every version's API document, a client may choose the id (`messageID`).
    let id: String
    let sessionID: String
    let text: String
    let model: Session.Model
    var part: Part
    var tools: JSON?
    let created = Clock.milliseconds
    /// The changes of the turn; nil until a turn has determined them.
    var changes: [FileChange]?
    var title: String?
    var hasBody = false

    init(id: String? = nil, sessionID: String, text: String, model: Session.Model, isSynthetic: Bool = false) {
        self.id = id ?? Identifier.make("msg")
        self.sessionID = sessionID
        self.text = text
        self.model = model
        part = Part(content: .text(TextBlock(text: text, isSynthetic: isSynthetic)))
    }

    func info(_ layout: Layout, _ layouts: Layouts) -> JSON {
        let summary: Layout = "title body diffs"
        return layout.object([
            "id": .string(id), "sessionID": .string(sessionID), "role": "user",
            "time": ["created": .integer(created)], "agent": "build", "model": model.json, "tools": tools,
            "summary": changes.map { changes in
                summary.object([
                    "title": title.map { .string($0) }, "body": hasBody ? "" : nil,
                    "diffs": .array(changes.map { $0.json(layouts.change) }),
                ])
            },
        ])
    }
}

/// A file that a turn has written.
struct FileChange: Sendable {
    let file: String
    let content: String

    func json(_ layout: Layout) -> JSON {
        layout.object([
            "file": .string(file), "before": "", "after": .string(content),
            "patch": .string("--- \(file)\n+++ \(file)\n@@ -0,0 +1,3 @@\n"), "additions": 3, "deletions": 0,
            "status": "added",
        ])
    }
}
