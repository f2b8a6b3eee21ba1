// SPDX-License-Identifier: Apache-2.0

import TestKit

extension Simulator {
    /// Responds to requests for `/session` and the paths below it; nil for an unknown path or method.
    func session(_ request: Request, _ directory: String) -> SimulatedAnswer? {
        let remainder = Array(request.segments.dropFirst())
        if remainder.isEmpty { return sessions(request, directory) }
        if remainder == ["status"], request.method == "GET" {
            return .json(JSON.object([]).adding(store.busy.map { ($0.id, $0.status) }))
        }
        guard remainder[0].hasPrefix("ses") else { return profile.refusals.badSession(remainder[0]) }
        guard let session = find(remainder[0], directory) else {
            return missing(remainder, method: request.method, in: directory)
        }
        return self.session(session, request: request, remainder: remainder.dropFirst().joined(separator: "/"))
    }

    /// Returns the session with an id. Older versions keep the sessions of each project separate.
    private func find(_ id: String, _ directory: String) -> Session? {
        store[id].flatMap { profile.sharesSessions || $0.directory == directory ? $0 : nil }
    }

    private func missing(_ remainder: [String], method: String, in directory: String) -> SimulatedAnswer {
        if remainder.last == "prompt_async" {
            return profile.refusals.prompt(toMissingSession: remainder[0], in: directory)
        }
        if method == "DELETE", remainder.count == 1 {
            return profile.refusals.deletion(ofMissingSession: remainder[0], in: directory)
        }
        return profile.refusals.missing(session: remainder[0], in: directory)
    }

    private func sessions(_ request: Request, _ directory: String) -> SimulatedAnswer? {
        switch request.method {
        case "GET":
            let all = store.list(directory: directory, byCreation: !profile.sharesSessions)
            let limit = request.query["limit"].flatMap { Int($0) } ?? all.count
            return .json(.array(all.prefix(max(0, limit)).map(show)))
        case "POST":
            guard let body = request.json else { return profile.refusals.malformed }
            bus.open(directory: directory)
            let session = conversation.create(
                directory: directory, title: body["title"]?.text, parentID: body["parentID"]?.text)
            return .json(session.json(profile.layouts.sessionCreatedAnswer, profile))
        default: return nil
        }
    }

    private func show(_ session: Session) -> JSON { session.json(profile.layouts.sessionAnswer, profile) }

    /// Responds to requests for the paths below one session.
    private func session(_ session: Session, request: Request, remainder: String) -> SimulatedAnswer? {
        switch (request.method, remainder) {
        case ("GET", ""): return .json(show(session))
        case ("PATCH", ""):
            guard let body = request.json else { return profile.refusals.malformed }
            guard let title = body["title"]?.text else { return .json(show(session)) }
            return .json(show(conversation.rename(session, to: title)))
        case ("DELETE", ""):
            conversation.delete(session)
            return .json(true)
        case ("GET", "children"): return .json(.array(store.children(of: session.id).map(show)))
        case ("GET", "todo"): return .json(session.todos)
        case ("GET", "diff"):
            let changes = profile.turns.sessionDiffContainsChanges ? session.changes ?? [] : []
            return .json(.array(changes.map { $0.json(profile.layouts.change) }))
        case ("GET", "message"): return messages(of: session, request)
        case ("POST", "message"): return prompt(session, request, waits: true)
        case ("POST", "prompt_async"): return prompt(session, request, waits: false)
        case ("POST", "abort"):
            conversation.abort(session)
            return .json(true)
        case ("POST", "fork"):
            return .json(conversation.fork(session).json(profile.layouts.sessionCreatedAnswer, profile))
        case ("POST", "shell"): return shell(session, request)
        case ("POST", "command"): return command(session, request)
        case ("POST", "share"): return profile.refusals.sharing
        case ("POST", let path) where path.hasPrefix("permissions/"):
            guard let body = request.json else { return profile.refusals.malformed }
            return answer(String(path.dropFirst("permissions/".count)), .permission(body["response"]?.text ?? "reject"))
        default: return nil
        }
    }
}
