// SPDX-License-Identifier: Apache-2.0

internal import JSONText

extension Bridge {
    /// Sends a prompt. First changes the agent and the model if they differ, and commits a revert. Continues with the
    /// id that the prompt received. If one of these requests fails, the prompt is not sent.
    ///
    /// - Parameter isAwaited: Whether the client receives its response at the end of the turn.
    func prompt(
        _ id: String, for request: ClientRequest, isAwaited: Bool = false,
        then next: @escaping @Sendable (Session, String?) -> BridgeStep
    ) -> BridgeStep {
        guard let body = body(request) else { return .answer(Refusals.bad("Expected a valid JSON body")) }
        guard let parts = body["parts"]?.array else { return .answer(Refusals.bad("Missing key\n  at [\"parts\"]")) }
        if let sentence = Self.unsupported(body, parts) { return .answer(Refusals.notTranslated(sentence)) }
        guard parts.allSatisfy({ isInside($0, request) }) else { return .answer(Self.fileOutside) }
        var sent = Self.prompt(parts)
        sent.add("id", body["messageID"]?.text.map(MessageIDs.openCode2))
        sent.add("delivery", "steer")
        let prompt = JSON.object(sent)
        let wanted = Self.wanted(agent: body["agent"]?.text, model: body["model"], variant: body["variant"]?.text)
        return settled(id, wanted: wanted) { session in
            let send = BridgeStep.call(Call("POST", ["api", "session", id, "prompt"], body: prompt)) { reply in
                // A prompt with this id already exists, and OpenCode 2 does not accept an id twice.
                let again = reply.json?["_tag"]?.text == "ConflictError" ? prompt["id"]?.text : nil
                guard reply.isGood || again != nil else { return .answer(Refusals.of(reply)) }
                return .releaseLock { next(session, again ?? reply.data?["id"]?.text) }
            }
            return isAwaited ? .watchTurn(session: id, delaysStreams: true) { send } : send
        }
    }

    /// Returns whether a part names no file outside the project.
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
            + "without host, control characters, backslashes and encoded slashes, or send the file's content as a data: URL."
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

    /// Returns the error message for an option of OpenCode 1's prompts that OpenCode 2 does not support; nil if there
    /// is none.
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

    /// Returns the text, files and agents of a prompt in the form of OpenCode 2.
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

    /// Changes the agent and the model of a session if they differ, and commits a revert. A prompt without an agent
    /// resets the session to the default agent, as in OpenCode 1. If a turn is running and the prompt names neither an
    /// agent nor a model, nothing is changed.
    private func settled(
        _ id: String, wanted: Wanted, then next: @escaping @Sendable (Session) -> BridgeStep
    ) -> BridgeStep {
        .acquireLock(session: id) {
            session(id) { session in
                send(Call("GET", ["api", "session", "active"])) { reply in
                    let isRunning = reply.data?[id] != nil
                    let isSilent = isRunning && wanted.agent == nil && wanted.model == nil
                    let agent = isSilent ? nil : wanted.agent ?? defaults.agent
                    return committed(session) {
                        set(agent: agent, session) { set(model: wanted.model, session) { next(session) } }
                    }
                }
            }
        }
    }

    private func committed(_ session: Session, _ next: @escaping @Sendable () -> BridgeStep) -> BridgeStep {
        guard session.revert != nil else { return next() }
        return send(Call("POST", ["api", "session", session.id, "revert", "commit"])) { _ in next() }
    }

    private func set(
        agent: String?, _ session: Session, _ next: @escaping @Sendable () -> BridgeStep
    ) -> BridgeStep {
        guard let agent, agent != session.agent ?? defaults.agent else { return next() }
        let body: JSON = ["agent": .string(agent)]
        return send(Call("POST", ["api", "session", session.id, "agent"], body: body)) { _ in next() }
    }

    func set(model: Model?, _ session: Session, _ next: @escaping @Sendable () -> BridgeStep) -> BridgeStep {
        guard let model, !Self.isSame(model, session.model ?? defaults.model) else { return next() }
        let body: JSON = ["model": model.sessionJSON]
        return send(Call("POST", ["api", "session", session.id, "model"], body: body)) { _ in next() }
    }

    private static func isSame(_ one: Model, _ other: Model?) -> Bool {
        guard let other else { return false }
        return one.providerID == other.providerID && one.modelID == other.modelID
            && (one.variant ?? "default") == (other.variant ?? "default")
    }

    /// Runs a command and responds with the last message of its turn. Also creates the event that reports the command
    /// to OpenCode 1's clients, because no event of OpenCode 2 names the command.
    func command(_ id: String, _ request: ClientRequest) -> BridgeStep {
        guard let body = body(request), let name = body["command"]?.text, let text = body["arguments"]?.text else {
            return .answer(Refusals.bad("Missing key\n  at [\"command\"] or [\"arguments\"]"))
        }
        let parts = body["parts"]?.array ?? []
        guard parts.allSatisfy({ isInside($0, request) }) else { return .answer(Self.fileOutside) }
        var sent = Self.prompt(parts)
        sent["text"] = .string(text)
        sent.add("name", name)
        let command = JSON.object(sent)
        let wanted = Wanted(
            agent: body["agent"]?.text, model: body["model"]?.text.flatMap { Self.model($0, body["variant"]?.text) })
        return settled(id, wanted: wanted) { session in
            .watchTurn(session: id, delaysStreams: true) {
                send(Call("POST", ["api", "session", id, "command"], body: command)) { _ in
                    .releaseLock {
                        awaitTurn(session) {
                            .awaitStreams {
                                lastAnswer(session, after: nil) { answer in
                                    let executed = Change.commandExecuted(
                                        name, arguments: text, sessionID: id, messageID: answer.info.id)
                                    return .publish(executed) { .answer(ClientAnswer(answer.json)) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// Parses a model in the form that commands use: `provider/model`.
    private static func model(_ text: String, _ variant: String?) -> Model? {
        guard let slash = text.firstIndex(of: "/") else { return nil }
        return Model(
            providerID: String(text[..<slash]), modelID: String(text[text.index(after: slash)...]), variant: variant)
    }

    /// Runs a shell command and responds with its message after it has ended.
    func shell(_ id: String, _ request: ClientRequest) -> BridgeStep {
        guard let body = body(request), let line = body["command"]?.text else {
            return .answer(Refusals.bad("Missing key\n  at [\"command\"]"))
        }
        return session(id) { session in
            // OpenCode 2 responds after the command has ended.
            let run = Call("POST", ["api", "session", id, "shell"], body: ["command": .string(line)], isLong: true)
            return send(run) { _ in shellAnswer(session, line) }
        }
    }

    private func shellAnswer(_ session: Session, _ line: String) -> BridgeStep {
        let call = Call(
            "GET", ["api", "session", session.id, "message"], query: [("limit", "20"), ("order", "desc")])
        return send(call) { reply in
            let shells = reply.data?.array?.filter { $0["type"]?.text == "shell" && $0["command"]?.text == line }
            guard let newest = shells?.first, newest["status"]?.text != "running" else {
                return .pause(milliseconds: 50) { shellAnswer(session, line) }
            }
            var list = MessageList(session: session, defaults)
            guard let answer = list.add(newest).last else { return .answer(Refusals.strange) }
            return .answer(ClientAnswer(answer.json))
        }
    }

    /// Summarizes a session with the requested model, and restores the session's model afterwards.
    func summarize(_ id: String, _ request: ClientRequest) -> BridgeStep {
        guard let body = body(request), let model = Model(openCode1Message: .object(body)) else {
            return .answer(Refusals.bad("Missing key\n  at [\"providerID\"] or [\"modelID\"]"))
        }
        // The session is locked, because otherwise the summarizing model would answer a prompt that arrives in the
        // meantime.
        return .acquireLock(session: id) {
            session(id) { session in
                set(model: Model(providerID: model.providerID, modelID: model.modelID), session) {
                    send(Call("POST", ["api", "session", id, "compact"], body: [:])) { _ in
                        awaitTurn(session, isOwed: true) {
                            var used = session
                            used.model = model
                            return set(model: session.model, used) { yes() }
                        }
                    }
                }
            }
        }
    }
}
