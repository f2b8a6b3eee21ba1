internal import JSONText

/// What a translator knows of a session.
struct SessionState {
    var session: Session
    let surroundings: InstanceDefaults
    /// The prompt that the next step answers.
    var parentID: String?
    /// The prompts that wait to be delivered, by OpenCode 2's ids.
    var waiting: Set<String> = []
    /// What was told of those, by the same ids.
    var prompts: [String: UserMessage] = [:]
    /// OpenCode 1's ids of the messages that were told, in order: what is taken back is told one by one.
    var messageIDs: [String] = []
    var step: Step?
    /// The answer that was learned of, whose beginning may still be told.
    var learned: String?
    var compaction: OpenCompaction?
    var shells: [String: ShellTranslation] = [:]
    var forms: [String: QuestionForm] = [:]
    /// Forms that are no questions for OpenCode 1.
    var untold: Set<String> = []
    /// Ends of texts that wait: whether the turn has been broken off, the next event tells, and OpenCode 1 says that first.
    var held: [Change] = []
    /// Why the step failed; what that means, the next event tells.
    var failure: JSONObject?
    /// Whether it works on something.
    var isRunning = false
    /// Whether a step has been told since it began to work.
    var hasStepped = false
    /// What the event has become so far.
    var changes: [Change] = []

    init(_ session: Session, _ surroundings: InstanceDefaults) {
        (self.session, self.surroundings) = (session, surroundings)
    }

    /// Whether nothing of it is under way: what is known of it can be asked for again.
    var isQuiet: Bool {
        !isRunning && waiting.isEmpty && compaction == nil && shells.isEmpty && forms.isEmpty && held.isEmpty
    }

    struct OpenCompaction {
        let translation: CompactionTranslation
        var info: AssistantMessage
        let isAutomatic: Bool
        let text: Step.OpenText
    }

    var messages: MessageTranslation { MessageTranslation(session: session) }
    var agent: String { session.agent ?? surroundings.agent }
    var model: Model { session.model ?? surroundings.model ?? Model(providerID: "", modelID: "") }

    mutating func tell(_ change: Change) { changes.append(change) }

    mutating func tell(_ status: Change.Status) { tell(.status(sessionID: session.id, status)) }

    /// Tells a message's head, and remembers its id.
    mutating func tell(_ info: MessageInfo) {
        if let id = info.id, messageIDs.last != id, !messageIDs.suffix(8).contains(id) { messageIDs.append(id) }
        tell(.message(info))
    }

    mutating func tell(_ part: Part, _ time: Number) { tell(.part(part, time: time, delta: nil)) }

    mutating func tell(_ message: Message, _ time: Number) {
        tell(message.info)
        for part in message.parts { tell(part, time) }
    }

    /// Tells the ends that waited.
    mutating func flush() {
        changes += held
        held = []
    }

    /// What OpenCode 1 says when a session has nothing to do any more.
    mutating func tellIdle() {
        tell(.idle)
        tell(.idle(sessionID: session.id))
    }

    mutating func tellSession(_ updated: Number) {
        session.updated = updated
        tell(.sessionUpdated(session))
    }
}

/// An event of OpenCode 2 that is about a session.
struct OpenCode2Event {
    let id: String
    let type: String
    /// In milliseconds since 1970.
    let created: Number
    let data: JSONObject
    let directory: String?

    init?(_ json: JSON) {
        guard let type = json["type"]?.text, let data = json["data"]?.object else { return nil }
        (self.type, self.data) = (type, data)
        id = json["id"]?.text ?? ""
        created = json["created"]?.number ?? 0
        directory = json["location"]?["directory"]?.text
    }

    subscript(name: String) -> JSON? { data[name] }

    /// The session it is about.
    var sessionID: String? { data["sessionID"]?.text ?? data["form"]?["sessionID"]?.text }
}
