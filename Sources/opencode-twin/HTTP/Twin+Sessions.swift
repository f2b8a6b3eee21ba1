import TestKit

extension Twin {
    /// Which providers a prompt may name.
    private static let providers = ["twin", "mock"]

    /// `/session` and what is below it; nil for a path or method that does not exist.
    func session(_ request: Request) -> Answer? {
        let rest = Array(request.segments.dropFirst())
        if rest.isEmpty { return sessions(request) }
        if rest == ["status"], request.method == "GET" {
            let busy = store.busy.map { ($0, JSON.object([]).adding([("type", "busy")])) }
            return .json(JSON.object([]).adding(busy))
        }
        guard rest[0].hasPrefix("ses") else { return .unexpected }
        guard let session = store[rest[0]] else {
            let isIgnored = rest.last == "prompt_async" && !profile.refusesPromptToMissingSession
            return isIgnored ? .empty(204, "No Content") : .notFound(session: rest[0])
        }
        switch (request.method, rest.dropFirst().joined(separator: "/")) {
        case ("GET", ""): return .json(session.answer(profile))
        case ("PATCH", ""): return update(session, request)
        case ("DELETE", ""):
            conversation.delete(session)
            return .json(true)
        case ("GET", "children"): return .json(.array(store.children(of: session.id).map { $0.answer(profile) }))
        case ("GET", "todo"), ("GET", "diff"): return .json([])
        case ("GET", "message"): return messages(of: session, request)
        case ("POST", "message"): return prompt(session, request, waits: true)
        case ("POST", "prompt_async"): return prompt(session, request, waits: false)
        case ("POST", "abort"):
            conversation.abort(session)
            return .json(true)
        case ("POST", "share"): return .unexpected
        default: return nil
        }
    }

    private func sessions(_ request: Request) -> Answer? {
        let directory = request.directory(default: directory)
        switch request.method {
        case "GET":
            let all = store.list(directory: directory)
            let limit = request.query["limit"].flatMap { Int($0) } ?? all.count
            return .json(.array(all.prefix(max(0, limit)).map { $0.answer(profile) }))
        case "POST":
            guard let body = request.json else { return malformed }
            let session = conversation.create(
                directory: directory, title: body["title"]?.text, parentID: body["parentID"]?.text)
            return .json(session.answer(profile))
        default: return nil
        }
    }

    private func update(_ session: Session, _ request: Request) -> Answer {
        guard let body = request.json else { return malformed }
        guard let title = body["title"]?.text else { return .json(session.answer(profile)) }
        return .json(conversation.rename(session, to: title).answer(profile))
    }

    private func messages(of session: Session, _ request: Request) -> Answer {
        let limit = request.query["limit"].flatMap { Int($0) }
        let shown = limit.map { session.messages.suffix(max(0, $0)) } ?? session.messages[...]
        var answer = Answer.json(.array(shown.map { limit == nil ? $0.listed : $0.paged }))
        // Older messages are behind a link.
        guard let limit, shown.count < session.messages.count, let first = shown.first else { return answer }
        let position: JSON = ["id": .string(first.id), "time": .integer(first.created)]
        let cursor = Base64.encode(Array(position.encoded.utf8), padding: false)
        let host = request.fields.first("Host") ?? "127.0.0.1"
        let link = "<http://\(host)/session/\(session.id)/message?limit=\(limit)&before=\(cursor)>; rel=\"next\""
        answer.fields.insert(
            contentsOf: [("Access-Control-Expose-Headers", "Link, X-Next-Cursor"), ("Link", link)], at: 0)
        answer.fields.append(("x-next-cursor", cursor))
        return answer
    }

    private func prompt(_ session: Session, _ request: Request, waits: Bool) -> Answer {
        guard let body = request.json else { return malformed }
        guard let parts = body["parts"]?.elements else { return .missing("parts") }
        let text = parts.compactMap { $0["text"]?.text }.joined(separator: "\n")
        // A model that is given in another way, or not at all, is the default one.
        let model = Session.Model(
            providerID: body["model"]?["providerID"]?.text ?? "twin", modelID: body["model"]?["modelID"]?.text ?? "talk"
        )
        guard Twin.providers.contains(model.providerID) else {
            return waits ? .unexpected : .empty(204, "No Content")
        }
        let prompt = conversation.accept(text, model: model, in: session)
        let conversation = conversation
        if waits {
            guard let message = conversation.run(prompt) else { return .unexpected }
            return .chunkedJSON(message.answer)
        }
        // Without a thread for its turn the prompt is lost, and the client is told.
        let turn = try? TestThread { _ = conversation.run(prompt) }
        return turn == nil ? .unexpected : .empty(204, "No Content")
    }
}
