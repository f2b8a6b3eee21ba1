package import JSONText

/// Turns the events of one OpenCode 2 server into OpenCode 1's, in their order. One event can make several, or none.
///
/// It knows of each session what OpenCode 2 does not repeat with each event: the session itself, what prompt is answered,
/// how far a step is. It learns that from the events since the session was made, or from OpenCode's lists where it came
/// later; identifiers are the same either way.
package struct StreamTranslator: Sendable {
    private var sessions: [String: SessionState] = [:]
    private var leftOut: Set<String> = []
    private var last: Piece.Last?
    private let surroundings: InstanceDefaults
    private static let mostLeftOut = 1_024

    /// Knows no session yet.
    package init(_ surroundings: InstanceDefaults) { self.surroundings = surroundings }

    /// What an event, the JSON of one `data:` line, becomes.
    package mutating func translate(_ bytes: [UInt8]) -> Outcome {
        if let piece = Piece(bytes) {
            if piece.kind == .reasoning, let message = piece.message {
                let id = String(decoding: bytes[piece.session], as: UTF8.self)
                let addition = bytes[piece.addition].dropFirst().dropLast()
                sessions[id]?.step?.reason(piece.ordinal, in: bytes[message], addition)
            }
            if let last, last.takes(piece, bytes) { return Self.frame(piece, bytes, last.text, last.directory) }
            if let outcome = translate(piece, bytes) { return outcome }
        }
        last = nil
        guard let event = JSONParser.parse(bytes).flatMap(OpenCode2Event.init) else { return .frames([]) }
        guard Self.isTold(event.type) else { return Self.frames(Self.elsewhere(event), event, event.directory) }
        guard let id = event.sessionID else { return .frames([]) }
        guard !leftOut.contains(id) || event.type == "session.created" else {
            guard event.type == "session.deleted" else { return .frames([]) }
            leftOut.remove(id)
            return Self.deleted(id, event)
        }
        if event.type == "session.created",
            let session = Session(openCode2Created: event.data, created: event.created, surroundings)
        {
            sessions[id] = SessionState(session, surroundings)
            leftOut.remove(id)
        }
        guard var state = sessions.removeValue(forKey: id) else {
            return event.type == "session.deleted" ? Self.deleted(id, event) : .needs(sessionID: id)
        }
        let directory = event.directory ?? state.session.directory
        state.translate(event)
        let changes = state.changes
        state.changes = []
        if event.type != "session.deleted" { sessions[id] = state }
        return Self.frames(changes, event, directory)
    }

    /// Takes in what OpenCode 2 says of a session, its messages (oldest first; the last turn is enough) and what waits in
    /// its inbox. `isRunning`: whether it is at work. `event`: the JSON of the event that asked for it, where what was said
    /// may be newer than that; then only what stood before it is taken in. What was known of the session is replaced. False
    /// where the first is no session.
    @discardableResult
    package mutating func learn(
        session: JSON, messages: [JSON], inbox: [JSON] = [], isRunning: Bool = false, before event: [UInt8]? = nil
    ) -> Bool {
        guard let known = Session(openCode2: session, surroundings) else { return false }
        var state = SessionState(known, surroundings)
        let past = event.flatMap(JSONParser.parse).flatMap(OpenCode2Event.init).map { RewoundSession(before: $0) }
        state.isRunning = past?.isRunning ?? isRunning
        for message in past?.messages(messages) ?? messages { state.learn(message) }
        for item in inbox { state.learn(waiting: item) }
        if let past { state.goBack(to: past, messages) }
        leftOut.remove(known.id)
        last = nil
        sessions[known.id] = state
        return true
    }

    /// A session that OpenCode no longer has: its events become none.
    package mutating func leaveOut(session id: String) {
        sessions[id] = nil
        last = nil
        // Those of which there are no events any more are not told apart.
        if leftOut.count >= Self.mostLeftOut { leftOut = [] }
        leftOut.insert(id)
    }

    /// Forgets a session; it is asked for again when it is needed. For those that have been quiet for long.
    package mutating func forget(session id: String) {
        sessions[id] = nil
        leftOut.remove(id)
        last = nil
    }

    /// Forgets all sessions of a directory.
    package mutating func forget(directory: String) {
        sessions = sessions.filter { $0.value.session.directory != directory }
        last = nil
    }

    /// Forgets sessions that do nothing now, until so many are left, and which OpenCode does not have.
    package mutating func forgetQuiet(downTo count: Int) {
        leftOut = []
        last = nil
        for (id, state) in sessions where sessions.count > count && state.isQuiet { sessions[id] = nil }
    }

    /// How many sessions are known.
    package var count: Int { sessions.count }

    /// Whether anything is known of a session.
    package func knows(session id: String) -> Bool { sessions[id] != nil || leftOut.contains(id) }

    /// A session as it is known now; nil where it is not.
    package func session(_ id: String) -> Session? { sessions[id]?.session }

    /// What a pending permission's call was given, where that is known: OpenCode 1 shows it with the permission.
    package func input(of callID: String, in session: String) -> JSONObject? {
        sessions[session]?.step?.tools[callID]?.input
    }

    /// A piece is translated without reading it; nil where it has to be read after all.
    private mutating func translate(_ piece: Piece, _ bytes: [UInt8]) -> Outcome? {
        guard let state = sessions[String(decoding: bytes[piece.session], as: UTF8.self)] else { return nil }
        let message = piece.message.map { String(decoding: bytes[$0], as: UTF8.self) }
        let text: Step.OpenText?
        switch piece.kind {
        case .compaction: text = state.compaction?.text
        case .text: text = state.step.flatMap { $0.id == message ? $0.texts[piece.ordinal] : nil }
        case .reasoning: text = state.step.flatMap { $0.id == message ? $0.reasonings[piece.ordinal] : nil }
        }
        guard let text else { return .frames([]) }
        guard text.isTold else { return nil }
        last = Piece.Last(piece, bytes, text, directory: state.session.directory)
        return Self.frame(piece, bytes, text, state.session.directory)
    }

    private static func frame(
        _ piece: Piece, _ bytes: [UInt8], _ text: Step.OpenText, _ directory: String
    ) -> Outcome {
        var written: [UInt8] = []
        written.reserveCapacity(piece.id.count + text.opening.count + piece.addition.count + 12)
        written += #"{"id":""#.utf8
        written += bytes[piece.id]
        written.append(UInt8(ascii: "\""))
        written += text.opening
        written += bytes[piece.addition]
        written += "}}".utf8
        return .frames([Frame(.written(written), directory: directory)])
    }

    private static func frames(_ changes: [Change], _ event: OpenCode2Event, _ directory: String?) -> Outcome {
        .frames(
            changes.enumerated().map { index, change in
                let id = index == 0 ? event.id : "\(event.id)-\(index + 1)"
                return Frame(.event(Event(id: id, change)), directory: directory)
            })
    }

    /// Nothing is known of it any more, but that it is gone.
    private static func deleted(_ id: String, _ event: OpenCode2Event) -> Outcome {
        frames(
            [.other(type: "session.deleted", properties: ["sessionID": .string(id)])], event, event.directory)
    }

    /// Whether an event is about a session and tells OpenCode 1's clients something.
    private static func isTold(_ type: String) -> Bool {
        type.hasPrefix("session.") && type != "session.viewed" && type != "session.instructions.updated"
            || type.hasPrefix("permission.") || type.hasPrefix("form.")
    }

    /// Events that are about no session, where OpenCode 1 has them, too.
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

/// Projects, which both OpenCodes say nearly alike.
package enum Projects {
    /// A project as OpenCode 1 says it; nil where it is none.
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
