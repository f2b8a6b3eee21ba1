// SPDX-License-Identifier: Apache-2.0

internal import JSONText

extension Bridge {
    /// Sends a prompt. Before the prompt, commits the session's revert, and changes the session's agent and model if
    /// the prompt names others. If one of these requests fails, the prompt is not sent.
    ///
    /// - Parameter isAwaited: Whether the client receives its response at the end of the turn.
    /// - Returns: The session, and OpenCode 2's id of the prompt.
    func prompt(
        _ id: String, for request: ClientRequest, isAwaited: Bool = false
    ) async throws(BridgeError) -> (session: Session, id: String?) {
        guard let body = body(request) else { throw .answer(Refusals.bad("Expected a valid JSON body")) }
        guard let parts = body["parts"]?.array else {
            throw .answer(Refusals.bad("Missing key\n  at [\"parts\"]"))
        }
        if let sentence = Self.unsupported(body, parts) { throw .answer(Refusals.notTranslated(sentence)) }
        guard parts.allSatisfy({ isInside($0, request) }) else { throw .answer(Self.fileOutside) }
        var prompt = Self.prompt(parts)
        prompt.add("id", body["messageID"]?.text.map(MessageIDs.openCode2))
        prompt.add("delivery", "steer")
        let wanted = Self.wanted(agent: body["agent"]?.text, model: body["model"], variant: body["variant"]?.text)
        let session = try await settled(id, wanted: wanted)
        if isAwaited { transport.watchTurn(of: id, holdsEnd: true) }
        let reply = try await send(Call("POST", ["api", "session", id, "prompt"], body: .object(prompt)))
        // After a conflict, return the id of the existing prompt, because OpenCode 2 does not accept the same id twice.
        let again = reply.json?["_tag"]?.text == "ConflictError" ? prompt["id"]?.text : nil
        guard reply.isGood || again != nil else { throw .answer(Refusals.of(reply)) }
        transport.unlock()
        request.releaseBody()
        return (session, again ?? reply.data?["id"]?.text)
    }

    /// Returns whether the file that a part names is inside the project. Returns true if the part names no file, and
    /// false if its URL is ambiguous.
    private func isInside(_ part: JSON, _ request: ClientRequest) -> Bool {
        guard part["type"]?.text == "file", let url = part["url"]?.text else { return true }
        return switch FolderPath.file(url) {
        case .none: true
        case .path(let path): contains(FolderPath.absolute(path, in: request.directory))
        case .ambiguous: false
        }
    }

    private static let fileOutside = Refusals.outside(
        "A part names a file outside the project, or its URL is ambiguous. Name a file inside the project by an absolute URL "
            + "without a host, control characters, backslashes or encoded slashes, or send the file's content as a data: URL."
    )

    /// The agent and the model that a request names.
    struct Wanted: Sendable {
        var agent: String?
        var model: Model?
    }

    private static func wanted(agent: String?, model: JSON?, variant: String?) -> Wanted {
        var model = model.flatMap { Model(openCode1Message: $0) }
        model?.variant = variant
        return Wanted(agent: agent, model: model)
    }

    /// Returns the error message for the first option of a prompt that OpenCode 2 does not support; nil if all options
    /// are supported.
    private static func unsupported(_ body: JSONObject, _ parts: [JSON]) -> String? {
        if body["noReply"]?.bool == true {
            return "OpenCode 2 does not support the field noReply. Add the text with POST /api/session/ID/synthetic."
        }
        if body["system"] != nil {
            return "OpenCode 2 does not support the field system. Put the text into the agent's configuration."
        }
        if body["tools"]?.object?.isEmpty == false {
            return "OpenCode 2 does not support the field tools. Set the permissions of the session or the agent."
        }
        if let format = body["format"]?["type"]?.text, format != "text" {
            return "OpenCode 2 does not support the field format. Send the prompt to POST /api/session/ID/generate."
        }
        if parts.contains(where: { $0["type"]?.text == "subtask" }) {
            return "OpenCode 2 does not support parts of the type subtask. Name the agent in a text part."
        }
        return nil
    }

    /// Returns the text, files and agents of a prompt in OpenCode 2's format.
    private static func prompt(_ parts: [JSON]) -> JSONObject {
        var texts: [String] = []
        var files: [JSON] = []
        var agents: [JSON] = []
        for part in parts {
            switch part["type"]?.text {
            case "text" where part["ignored"]?.bool != true: texts.append(part["text"]?.text ?? "")
            case "file": files.append(file(part))
            case "agent": agents.append(["name": part["name"], "mention": mention(part["source"])])
            default: break
            }
        }
        var prompt = JSONObject()
        prompt.add("text", texts.joined(separator: "\n"))
        if !files.isEmpty { prompt.add("files", .array(files)) }
        if !agents.isEmpty { prompt.add("agents", .array(agents)) }
        return prompt
    }

    private static func file(_ part: JSON) -> JSON {
        ["uri": part["url"], "name": part["filename"], "mention": mention(part["source"]?["text"])]
    }

    private static func mention(_ source: JSON?) -> JSON? {
        guard let source, let text = source["value"], let start = source["start"], let end = source["end"] else {
            return nil
        }
        return ["start": start, "end": end, "text": text]
    }

    /// Locks a session, commits its revert, and changes its agent and model if the wanted ones differ.
    ///
    /// A prompt without an agent resets the session to the default agent, as in OpenCode 1. If a turn is running and
    /// the prompt names neither an agent nor a model, the agent and the model do not change. The session remains
    /// locked, so that the caller can send its prompt.
    private func settled(_ id: String, wanted: Wanted) async throws(BridgeError) -> Session {
        try await transport.lock(session: id)
        let session = try await session(id)
        let active = try await fetch(Call("GET", ["api", "session", "active"]))
        let isRunning = active.data?[id] != nil
        let isSilent = isRunning && wanted.agent == nil && wanted.model == nil
        if session.revert != nil {
            _ = try await fetch(Call("POST", ["api", "session", id, "revert", "commit"]))
        }
        if !isSilent { try await set(agent: wanted.agent ?? defaults.agent, session) }
        try await set(model: wanted.model, session)
        return session
    }

    private func set(agent: String?, _ session: Session) async throws(BridgeError) {
        guard let agent, agent != session.agent ?? defaults.agent else { return }
        _ = try await fetch(Call("POST", ["api", "session", session.id, "agent"], body: ["agent": .string(agent)]))
    }

    private func set(model: Model?, _ session: Session) async throws(BridgeError) {
        guard let model, !Self.isSame(model, session.model ?? defaults.model) else { return }
        _ = try await fetch(
            Call("POST", ["api", "session", session.id, "model"], body: ["model": model.sessionJSON]))
    }

    private static func isSame(_ one: Model, _ other: Model?) -> Bool {
        guard let other else { return false }
        return one.providerID == other.providerID && one.modelID == other.modelID
            && (one.variant ?? "default") == (other.variant ?? "default")
    }

    /// Runs a command and responds with the last message of its turn. Also publishes OpenCode 1's event about the
    /// command. OpenCode 2 sends no event that names the command.
    func command(_ id: String, _ request: ClientRequest) async throws(BridgeError) -> ClientAnswer {
        guard let body = body(request), let name = body["command"]?.text, let text = body["arguments"]?.text else {
            return Refusals.bad("Missing key\n  at [\"command\"] or [\"arguments\"]")
        }
        let parts = body["parts"]?.array ?? []
        guard parts.allSatisfy({ isInside($0, request) }) else { return Self.fileOutside }
        var command = Self.prompt(parts)
        command["text"] = .string(text)
        command.add("name", name)
        let wanted = Wanted(
            agent: body["agent"]?.text, model: body["model"]?.text.flatMap { Self.model($0, body["variant"]?.text) })
        let session = try await settled(id, wanted: wanted)
        transport.watchTurn(of: id, holdsEnd: true)
        _ = try await fetch(Call("POST", ["api", "session", id, "command"], body: .object(command)))
        transport.unlock()
        request.releaseBody()
        try await awaitTurn(session)
        try await transport.awaitStreams()
        let answer = try await lastAnswer(session, after: nil)
        transport.publish(
            Change.commandExecuted(name, arguments: text, sessionID: id, messageID: answer.info.id))
        return ClientAnswer(answer.json)
    }

    /// Parses a model in the format `provider/model`, which commands use.
    private static func model(_ text: String, _ variant: String?) -> Model? {
        guard let slash = text.firstIndex(of: "/") else { return nil }
        return Model(
            providerID: String(text[..<slash]), modelID: String(text[text.index(after: slash)...]), variant: variant)
    }

    /// Runs a shell command, and responds with the command's message after the command has ended.
    func shell(_ id: String, _ request: ClientRequest) async throws(BridgeError) -> ClientAnswer {
        guard let body = body(request), let line = body["command"]?.text else {
            return Refusals.bad("Missing key\n  at [\"command\"]")
        }
        let session = try await session(id)
        // OpenCode 2 responds only after the command has ended, so the call is long.
        _ = try await fetch(
            Call("POST", ["api", "session", id, "shell"], body: ["command": .string(line)], isLong: true))
        return try await shellAnswer(session, line)
    }

    /// Responds with the message of a shell command. The message is sometimes completed shortly after OpenCode 2's
    /// reply to the command.
    private func shellAnswer(_ session: Session, _ line: String) async throws(BridgeError) -> ClientAnswer {
        let call = Call(
            "GET", ["api", "session", session.id, "message"], query: [("limit", "20"), ("order", "desc")])
        while true {
            let messages = try await fetch(call).data?.array
            let shells = messages?.filter { $0["type"]?.text == "shell" && $0["command"]?.text == line }
            if let newest = shells?.first, newest["status"]?.text != "running" {
                var list = MessageList(session: session, defaults)
                return list.add(newest).last.map { ClientAnswer($0.json) } ?? Refusals.strange
            }
            try await transport.pause(milliseconds: 50)
        }
    }

    /// Summarizes a session with the requested model, and restores the session's model afterwards.
    func summarize(_ id: String, _ request: ClientRequest) async throws(BridgeError) -> ClientAnswer {
        guard let body = body(request), let model = Model(openCode1Message: .object(body)) else {
            return Refusals.bad("Missing key\n  at [\"providerID\"] or [\"modelID\"]")
        }
        // Lock the session. Without the lock, the model that summarizes the session could answer a prompt that arrives
        // during the summary.
        try await transport.lock(session: id)
        let session = try await session(id)
        try await set(model: Model(providerID: model.providerID, modelID: model.modelID), session)
        _ = try await fetch(Call("POST", ["api", "session", id, "compact"], body: [:]))
        try await awaitTurn(session, isOwed: true)
        var summarized = session
        summarized.model = model
        try await set(model: session.model, summarized)
        return Self.yes
    }
}
