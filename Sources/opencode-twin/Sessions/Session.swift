/// One session with its messages.
struct Session: Sendable {
    /// Which model a prompt goes to.
    struct Model: Sendable, Equatable {
        let providerID: String
        let modelID: String
    }

    /// How many tokens were used so far; the twin's turns all use the same.
    struct Tokens: Sendable {
        var input = 0
        var output = 0
    }

    let id = Identifier.make("ses", descending: true)
    let slug = Identifier.slug()
    let directory: String
    let parentID: String?
    let created = Clock.milliseconds
    var title: String
    /// Whether the title is still the one made from the date.
    var hasDefaultTitle: Bool
    var model: Model?
    var tokens = Tokens()
    /// Whether a turn has written its summary of changes.
    var hasSummary = false
    var updated: Int
    var messages: [Message] = []

    /// The turn that runs now.
    var runningTurn: TurnControl?
    /// The prompts, by their message's id, whose turns have not begun. An abort empties it.
    var queued: [String] = []

    init(directory: String, title: String?, parentID: String?) {
        self.directory = directory
        self.parentID = parentID
        self.title = title ?? "New session - \(Clock.iso(created))"
        hasDefaultTitle = title == nil
        updated = created
    }
}

extension Session {
    private var identity: [(String, JSON)] {
        [("id", .string(id)), ("slug", .string(slug))]
    }

    private var place: [(String, JSON)] {
        let parent: [(String, JSON)] = parentID.map { [("parentID", .string($0))] } ?? []
        return [
            ("projectID", .string(SHA1.hexadecimal(directory))), ("directory", .string(directory)), ("path", ""),
        ] + parent
    }

    private var summary: [(String, JSON)] {
        hasSummary ? [("summary", ["additions": 0, "deletions": 0, "files": 0])] : []
    }

    private var usage: [(String, JSON)] {
        [
            ("cost", 0),
            (
                "tokens",
                [
                    "input": .integer(tokens.input), "output": .integer(tokens.output), "reasoning": 0,
                    "cache": ["read": 0, "write": 0],
                ]
            ),
        ]
    }

    private var agent: [(String, JSON)] {
        guard let model else { return [] }
        return [
            ("agent", "build"),
            (
                "model",
                ["id": .string(model.modelID), "providerID": .string(model.providerID), "variant": "default"]
            ),
        ]
    }

    private func version(_ profile: Profile) -> [(String, JSON)] { [("version", .string(profile.version))] }

    private var time: [(String, JSON)] {
        [("time", ["created": .integer(created), "updated": .integer(updated)])]
    }

    /// As answers to requests show it.
    func answer(_ profile: Profile) -> JSON {
        object(identity, place, summary, usage, [("title", .string(title))], agent, version(profile), time)
    }

    /// As `session.created` shows it.
    func createdEvent(_ profile: Profile) -> JSON {
        object(identity, version(profile), place, [("title", .string(title))], usage, time)
    }

    /// As `session.updated` and `session.deleted` show it.
    func updatedEvent(_ profile: Profile) -> JSON {
        object(identity, place, [("title", .string(title))], agent, version(profile), summary, usage, time)
    }

    private func object(_ groups: [(String, JSON)]...) -> JSON {
        JSON.object([]).adding(groups.flatMap { $0 })
    }
}
