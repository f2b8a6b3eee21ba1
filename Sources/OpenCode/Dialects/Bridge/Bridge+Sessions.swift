// SPDX-License-Identifier: Apache-2.0

internal import JSONText

extension Bridge {
    /// The routes for sessions, except the routes for messages and prompts.
    static let sessions: [BridgeRoute] = [
        BridgeRoute(.get, "/session") { bridge, _, request in try await bridge.list(request) },
        BridgeRoute(
            .post, "/session", invalidBody: { _ in Refusals.badSession },
            handler: { bridge, _, request in try await bridge.create(request) }),
        BridgeRoute(.get, "/session/status") { bridge, _, _ in try await bridge.status() },
        BridgeRoute(.get, "/session/{sessionID}") { bridge, path, _ in
            try await bridge.answer(session: path.session)
        },
        BridgeRoute(.patch, "/session/{sessionID}") { bridge, path, request in
            try await bridge.change(path.session, request)
        },
        BridgeRoute(.delete, "/session/{sessionID}") { bridge, path, _ in try await bridge.delete(path.session) },
        BridgeRoute(.get, "/session/{sessionID}/children") { bridge, path, _ in
            try await bridge.children(of: path.session)
        },
        BridgeRoute(.post, "/session/{sessionID}/abort") { bridge, path, _ in try await bridge.abort(path.session) },
        BridgeRoute(.get, "/session/{sessionID}/todo") { bridge, path, _ in
            try await bridge.session(path.session)
            return ClientAnswer([])
        },
        BridgeRoute(.get, "/session/{sessionID}/diff") { bridge, path, request in
            bridge.differences(path.session, request)
        },
        BridgeRoute(.post, "/session/{sessionID}/fork") { bridge, path, request in
            try await bridge.fork(path.session, request)
        },
        BridgeRoute(.post, "/session/{sessionID}/revert") { bridge, path, request in
            try await bridge.revert(path.session, request)
        },
        BridgeRoute(.post, "/session/{sessionID}/unrevert") { bridge, path, _ in
            try await bridge.unrevert(path.session)
        },
    ]

    /// Returns the error for an invalid session id; nil if the id is valid. OpenCode 1 rejects an invalid id even on
    /// routes that do not look up the session.
    private static func wrong(session id: String) -> ClientAnswer? {
        if id.hasPrefix("ses") { return nil }
        return Refusals.bad("Expected a string starting with \"ses\"\n  at [\"sessionID\"]", kind: "Params")
    }

    /// Responds with an empty list, even if the session does not exist. OpenCode 1 responds in the same way.
    private func differences(_ id: String, _ request: ClientRequest) -> ClientAnswer {
        Self.wrong(session: id) ?? request.wrong([("messageID", .identifier("msg"))]) ?? ClientAnswer([])
    }

    /// Aborts a session. OpenCode 1 responds with true even if the session does not exist.
    private func abort(_ id: String) async throws(BridgeError) -> ClientAnswer {
        if let wrong = Self.wrong(session: id) { return wrong }
        let found = try await send(Call("GET", ["api", "session", id]))
        guard found.isGood else { return found.status < 500 ? Self.yes : Refusals.of(found) }
        guard let session = found.data.flatMap({ Session(openCode2: $0, defaults) }), contains(session.directory)
        else {
            return Self.yes
        }
        transport.watchTurn(of: id, holdsEnd: false)
        let reply = try await send(Call("POST", ["api", "session", id, "interrupt"]))
        guard reply.json?["interrupted"]?.bool == true else {
            return reply.isGood || reply.status < 500 ? Self.yes : Refusals.of(reply)
        }
        // Wait for the end of the turn. OpenCode 2 responds after about 2 ms, before the interrupted turn has ended.
        // OpenCode 1 responds after the turn has ended (86 ms). OpenCode 1's clients therefore send the next prompt
        // immediately, and treat the next `session.idle` as the end of that prompt's turn.
        _ = try await send(
            Call("POST", ["api", "experimental", "session", id, "wait"], isLong: true, patience: Self.abortPatience))
        try await transport.awaitStreams()
        return Self.yes
    }

    /// The maximum time in milliseconds that an abort waits for the end of the turn. A tool may need time to end.
    private static let abortPatience = 5_000

    private func sessions(_ list: [JSON]) -> [Session] { list.compactMap { Session(openCode2: $0, defaults) } }

    private func list(_ request: ClientRequest) async throws(BridgeError) -> ClientAnswer {
        let wrong = request.wrong([
            ("limit", .count(from: 0)), ("start", .number), ("roots", .words(["true", "false"])),
            ("scope", .words(["project"])),
        ])
        if let wrong { return wrong }
        let limit = request["limit"].flatMap { Int($0) } ?? 100
        // OpenCode 2 does not accept a limit of 0, so respond without a call.
        if limit == 0 { return ClientAnswer([]) }
        let path = request["path"].flatMap { $0.isEmpty ? nil : $0 }
        let isRoots = request["roots"] == "true"
        let query: [(String, String?)] = [
            (request.project == nil ? "directory" : "project", request.project ?? request.directory),
            ("limit", String(path == nil ? limit : max(limit, 100))), ("search", request["search"]),
            ("parentID", isRoots ? "null" : nil),
            ("order", "desc"),
        ]
        let start = request["start"].flatMap(Double.init)
        let sessions = try await newest(query, limit: limit, readsOn: path != nil) { session in
            contains(session.directory) && start.map { (session.updated.double ?? 0) >= $0 } ?? true
                && path.map { session.path == $0 || session.path?.hasPrefix($0 + "/") == true } ?? true
        }
        return ClientAnswer(.array(sessions.map(\.json)))
    }

    /// Returns the newest matching sessions.
    ///
    /// - Parameter readsOn: Whether to request further pages until there are enough sessions.
    private func newest(
        _ query: [(String, String?)], limit: Int, readsOn: Bool, where isWanted: (Session) -> Bool
    ) async throws(BridgeError) -> ArraySlice<Session> {
        var query = query
        var found: [Session] = []
        while true {
            let reply = try await fetch(Call("GET", ["api", "session"], query: query))
            guard let data = reply.data?.array else { throw .answer(Refusals.strange) }
            found += sessions(data).filter(isWanted)
            guard readsOn, found.count < limit, !data.isEmpty, let next = reply.json?["cursor"]?["next"]?.text,
                query.first?.1 != next
            else { return found.prefix(limit) }
            query = [("cursor", next)]
        }
    }

    private func create(_ request: ClientRequest) async throws(BridgeError) -> ClientAnswer {
        guard let body = body(request) else { return Refusals.badSession }
        if body["parentID"] != nil {
            let sentence =
                "OpenCode 2 creates child sessions only for its subagents. Omit parentID, or fork a session."
            return Refusals.notTranslated(sentence)
        }
        var made = JSONObject()
        for name in ["title", "agent", "model", "metadata"] { made.add(name, body[name]) }
        if let permission = body["permission"] {
            guard let rules = Self.rules(permission) else { return Refusals.badSession }
            made.add("permissions", rules)
        }
        made.add("location", ["directory": .string(request.directory)])
        let reply = try await send(Call("POST", ["api", "session"], body: .object(made)))
        if reply.status == 400 { return Refusals.badSession }
        guard reply.isGood else { return Refusals.of(reply) }
        return ClientAnswer(try session(in: reply).json)
    }

    /// Returns permission rules in OpenCode 2's format; nil if they are invalid.
    private static func rules(_ rules: JSON) -> JSON? {
        let translated = rules.array?.all { rule -> JSON? in
            guard let permission = rule["permission"]?.text, let pattern = rule["pattern"]?.text,
                let action = rule["action"]?.text, ["allow", "deny", "ask"].contains(action)
            else { return nil }
            return [
                "action": .string(Names.openCode2(tool: permission)), "resource": .string(pattern),
                "effect": .string(action),
            ]
        }
        return translated.map(JSON.array)
    }

    private func change(_ id: String, _ request: ClientRequest) async throws(BridgeError) -> ClientAnswer {
        guard let body = body(request) else { return Refusals.bad("Expected a JSON object.") }
        if let time = body["time"], time.object == nil {
            return Refusals.bad("Expected object\n  at [\"time\"]")
        }
        if body["time"]?["archived"] != nil {
            let sentence =
                "OpenCode 2.0 cannot archive sessions. Delete the session with DELETE /session/ID, or keep it."
            return Refusals.notTranslated(sentence)
        }
        var changes = JSONObject()
        for name in ["title", "metadata"] { changes.add(name, body[name]) }
        if let permission = body["permission"] {
            guard let rules = Self.rules(permission) else {
                return Refusals.bad("Expected rules with permission, pattern and action\n  at [\"permission\"]")
            }
            changes.add("permissions", rules)
        }
        if !changes.isEmpty {
            try await session(id)
            _ = try await fetch(Call("PATCH", ["api", "session", id], body: .object(changes)))
        }
        return try await answer(session: id)
    }

    /// Responds with the status of each active session. Requests each session individually for two reasons. OpenCode
    /// 2's list of active sessions includes the sessions of all directories, and the list does not show whether a
    /// session waits for a retry.
    private func status() async throws(BridgeError) -> ClientAnswer {
        let reply = try await fetch(Call("GET", ["api", "session", "active"]))
        var active: [JSONObject.Member] = []
        for id in (reply.data?.object?.members ?? []).map(\.name) {
            let reply = try await send(Call("GET", ["api", "session", id]))
            let session = reply.data.flatMap { Session(openCode2: $0, defaults) }
            guard let session, contains(session.directory) else { continue }
            let page = try await page(id, order: "desc", limit: Self.newestMessages, cursor: nil)
            let messages = page.reply.isGood ? page.reply.data?.array ?? [] : []
            active.append(JSONObject.Member(id, (pendingRetry(messages) ?? .busy).json))
        }
        return ClientAnswer(.object(JSONObject(active)))
    }

    /// The number of newest messages in which `status()` searches for an answer that waits for a retry. Changes of the
    /// agent and the model, and a request to continue the answer, may follow such an answer.
    private static let newestMessages = 5

    /// Returns the retry that an active session waits for; nil if it does not wait for a retry.
    ///
    /// - Parameter messages: OpenCode 2's messages, newest first.
    ///
    /// An answer contains its last retry until the answer ends, even while the next attempt runs. Therefore, only the
    /// time of the retry shows whether the session still waits. In OpenCode 1, the session becomes busy again when the
    /// next attempt begins, at most a few milliseconds after the time of the retry.
    private func pendingRetry(_ messages: [JSON]) -> Change.Status? {
        // Skip the messages that may follow the answer. Any other message, such as a prompt, an idle message or another
        // answer, ends the retry.
        let answer = messages.first {
            !["agent-switched", "model-switched", "synthetic", "system"].contains($0["type"]?.text)
        }
        guard answer?["type"]?.text == "assistant", let retry = answer?["retry"]?.object,
            let next = retry["at"]?.number, next.double ?? 0 > Double(now())
        else { return nil }
        return Change.Status(openCode2Retry: retry, next: next)
    }

    /// Responds with all children of a session. OpenCode 1 does not divide this list into pages.
    private func children(of id: String) async throws(BridgeError) -> ClientAnswer {
        try await session(id)
        var query: [(String, String?)] = [("parentID", id), ("order", "desc")]
        var children: [JSON] = []
        while true {
            let reply = try await fetch(Call("GET", ["api", "session"], query: query))
            guard let data = reply.data?.array else { return Refusals.strange }
            children += sessions(data).filter { $0.parentID == id && contains($0.directory) }.map(\.json)
            guard !data.isEmpty, let next = reply.json?["cursor"]?["next"]?.text, next != query.first?.1 else {
                return ClientAnswer(.array(children))
            }
            query = [("cursor", next)]
        }
    }

    private func fork(_ id: String, _ request: ClientRequest) async throws(BridgeError) -> ClientAnswer {
        guard let body = body(request) else { return Refusals.bad("Expected a JSON object.") }
        if let before = body["messageID"], before.text?.hasPrefix("msg") != true {
            return Refusals.bad("Expected a string starting with \"msg\"\n  at [\"messageID\"]")
        }
        var copy = JSONObject()
        copy.add("before", body["messageID"]?.text.map(MessageIDs.openCode2))
        try await session(id)
        let reply = try await fetch(Call("POST", ["api", "session", id, "fork"], body: .object(copy)))
        return ClientAnswer(try session(in: reply).json)
    }

    private func delete(_ id: String) async throws(BridgeError) -> ClientAnswer {
        try await session(id)
        _ = try await fetch(Call("DELETE", ["api", "session", id]))
        return Self.yes
    }

    private func unrevert(_ id: String) async throws(BridgeError) -> ClientAnswer {
        try await session(id)
        _ = try await fetch(Call("DELETE", ["api", "session", id, "revert"]))
        return try await answer(session: id)
    }

    private func revert(_ id: String, _ request: ClientRequest) async throws(BridgeError) -> ClientAnswer {
        guard let body = body(request), let message = body["messageID"]?.text else {
            return Refusals.bad("Missing key\n  at [\"messageID\"]")
        }
        if body["partID"] != nil {
            return Refusals.notTranslated("OpenCode 2 reverts only whole messages. Omit partID.")
        }
        let staged: JSON = ["messageID": .string(MessageIDs.openCode2(message)), "files": true]
        try await session(id)
        _ = try await fetch(Call("POST", ["api", "session", id, "revert", "stage"], body: staged))
        return try await answer(session: id)
    }
}
