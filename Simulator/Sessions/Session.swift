// SPDX-License-Identifier: Apache-2.0

/// A session with its messages.
struct Session: Sendable {
    /// The model to which a prompt is sent.
    struct Model: Sendable, Equatable {
        let providerID: String
        let modelID: String

        var json: JSON { ["providerID": .string(providerID), "modelID": .string(modelID)] }
    }

    let id = Identifier.make("ses", descending: true)
    let slug = Identifier.slug()
    let directory: String
    let parentID: String?
    /// Whether the session belongs to a subagent, which may not use all tools.
    let isRestricted: Bool
    let created = Clock.milliseconds
    var title: String
    /// Whether the title is still the default title with the date.
    var hasDefaultTitle: Bool
    var model: Model?
    var usage = Usage()
    /// The written files; nil until a turn has determined them.
    var changes: [FileChange]?
    var todos: JSON = []
    var updated: Int
    var messages: [Message] = []

    /// The control of the running turn.
    var runningTurn: TurnControl?
    /// The session's entry in `GET /session/status` while a turn runs.
    var status: JSON = ["type": "busy"]
    /// The message ids of the prompts whose turns have not begun. An abort empties the list.
    var queued: [String] = []
    /// The final phase of a turn whose abort request has already received its response.
    var ending: Ending?

    /// The progress of the final phase of an aborted turn.
    enum Ending: Sendable {
        /// The turn's loop is still ending. A new prompt is stored, but receives no answer.
        case losesPrompts
        /// The last events are being published. If a new prompt arrives, its turn begins after these events.
        case publishes
    }

    init(directory: String, title: String?, parentID: String?, isRestricted: Bool = false) {
        self.directory = directory
        self.parentID = parentID
        self.isRestricted = isRestricted
        self.title = title ?? "New session - \(Clock.iso(created))"
        hasDefaultTitle = title == nil
        updated = created
    }

    /// Returns the session in the format of one context.
    func json(_ layout: Layout, _ profile: Profile, isNew: Bool = false) -> JSON {
        let restriction: Layout = isNew ? "permission pattern action" : profile.layouts.restriction
        let denied = ["todowrite", "todoread", "task"].map { tool in
            restriction.object(["permission": .string(tool), "pattern": "*", "action": "deny"])
        }
        return layout.object([
            "id": .string(id), "slug": .string(slug), "version": .string(profile.version),
            "projectID": .string(SHA1.hexadecimal(directory)), "directory": .string(directory), "path": "",
            "parentID": parentID.map { .string($0) }, "title": .string(title), "cost": 0,
            "agent": model != nil || isRestricted ? "build" : nil,
            "permission": isRestricted ? .array(denied) : nil,
            "model": model.map {
                ["id": .string($0.modelID), "providerID": .string($0.providerID), "variant": "default"]
            },
            "summary": changes.map { changes in
                [
                    "additions": .integer(3 * changes.count), "deletions": 0, "files": .integer(changes.count),
                ]
            },
            "tokens": [
                "input": .integer(usage.input), "output": .integer(usage.output), "reasoning": 0,
                "cache": ["read": 0, "write": 0],
            ],
            "time": ["created": .integer(created), "updated": .integer(updated)],
        ])
    }
}
