// SPDX-License-Identifier: Apache-2.0

internal import JSONText

extension Bridge {
    /// The routes of sessions, except the routes of messages and prompts.
    static let sessions: [BridgeRoute] = [
        BridgeRoute(.get, "/session") { bridge, _, request in bridge.list(request) },
        BridgeRoute(
            .post, "/session", invalidBody: { _ in Refusals.badSession },
            handler: { bridge, _, request in bridge.create(request) }),
        BridgeRoute(.get, "/session/status") { bridge, _, _ in bridge.status() },
        BridgeRoute(.get, "/session/{sessionID}") { bridge, path, _ in bridge.answer(session: path.session) },
        BridgeRoute(.patch, "/session/{sessionID}") { bridge, path, request in bridge.change(path.session, request) },
        BridgeRoute(.delete, "/session/{sessionID}") { bridge, path, _ in bridge.delete(path.session) },
        BridgeRoute(.get, "/session/{sessionID}/children") { bridge, path, _ in
            let id = path.session
            return bridge.session(id) { _ in bridge.children(of: id, cursor: nil, []) }
        },
        BridgeRoute(.post, "/session/{sessionID}/abort") { bridge, path, _ in bridge.abort(path.session) },
        BridgeRoute(.get, "/session/{sessionID}/todo") { bridge, path, _ in
            bridge.session(path.session) { _ in .answer(ClientAnswer([])) }
        },
        BridgeRoute(.get, "/session/{sessionID}/diff") { bridge, path, request in
            bridge.differences(path.session, request)
        },
        BridgeRoute(.post, "/session/{sessionID}/fork") { bridge, path, request in bridge.fork(path.session, request) },
        BridgeRoute(.post, "/session/{sessionID}/revert") { bridge, path, request in
            bridge.revert(path.session, request)
        },
        BridgeRoute(.post, "/session/{sessionID}/unrevert") { bridge, path, _ in bridge.unrevert(path.session) },
    ]

    /// Returns the error for an invalid session id. OpenCode 1 rejects such an id even on routes that do not look the
    /// session up.
    private static func wrong(session id: String) -> ClientAnswer? {
        if id.hasPrefix("ses") { return nil }
        return Refusals.bad("Expected a string starting with \"ses\"\n  at [\"sessionID\"]", kind: "Params")
    }

    /// Responds with an empty list, as OpenCode 1 does even if the session does not exist.
    private func differences(_ id: String, _ request: ClientRequest) -> BridgeStep {
        let wrong = Self.wrong(session: id) ?? request.wrong([("messageID", .identifier("msg"))])
        return .answer(wrong ?? ClientAnswer([]))
    }

    /// Aborts a session. OpenCode 1 responds with true even if the session does not exist.
    private func abort(_ id: String) -> BridgeStep {
        if let wrong = Self.wrong(session: id) { return .answer(wrong) }
        return .call(Call("GET", ["api", "session", id])) { found in
            guard found.isGood else { return found.status < 500 ? yes() : .answer(Refusals.of(found)) }
            guard let session = found.data.flatMap({ Session(openCode2: $0, defaults) }), contains(session.directory)
            else {
                return yes()
            }
            return .watchTurn(session: id, delaysStreams: false) {
                .call(Call("POST", ["api", "session", id, "interrupt"])) { reply in
                    guard reply.json?["interrupted"]?.bool == true else {
                        return reply.isGood || reply.status < 500 ? yes() : .answer(Refusals.of(reply))
                    }
                    return ended(id)
                }
            }
        }
    }

    /// Responds after the interrupted turn has ended. OpenCode 2 responds after about 2 ms, before the end of the turn.
    /// OpenCode 1 responds after the end (86 ms). Its clients therefore send the next prompt immediately, and treat the
    /// next `session.idle` as the end of that prompt.
    private func ended(_ id: String) -> BridgeStep {
        let wait = Call(
            "POST", ["api", "experimental", "session", id, "wait"], isLong: true, patience: Self.abortPatience)
        return .call(wait) { _ in .awaitStreams { yes() } }
    }

    /// The maximum time in milliseconds that an abort waits for the end of the turn. A tool may not end immediately.
    private static let abortPatience = 5_000

    private func parseSessions(_ list: [JSON]) -> [Session] { list.compactMap { Session(openCode2: $0, defaults) } }

    private func list(_ request: ClientRequest) -> BridgeStep {
        let wrong = request.wrong([
            ("limit", .count(from: 0)), ("start", .number), ("roots", .words(["true", "false"])),
            ("scope", .words(["project"])),
        ])
        if let wrong { return .answer(wrong) }
        let limit = request["limit"].flatMap { Int($0) } ?? 100
        // OpenCode 2 does not accept a limit of 0.
        if limit == 0 { return .answer(ClientAnswer([])) }
        let path = request["path"].flatMap { $0.isEmpty ? nil : $0 }
        let isRoots = request["roots"] == "true"
        let query: [(String, String?)] = [
            (request.project == nil ? "directory" : "project", request.project ?? request.directory),
            ("limit", String(path == nil ? limit : max(limit, 100))), ("search", request["search"]),
            ("parentID", isRoots ? "null" : nil),
            ("order", "desc"),
        ]
        let start = request["start"].flatMap(Double.init)
        return newest(query, limit: limit, readsMore: path != nil, before: []) { session in
            contains(session.directory) && start.map { (session.updated.double ?? 0) >= $0 } ?? true
                && path.map { session.path == $0 || session.path?.hasPrefix($0 + "/") == true } ?? true
        }
    }

    /// Returns the newest matching sessions.
    ///
    /// - Parameter goesOn: Whether to read the next page if there are too few sessions.
    private func newest(
        _ query: [(String, String?)], limit: Int, readsMore: Bool, before: [Session],
        where isWanted: @escaping @Sendable (Session) -> Bool
    ) -> BridgeStep {
        send(Call("GET", ["api", "session"], query: query)) { reply in
            guard let data = reply.data?.array else { return .answer(Refusals.strange) }
            let found = before + parseSessions(data).filter(isWanted)
            guard readsMore, found.count < limit, !data.isEmpty, let next = reply.json?["cursor"]?["next"]?.text,
                query.first?.1 != next
            else { return .answer(ClientAnswer(.array(found.prefix(limit).map(\.json)))) }
            return newest([("cursor", next)], limit: limit, readsMore: true, before: found, where: isWanted)
        }
    }

    private func create(_ request: ClientRequest) -> BridgeStep {
        guard let body = body(request) else { return .answer(Refusals.badSession) }
        if body["parentID"] != nil {
            let sentence =
                "OpenCode 2 creates child sessions only for its subagents. Omit parentID, or fork a session."
            return .answer(Refusals.notTranslated(sentence))
        }
        var made = JSONObject()
        for name in ["title", "agent", "model", "metadata"] { made.add(name, body[name]) }
        if let permission = body["permission"] {
            guard let rules = Self.rules(permission) else { return .answer(Refusals.badSession) }
            made.add("permissions", rules)
        }
        made.add("location", ["directory": .string(request.directory)])
        return .call(Call("POST", ["api", "session"], body: .object(made))) { reply in
            if reply.status == 400 { return .answer(Refusals.badSession) }
            guard reply.isGood else { return .answer(Refusals.of(reply)) }
            guard let session = reply.data.flatMap({ Session(openCode2: $0, defaults) }) else {
                return .answer(Refusals.strange)
            }
            return .answer(ClientAnswer(session.json))
        }
    }

    /// Returns permission rules in the form of OpenCode 2; nil if they are invalid.
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

    private func change(_ id: String, _ request: ClientRequest) -> BridgeStep {
        guard let body = body(request) else { return .answer(Refusals.bad("Expected a JSON object.")) }
        if let time = body["time"], time.object == nil {
            return .answer(Refusals.bad("Expected object\n  at [\"time\"]"))
        }
        if body["time"]?["archived"] != nil {
            let sentence =
                "OpenCode 2.0 cannot archive sessions. Delete the session with DELETE /session/ID, or keep it."
            return .answer(Refusals.notTranslated(sentence))
        }
        var changes = JSONObject()
        for name in ["title", "metadata"] { changes.add(name, body[name]) }
        if let permission = body["permission"] {
            guard let rules = Self.rules(permission) else {
                return .answer(
                    Refusals.bad("Expected rules with permission, pattern and action\n  at [\"permission\"]"))
            }
            changes.add("permissions", rules)
        }
        guard !changes.isEmpty else { return answer(session: id) }
        let change = Call("PATCH", ["api", "session", id], body: .object(changes))
        return session(id) { _ in send(change) { _ in answer(session: id) } }
    }

    private func status() -> BridgeStep {
        send(Call("GET", ["api", "session", "active"])) { reply in
            statuses(of: (reply.data?.object?.members ?? []).map(\.name)[...], [])
        }
    }

    /// The number of messages that are searched for the answer of a retry. Changes of the agent or the model, and the
    /// request to continue an answer, may follow the answer.
    private static let newestMessages = 5

    /// Requests the state of each session. OpenCode 2's list of active sessions contains all directories, and does not
    /// show whether a session waits for its next attempt.
    private func statuses(of ids: ArraySlice<String>, _ active: [JSONObject.Member]) -> BridgeStep {
        guard let id = ids.first else { return .answer(ClientAnswer(.object(JSONObject(active)))) }
        return .call(Call("GET", ["api", "session", id])) { reply in
            let session = reply.data.flatMap { Session(openCode2: $0, defaults) }
            guard session.map({ contains($0.directory) }) ?? false else { return statuses(of: ids.dropFirst(), active) }
            return pages(id, order: "desc", limit: Self.newestMessages, cursor: nil) { _, reply in
                let messages = reply.isGood ? reply.data?.array ?? [] : []
                let status = pendingRetry(messages) ?? .busy
                return statuses(of: ids.dropFirst(), active + [JSONObject.Member(id, status.json)])
            }
        }
    }

    /// Returns the retry that an active session waits for; nil if it does not wait for one.
    ///
    /// - Parameter messages: OpenCode 2's messages, newest first.
    ///
    /// An answer names its last retry until it ends, even while the next attempt runs. The time of the retry therefore
    /// decides. In OpenCode 1 the session is busy again when the attempt begins, at most a few milliseconds after that
    /// time.
    private func pendingRetry(_ messages: [JSON]) -> Change.Status? {
        // A prompt, an idle message or another answer ends the retry.
        let answer = messages.first {
            !["agent-switched", "model-switched", "synthetic", "system"].contains($0["type"]?.text)
        }
        guard answer?["type"]?.text == "assistant", let retry = answer?["retry"]?.object,
            let next = retry["at"]?.number, next.double ?? 0 > Double(now())
        else { return nil }
        return Change.Status(openCode2Retry: retry, next: next)
    }

    /// Returns all children of a session. This list has no pages in OpenCode 1.
    private func children(of id: String, cursor: String?, _ before: [JSON]) -> BridgeStep {
        let query: [(String, String?)] = cursor.map { [("cursor", $0)] } ?? [("parentID", id), ("order", "desc")]
        return send(Call("GET", ["api", "session"], query: query)) { reply in
            guard let data = reply.data?.array else { return .answer(Refusals.strange) }
            let sessions =
                before + parseSessions(data).filter { $0.parentID == id && contains($0.directory) }.map(\.json)
            guard !data.isEmpty, let next = reply.json?["cursor"]?["next"]?.text, next != cursor else {
                return .answer(ClientAnswer(.array(sessions)))
            }
            return children(of: id, cursor: next, sessions)
        }
    }

    private func fork(_ id: String, _ request: ClientRequest) -> BridgeStep {
        guard let body = body(request) else { return .answer(Refusals.bad("Expected a JSON object.")) }
        if let before = body["messageID"], before.text?.hasPrefix("msg") != true {
            return .answer(Refusals.bad("Expected a string starting with \"msg\"\n  at [\"messageID\"]"))
        }
        var copy = JSONObject()
        copy.add("before", body["messageID"]?.text.map(MessageIDs.openCode2))
        let fork = Call("POST", ["api", "session", id, "fork"], body: .object(copy))
        return session(id) { _ in
            send(fork) { reply in
                guard let session = reply.data.flatMap({ Session(openCode2: $0, defaults) }) else {
                    return .answer(Refusals.strange)
                }
                return .answer(ClientAnswer(session.json))
            }
        }
    }

    private func delete(_ id: String) -> BridgeStep {
        session(id) { _ in send(Call("DELETE", ["api", "session", id])) { _ in yes() } }
    }

    private func unrevert(_ id: String) -> BridgeStep {
        session(id) { _ in send(Call("DELETE", ["api", "session", id, "revert"])) { _ in answer(session: id) } }
    }

    private func revert(_ id: String, _ request: ClientRequest) -> BridgeStep {
        guard let body = body(request), let message = body["messageID"]?.text else {
            return .answer(Refusals.bad("Missing key\n  at [\"messageID\"]"))
        }
        if body["partID"] != nil {
            let sentence = "OpenCode 2 reverts only whole messages. Omit partID."
            return .answer(Refusals.notTranslated(sentence))
        }
        let staged: JSON = ["messageID": .string(MessageIDs.openCode2(message)), "files": true]
        let stage = Call("POST", ["api", "session", id, "revert", "stage"], body: staged)
        return session(id) { _ in send(stage) { _ in answer(session: id) } }
    }
}
