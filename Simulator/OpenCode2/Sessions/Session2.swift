// SPDX-License-Identifier: Apache-2.0

/// A session with its messages.
struct Session2: Sendable {
    /// The outcome of a session's last turn.
    enum TurnOutcome: String, Sendable {
        case succeeded, failed, interrupted
    }

    /// A message in the format of lists.
    struct Message: Sendable {
        let id: String
        let type: String
        let json: JSON
    }

    let id: String
    let slug: String
    let created: Int
    let parentID: String?
    /// The session from which this session was copied, and the position at which the copy ends.
    let fork: JSON?
    /// The working directory and its project. The directory and the project change when the session is moved.
    var directory: String
    var project: Project2
    var agent: String?
    var model: Model2?
    var title: String?
    var metadata: JSON?
    var permissions: JSON?
    var usage = Usage2()
    var updated: Int
    var idle: Int?
    var outcome: TurnOutcome?
    var revert: JSON?
    var messages: [Message] = []
    /// The inputs that were sent and have not been processed yet.
    var inbox: [InboxItem2] = []
    /// The files that the session's tools have written, oldest first.
    var changes: [FileChange2] = []
    /// Whether the session's instructions have been published.
    var isInstructed = false

    /// The text that was published since the current step began.
    var spoken = ""
    /// The number of changes to the session. A server loads the session's file if the file contains a greater number
    /// than the server's memory.
    var revision = 0

    /// The control of the running turns; nil if no turn is running.
    var execution: TurnControl?

    init(
        id: String? = nil, slug: String = Identifier.slug(), created: Int = Clock.milliseconds, directory: String,
        project: Project2, parentID: String? = nil, fork: JSON? = nil, agent: String? = nil, model: Model2? = nil,
        title: String? = nil
    ) {
        self.id = id ?? Identifier.make("ses", descending: true)
        self.slug = slug
        self.created = created
        self.directory = directory
        self.project = project
        self.parentID = parentID
        self.fork = fork
        self.agent = agent
        self.model = model
        self.title = title
        updated = created
    }

    var location: JSON { ["directory": .string(directory)] }
    var subpath: String { project.subpath(of: directory) }

    /// The session in the format of responses.
    var json: JSON {
        Session2.info.object([
            "id": .string(id), "parentID": parentID.map { .string($0) }, "fork": fork,
            "projectID": .string(project.id), "agent": agent.map { .string($0) }, "model": model?.complete, "cost": 0,
            "tokens": usage.tokens, "outcome": outcome.map { .string($0.rawValue) },
            "time": Session2.time.object([
                "created": .integer(created), "updated": .integer(updated), "idle": idle.map { .integer($0) },
            ]), "title": title.map { .string($0) }, "subpath": subpath.isEmpty ? nil : .string(subpath),
            "metadata": metadata, "permissions": permissions, "revert": revert, "location": location,
        ])
    }

    /// Returns the data of `session.created`.
    func creation(version: String) -> JSON {
        Session2.creation.object([
            "sessionID": .string(id), "slug": .string(slug), "version": .string(version),
            "projectID": .string(project.id), "parentID": parentID.map { .string($0) }, "location": location,
            "subpath": .string(subpath), "title": title.map { .string($0) }, "agent": agent.map { .string($0) },
            "model": model?.json, "metadata": metadata, "permissions": permissions,
        ])
    }

    private static let info: Layout = """
        id parentID fork projectID agent model cost tokens outcome time title subpath metadata permissions revert \
        location
        """
    private static let time: Layout = "created updated idle"
    private static let creation: Layout = """
        sessionID slug version projectID parentID location subpath title agent model metadata permissions
        """
}

/// An input that waits in a session's inbox.
struct InboxItem2: Sendable {
    /// The kind of an input.
    enum Kind: String, Sendable {
        case user, synthetic, compaction, move
    }

    /// The time at which an input is processed.
    enum Delivery: String, Sendable {
        /// The input is processed after the running step, as steering input.
        case steer
        /// The input is processed after the running turns, as queued input.
        case queue
    }

    let id: String
    let kind: Kind
    let payload: JSON
    let delivery: Delivery
    let created = Clock.milliseconds

    /// Returns the item in the format of responses.
    func json(in session: String) -> JSON {
        [
            "id": .string(id), "sessionID": .string(session), "time": ["created": .integer(created)],
            "type": .string(kind.rawValue), "payload": payload, "delivery": .string(delivery.rawValue),
        ]
    }

    /// The item in the format of `session.inbox.enqueued`.
    var item: JSON {
        ["type": .string(kind.rawValue), "payload": payload, "delivery": .string(delivery.rawValue)]
    }
}
