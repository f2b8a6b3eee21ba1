/// One session with its messages.
struct Session: Sendable {
    /// Which model a prompt goes to.
    struct Model: Sendable, Equatable {
        let providerID: String
        let modelID: String

        var json: JSON { ["providerID": .string(providerID), "modelID": .string(modelID)] }
    }

    let id = Identifier.make("ses", descending: true)
    let slug = Identifier.slug()
    let directory: String
    let parentID: String?
    /// Whether it is a subagent's, which may not use all tools.
    let isRestricted: Bool
    let created = Clock.milliseconds
    var title: String
    /// Whether the title is still the one made from the date.
    var hasDefaultTitle: Bool
    var model: Model?
    var usage = Usage()
    /// What was written; nil before a turn has looked.
    var changes: [FileChange]?
    var todos: JSON = []
    var updated: Int
    var messages: [Message] = []

    /// The turn that runs now.
    var runningTurn: TurnControl?
    /// What `GET /session/status` tells while a turn runs.
    var status: JSON = ["type": "busy"]
    /// The prompts, by their message's id, whose turns have not begun. An abort empties it.
    var queued: [String] = []
    /// The end of a turn whose abort was answered already.
    var ending: Ending?

    /// How far the end of such a turn is.
    enum Ending: Sendable {
        /// The loop is still ending: a prompt is stored and lost.
        case losesPrompts
        /// The last events are being published: a prompt's turn begins after them.
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

    /// The session as one place shows it.
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
