// SPDX-License-Identifier: Apache-2.0

package import JSONText

/// Translates the events of one OpenCode 2 server to OpenCode 1's events, in order. The translation of an event
/// consists of any number of events, including none.
///
/// For each session, the translator tracks the information that OpenCode 2 does not repeat in each event: the session
/// itself, the current prompt, and the state of the step. The translator collects this information from the events
/// since the session was created. If the translator started later, OpenCode's lists provide the information. The
/// identifiers are the same in both cases.
package struct StreamTranslator: Sendable {
    private var sessions: [String: SessionState] = [:]
    private var ignored: Set<String> = []
    private var last: ScannedDelta.Last?
    private let defaults: InstanceDefaults
    private static let mostIgnored = 1_024

    /// Creates a translator that does not know any session yet.
    package init(_ defaults: InstanceDefaults) { self.defaults = defaults }

    /// Translates an event, given as the JSON of one `data:` line.
    package mutating func translate(_ bytes: [UInt8]) -> TranslationResult {
        if let delta = ScannedDelta(bytes) {
            if delta.kind == .reasoning, let message = delta.message {
                let id = String(decoding: bytes[delta.session], as: UTF8.self)
                let addition = bytes[delta.addition].dropFirst().dropLast()
                sessions[id]?.step?.reason(delta.ordinal, in: bytes[message], addition)
            }
            if let last, last.matches(delta, bytes) {
                return Self.frame(delta, bytes: bytes, text: last.text, directory: last.directory)
            }
            if let outcome = translate(delta, bytes) { return outcome }
        }
        last = nil
        guard let event = JSONParser.parse(bytes).flatMap(OpenCode2Event.init) else { return .frames([]) }
        guard Self.isForwarded(event.type) else {
            return Self.frames(for: Self.elsewhere(event), of: event, directory: event.directory)
        }
        guard let id = event.sessionID else { return .frames([]) }
        guard !ignored.contains(id) || event.type == "session.created" else {
            guard event.type == "session.deleted" else { return .frames([]) }
            ignored.remove(id)
            return Self.deleted(id, event)
        }
        if event.type == "session.created",
            let session = Session(openCode2Created: event.data, created: event.created, defaults)
        {
            sessions[id] = SessionState(session, defaults)
            ignored.remove(id)
        }
        guard var state = sessions.removeValue(forKey: id) else {
            return event.type == "session.deleted" ? Self.deleted(id, event) : .needs(sessionID: id)
        }
        let directory = event.directory ?? state.session.directory
        state.translate(event)
        let changes = state.changes
        state.changes = []
        if event.type != "session.deleted" { sessions[id] = state }
        return Self.frames(for: changes, of: event, directory: directory)
    }

    /// Restores the state of a session from OpenCode 2's lists, and replaces the translator's state of the session.
    /// Returns false if `session` is not a valid session.
    ///
    /// - Parameters:
    ///   - session: The session in OpenCode 2's format.
    ///   - messages: The messages, oldest first. The messages of the last turn are sufficient.
    ///   - inbox: The prompts that wait for delivery.
    ///   - isRunning: Whether the session is busy.
    ///   - event: The JSON of the event for which the translator needed the state. Pass the event if the lists may be
    ///     newer than the event. The translator then reconstructs the state before the event.
    @discardableResult
    package mutating func restore(
        session: JSON, messages: [JSON], inbox: [JSON] = [], isRunning: Bool = false, before event: [UInt8]? = nil
    ) -> Bool {
        guard let known = Session(openCode2: session, defaults) else { return false }
        var state = SessionState(known, defaults)
        let rewound = event.flatMap(JSONParser.parse).flatMap(OpenCode2Event.init).map { RewoundSession(before: $0) }
        state.isRunning = rewound?.isRunning ?? isRunning
        for message in rewound?.messages(messages) ?? messages { state.restore(message) }
        for item in inbox { state.restore(waiting: item) }
        if let rewound { state.rewind(to: rewound, messages) }
        ignored.remove(known.id)
        last = nil
        sessions[known.id] = state
        return true
    }

    /// Ignores a session that OpenCode no longer has. Events of an ignored session have an empty translation, except
    /// for the session's creation and deletion.
    package mutating func ignore(session id: String) {
        sessions[id] = nil
        last = nil
        // Empty the whole set, because nothing shows which of the sessions may still have events.
        if ignored.count >= Self.mostIgnored { ignored = [] }
        ignored.insert(id)
    }

    /// Forgets a session that has been quiet for a long time. If another event of the session arrives, the translator
    /// requires its state again.
    package mutating func forget(session id: String) {
        sessions[id] = nil
        ignored.remove(id)
        last = nil
    }

    /// Forgets all sessions of a directory.
    package mutating func forget(directory: String) {
        sessions = sessions.filter { $0.value.session.directory != directory }
        last = nil
    }

    /// Forgets idle sessions until at most `count` sessions are left. Also forgets which sessions are ignored.
    package mutating func forgetQuiet(downTo count: Int) {
        ignored = []
        last = nil
        for (id, state) in sessions where sessions.count > count && state.isQuiet { sessions[id] = nil }
    }

    /// The number of known sessions.
    package var count: Int { sessions.count }

    /// Returns whether the session is known or ignored.
    package func knows(session id: String) -> Bool { sessions[id] != nil || ignored.contains(id) }

    /// Returns the current state of a session; nil if it is unknown.
    package func session(_ id: String) -> Session? { sessions[id]?.session }

    /// Returns the input of a tool call in the session's current step; nil if it is unknown. OpenCode 1 shows the input
    /// together with a permission request.
    package func input(of callID: String, in session: String) -> JSONObject? {
        sessions[session]?.step?.tools[callID]?.input
    }

    /// Translates a delta without parsing it. Returns nil if the event must be parsed.
    private mutating func translate(_ delta: ScannedDelta, _ bytes: [UInt8]) -> TranslationResult? {
        guard let state = sessions[String(decoding: bytes[delta.session], as: UTF8.self)] else { return nil }
        let message = delta.message.map { String(decoding: bytes[$0], as: UTF8.self) }
        let text: Step.OpenText?
        switch delta.kind {
        case .compaction: text = state.compaction?.text
        case .text: text = state.step.flatMap { $0.id == message ? $0.texts[delta.ordinal] : nil }
        case .reasoning: text = state.step.flatMap { $0.id == message ? $0.reasonings[delta.ordinal] : nil }
        }
        guard let text else { return .frames([]) }
        guard text.isEmitted else { return nil }
        last = ScannedDelta.Last(delta, bytes: bytes, text: text, directory: state.session.directory)
        return Self.frame(delta, bytes: bytes, text: text, directory: state.session.directory)
    }

    private static func frame(
        _ delta: ScannedDelta, bytes: [UInt8], text: Step.OpenText, directory: String
    ) -> TranslationResult {
        .frames([Frame(.delta(TranslatedDelta(delta, of: bytes, to: text.part)), directory: directory)])
    }

    private static func frames(for changes: [Change], of event: OpenCode2Event, directory: String?) -> TranslationResult
    {
        .frames(
            changes.enumerated().map { index, change in
                let id = index == 0 ? event.id : "\(event.id)-\(index + 1)"
                return Frame(.event(Event(id: id, change)), directory: directory)
            })
    }

    /// Translates the deletion of a session whose other properties are unknown.
    private static func deleted(_ id: String, _ event: OpenCode2Event) -> TranslationResult {
        frames(
            for: [.other(type: "session.deleted", properties: ["sessionID": .string(id)])], of: event,
            directory: event.directory)
    }

    /// Returns whether an event of this type belongs to a session and is relevant to OpenCode 1's clients.
    private static func isForwarded(_ type: String) -> Bool {
        type.hasPrefix("session.") && type != "session.viewed" && type != "session.instructions.updated"
            || type.hasPrefix("permission.") || type.hasPrefix("form.")
    }

    /// Translates an event that belongs to no session. Returns an empty array if OpenCode 1 has no corresponding event.
    private static func elsewhere(_ event: OpenCode2Event) -> [Change] {
        switch event.type {
        case "server.connected", "pty.created", "pty.updated", "pty.exited", "pty.deleted", "vcs.branch.updated":
            return [.other(type: event.type, properties: .object(event.data))]
        case "filesystem.changed":
            return [.other(type: "file.watcher.updated", properties: .object(event.data))]
        case "project.updated":
            return Projects.openCode1(event.data).map { [.other(type: event.type, properties: $0)] } ?? []
        case "location.shutdown":
            guard let directory = event.directory else { return [] }
            return [.other(type: "server.instance.disposed", properties: ["directory": .string(directory)])]
        default: return []
        }
    }
}

/// Translates projects, which are nearly the same in both versions of OpenCode.
package enum Projects {
    /// Translates a project to OpenCode 1; nil if it is invalid.
    package static func openCode1(_ object: JSONObject) -> JSON? {
        guard let id = object["id"], let directory = object["canonical"] else { return nil }
        var project = JSONObject()
        project.add("id", id)
        project.add("worktree", directory)
        project.add("vcs", object["vcs"])
        for name in ["name", "icon", "commands"] { project.add(name, object[name]) }
        project.add("time", ["created": object["time"]?["created"], "updated": object["time"]?["updated"]])
        project.add("sandboxes", object["sandboxes"] ?? [])
        return .object(project)
    }
}
