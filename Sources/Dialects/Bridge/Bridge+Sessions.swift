extension Bridge {
    /// Routes of sessions, but not of what is said in them; nil for any other.
    func sessions(_ route: String, _ values: [String], _ request: ClientRequest) -> BridgeStep? {
        let id = values.first ?? ""
        switch route {
        case "GET /session": return list(request)
        case "POST /session": return create(request)
        case "GET /session/status": return status()
        case "GET /session/{sessionID}": return answer(session: id)
        case "PATCH /session/{sessionID}": return change(id, request)
        case "DELETE /session/{sessionID}":
            return session(id) { _ in ask(Call("DELETE", ["api", "session", id])) { _ in yes() } }
        case "GET /session/{sessionID}/children": return session(id) { _ in children(of: id, cursor: nil, []) }
        case "POST /session/{sessionID}/abort": return abort(id)
        case "GET /session/{sessionID}/todo", "GET /session/{sessionID}/diff":
            return session(id) { _ in .answer(ClientAnswer([])) }
        case "POST /session/{sessionID}/fork": return fork(id, request)
        case "POST /session/{sessionID}/revert": return revert(id, request)
        case "POST /session/{sessionID}/unrevert":
            return session(id) { _ in
                ask(Call("DELETE", ["api", "session", id, "revert"])) { _ in answer(session: id) }
            }
        default: return nil
        }
    }

    /// OpenCode 1 says yes even where there is no such session.
    private func abort(_ id: String) -> BridgeStep {
        .call(Call("GET", ["api", "session", id])) { found in
            guard found.isGood else { return found.status < 500 ? yes() : .answer(Refusals.of(found)) }
            guard let session = found.data.flatMap({ Session(openCode2: $0, surroundings) }), holds(session.directory)
            else {
                return yes()
            }
            return .call(Call("POST", ["api", "session", id, "interrupt"])) { reply in
                reply.isGood || reply.status < 500 ? yes() : .answer(Refusals.of(reply))
            }
        }
    }

    private func read(_ list: [JSON]) -> [Session] { list.compactMap { Session(openCode2: $0, surroundings) } }

    private func list(_ request: ClientRequest) -> BridgeStep {
        // OpenCode 2 gives no empty list.
        if request["limit"] == "0" { return .answer(ClientAnswer([])) }
        let isRoots = request["roots"] == "true"
        let call = Call(
            "GET", ["api", "session"],
            query: [
                (request.project == nil ? "directory" : "project", request.project ?? request.directory),
                ("limit", request["limit"] ?? "100"), ("search", request["search"]),
                ("parentID", isRoots ? "null" : nil), ("order", "desc"),
            ])
        return ask(call) { reply in
            guard let data = reply.data?.array else { return .answer(Refusals.strange) }
            let start = request["start"].flatMap(Double.init)
            let sessions = read(data).filter { session in
                holds(session.directory) && start.map { (session.updated.double ?? 0) >= $0 } ?? true
            }
            return .answer(ClientAnswer(.array(sessions.map(\.json))))
        }
    }

    private func create(_ request: ClientRequest) -> BridgeStep {
        guard let body = body(request) else { return .answer(ClientAnswer(400, ["_tag": "BadRequest"])) }
        if body["parentID"] != nil {
            let sentence =
                "OpenCode 2 makes child sessions for its subagents only; make one without parentID, or fork one."
            return .answer(Refusals.notTranslated(sentence))
        }
        var made = JSONObject()
        for name in ["title", "agent", "model", "metadata"] { made.add(name, body[name]) }
        made.add("permissions", body["permission"]?.array.map(Self.rules))
        made.add("location", ["directory": .string(request.directory)])
        return .call(Call("POST", ["api", "session"], body: .object(made))) { reply in
            if reply.status == 400 { return .answer(ClientAnswer(400, ["_tag": "BadRequest"])) }
            guard reply.isGood else { return .answer(Refusals.of(reply)) }
            guard let session = reply.data.flatMap({ Session(openCode2: $0, surroundings) }) else {
                return .answer(Refusals.strange)
            }
            return .answer(ClientAnswer(session.json))
        }
    }

    /// Rules in OpenCode 2's words.
    private static func rules(_ rules: [JSON]) -> JSON {
        .array(
            rules.map { rule in
                [
                    "action": rule["permission"]?.text.map { .string(Names.openCode2(tool: $0)) },
                    "resource": rule["pattern"], "effect": rule["action"],
                ]
            })
    }

    private func change(_ id: String, _ request: ClientRequest) -> BridgeStep {
        guard let body = body(request) else { return .answer(Refusals.bad("Expected a JSON object.")) }
        if body["time"]?["archived"] != nil {
            let sentence = "OpenCode 2.0 archives no sessions; delete it with DELETE /session/ID, or leave it."
            return .answer(Refusals.notTranslated(sentence))
        }
        var changes = JSONObject()
        for name in ["title", "metadata"] { changes.add(name, body[name]) }
        changes.add("permissions", body["permission"]?.array.map(Self.rules))
        guard !changes.isEmpty else { return answer(session: id) }
        let change = Call("PATCH", ["api", "session", id], body: .object(changes))
        return session(id) { _ in ask(change) { _ in answer(session: id) } }
    }

    private func status() -> BridgeStep {
        ask(Call("GET", ["api", "session", "active"])) { reply in
            statuses(of: (reply.data?.object?.members ?? []).map(\.name)[...], [])
        }
    }

    /// OpenCode 2 names the sessions of all directories: each is looked at.
    private func statuses(of ids: ArraySlice<String>, _ busy: [JSONObject.Member]) -> BridgeStep {
        guard let id = ids.first else { return .answer(ClientAnswer(.object(JSONObject(busy)))) }
        return .call(Call("GET", ["api", "session", id])) { reply in
            let session = reply.data.flatMap { Session(openCode2: $0, surroundings) }
            let isOwn = session.map { holds($0.directory) } ?? false
            let told = isOwn ? [JSONObject.Member(id, Change.Status.busy.json)] : []
            return statuses(of: ids.dropFirst(), busy + told)
        }
    }

    /// All pages: OpenCode 1 has none here.
    private func children(of id: String, cursor: String?, _ before: [JSON]) -> BridgeStep {
        let query: [(String, String?)] = cursor.map { [("cursor", $0)] } ?? [("parentID", id), ("order", "desc")]
        return ask(Call("GET", ["api", "session"], query: query)) { reply in
            guard let data = reply.data?.array else { return .answer(Refusals.strange) }
            let sessions = before + read(data).filter { $0.parentID == id && holds($0.directory) }.map(\.json)
            guard !data.isEmpty, let next = reply.json?["cursor"]?["next"]?.text, next != cursor else {
                return .answer(ClientAnswer(.array(sessions)))
            }
            return children(of: id, cursor: next, sessions)
        }
    }

    private func fork(_ id: String, _ request: ClientRequest) -> BridgeStep {
        guard let body = body(request) else { return .answer(Refusals.bad("Expected a JSON object.")) }
        var copy = JSONObject()
        copy.add("before", body["messageID"]?.text.map(MessageIDs.openCode2))
        let fork = Call("POST", ["api", "session", id, "fork"], body: .object(copy))
        return session(id) { _ in
            ask(fork) { reply in
                guard let session = reply.data.flatMap({ Session(openCode2: $0, surroundings) }) else {
                    return .answer(Refusals.strange)
                }
                return .answer(ClientAnswer(session.json))
            }
        }
    }

    private func revert(_ id: String, _ request: ClientRequest) -> BridgeStep {
        guard let body = body(request), let message = body["messageID"]?.text else {
            return .answer(Refusals.bad("Missing key\n  at [\"messageID\"]"))
        }
        if body["partID"] != nil {
            let sentence = "OpenCode 2 takes back whole messages; name the message without partID."
            return .answer(Refusals.notTranslated(sentence))
        }
        let staged: JSON = ["messageID": .string(MessageIDs.openCode2(message)), "files": true]
        let stage = Call("POST", ["api", "session", id, "revert", "stage"], body: staged)
        return session(id) { _ in ask(stage) { _ in answer(session: id) } }
    }
}
