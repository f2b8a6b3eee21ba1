// SPDX-License-Identifier: Apache-2.0

internal import JSONText

/// The state of a session in a ``StreamTranslator``.
struct SessionState {
    var session: Session
    let defaults: InstanceDefaults
    /// The prompt that the next step answers.
    var parentID: String?
    /// OpenCode 2's ids of the prompts that wait for delivery.
    var waiting: Set<String> = []
    /// The emitted messages of the waiting prompts. The keys are OpenCode 2's ids of the prompts.
    var prompts: [String: UserMessage] = [:]
    /// OpenCode 1's ids of the emitted messages, in order. A revert emits an event for each of its messages.
    var messageIDs: [String] = []
    var step: Step?
    /// The id of the restored answer whose beginning may still arrive in an event.
    var restoredAnswer: String?
    var compaction: OpenCompaction?
    var shells: [String: ShellTranslation] = [:]
    var forms: [String: QuestionForm] = [:]
    /// The forms that OpenCode 1 does not show as questions.
    var unemitted: Set<String> = []
    /// The ends of texts that are held back. The next event shows whether the turn was aborted. OpenCode 1 reports an
    /// abort before the ends of texts.
    var pendingEnds: [Change] = []
    /// The data of a failed step. The next event shows whether OpenCode retries the step.
    var failure: JSONObject?
    /// Whether the session is currently busy.
    var isRunning = false
    /// Whether a step was emitted since the session became busy.
    var hasStepped = false
    /// The translation of the current event so far.
    var changes: [Change] = []

    init(_ session: Session, _ defaults: InstanceDefaults) {
        self.session = session
        self.defaults = defaults
    }

    /// Whether the session has no unfinished work. The translator can forget the state of such a session and restore
    /// the state later.
    var isQuiet: Bool {
        !isRunning && waiting.isEmpty && compaction == nil && shells.isEmpty && forms.isEmpty && pendingEnds.isEmpty
    }

    struct OpenCompaction {
        let translation: CompactionTranslation
        var info: AssistantMessage
        let isAutomatic: Bool
        let text: Step.OpenText
    }

    var messages: MessageTranslation { MessageTranslation(session: session) }
    var agent: String { session.agent ?? defaults.agent }
    var model: Model { session.model ?? defaults.model ?? Model(providerID: "", modelID: "") }

    mutating func emit(_ change: Change) { changes.append(change) }

    mutating func emit(_ status: Change.Status) { emit(.status(sessionID: session.id, status)) }

    /// Emits the properties of a message and stores its id.
    mutating func emit(_ info: MessageInfo) {
        if let id = info.id, messageIDs.last != id, !messageIDs.suffix(8).contains(id) { messageIDs.append(id) }
        emit(.message(info))
    }

    mutating func emit(_ part: Part, _ time: Number) { emit(.part(part, time: time, delta: nil)) }

    mutating func emit(_ message: Message, _ time: Number) {
        emit(message.info)
        for part in message.parts { emit(part, time) }
    }

    /// Emits the ends of texts that were held back.
    mutating func flush() {
        changes += pendingEnds
        pendingEnds = []
    }

    /// Emits OpenCode 1's events for a session that has become idle.
    mutating func emitIdle() {
        emit(.idle)
        emit(.idle(sessionID: session.id))
    }

    mutating func emitSession(_ updated: Number) {
        session.updated = updated
        emit(.sessionUpdated(session))
    }
}

/// An event from OpenCode 2.
struct OpenCode2Event {
    let id: String
    let type: String
    /// The time of the event, in milliseconds since 1970.
    let created: Number
    let data: JSONObject
    let directory: String?

    init?(_ json: JSON) {
        guard let type = json["type"]?.text, let data = json["data"]?.object else { return nil }
        self.type = type
        self.data = data
        id = json["id"]?.text ?? ""
        created = json["created"]?.number ?? 0
        directory = json["location"]?["directory"]?.text
    }

    subscript(name: String) -> JSON? { data[name] }

    /// The id of the event's session.
    var sessionID: String? { data["sessionID"]?.text ?? data["form"]?["sessionID"]?.text }
}
