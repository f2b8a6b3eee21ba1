internal import Dialects
internal import JSONText

/// The questions that conversations need, all of OpenCode 1's routes.
package struct RequestBuilder: Sendable {
    /// The project's folder.
    package let directory: String

    /// `directory`: the project's folder, an absolute path.
    package init(directory: String) { self.directory = directory }

    /// All sessions that a list shows: OpenCode has no pages here, and gives 50 or 100 unless it is told otherwise.
    private static let allSessions = 100_000

    func request(_ method: String, _ path: [String], query: [(name: String, value: String)] = [], body: JSON? = nil)
        -> ClientRequest
    {
        ClientRequest(method, path, query: query, directory: directory, body: body?.bytes ?? [])
    }

    /// Asks, and goes on with a good answer only.
    private func good<Value>(
        _ request: ClientRequest, _ read: @escaping @Sendable (OpenCodeAnswer) -> Plan<Value>
    ) -> Plan<Value> {
        .ask(request) { $0.isGood ? read($0) : .refused($0.refusal) }
    }

    private func session(_ request: ClientRequest) -> Plan<Session> {
        good(request) { answer in
            guard let session = answer.json.flatMap({ Session(openCode1: $0) }) else { return .refused(.strange) }
            return .done(session)
        }
    }

    /// The sessions that are conversations: neither children nor archived.
    func sessions() -> Plan<[Session]> {
        let query = [(name: "roots", value: "true"), (name: "limit", value: String(Self.allSessions))]
        return good(request("GET", ["session"], query: query)) { answer in
            guard let list = answer.json?.array else { return .refused(.strange) }
            return .done(list.compactMap { Session(openCode1: $0) }.filter(\.isConversation))
        }
    }

    func session(_ id: String) -> Plan<Session> { session(request("GET", ["session", id])) }

    func create(title: String?) -> Plan<Session> {
        session(request("POST", ["session"], body: ["title": title.map(JSON.string)]))
    }

    func rename(_ id: String, _ title: String) -> Plan<Session> {
        session(request("PATCH", ["session", id], body: ["title": .string(title)]))
    }

    func fork(_ id: String) -> Plan<Session> { session(request("POST", ["session", id, "fork"], body: [:])) }

    /// Deletes a session, which aborts what runs there.
    func delete(_ id: String) -> Plan<Bool> {
        .aborting(session: id) { good(request("DELETE", ["session", id])) { _ in .done(true) } }
    }

    /// Aborts what runs in a session, and waits until it has ended. OpenCode before 1.18 answers earlier, and the loop that is
    /// still ending takes a prompt with it that comes before `message.updated` with `MessageAbortedError`.
    func abort(_ id: String) -> Plan<Bool> {
        .aborting(session: id) {
            good(request("POST", ["session", id, "abort"])) { _ in .ended(session: id) { .done(true) } }
        }
    }

    /// Whether a session works.
    func isBusy(_ id: String) -> Plan<Bool> {
        good(request("GET", ["session", "status"])) { answer in
            guard let all = answer.json?.object else { return .refused(.strange) }
            guard let status = all[id]?["type"]?.text else { return .done(false) }
            return .done(status != "idle")
        }
    }

    /// A prompt that is answered behind the request; `model` as conversations name it.
    func prompt(_ id: String, messageID: String, _ text: String, model: String?) -> ClientRequest {
        let slash = model?.firstIndex(of: "/")
        let chosen: JSON? =
            if let model, let slash {
                [
                    "providerID": .string(String(model[..<slash])),
                    "modelID": .string(String(model[model.index(after: slash)...])),
                ]
            } else { nil }
        let body: JSON = [
            "messageID": .string(messageID), "model": chosen,
            "parts": [["type": "text", "text": .string(text)]],
        ]
        return request("POST", ["session", id, "prompt_async"], body: body)
    }

    /// Newest messages, at most `limit`, before a place where OpenCode named one.
    func messages(_ id: String, limit: Int, before: String?) -> ClientRequest {
        var query = [(name: "limit", value: String(limit))]
        if let before { query.append((name: "before", value: before)) }
        return request("GET", ["session", id, "message"], query: query)
    }

    /// The models, tools and MCP servers that there are, which are stored. An OpenCode 2 that has just begun looks for its models
    /// behind its first answers: it is asked again for a while before it counts as one that has none.
    func catalogue(tries: Int = 10) -> Plan<Catalogue> {
        found().then { catalogue in
            guard catalogue.models.isEmpty, tries > 0 else { return .learned(catalogue) { .done(catalogue) } }
            return .pause(milliseconds: 300) { self.catalogue(tries: tries - 1) }
        }
    }

    private func found() -> Plan<Catalogue> {
        good(request("GET", ["config", "providers"])) { providers in
            guard let providers = providers.json else { return .refused(.strange) }
            return good(request("GET", ["config"])) { config in
                .ask(request("GET", ["experimental", "tool", "ids"])) { tools in
                    // OpenCode 2 does not list its tools.
                    let tools = tools.isGood ? tools.json?.array?.count ?? 0 : 0
                    return .ask(request("GET", ["mcp"])) { servers in
                        let names = servers.isGood ? servers.json?.object?.members.map(\.name) ?? [] : []
                        return .done(
                            Catalogue(providers, wanted: config.json?["model"]?.text, tools: tools, servers: names))
                    }
                }
            }
        }
    }
}

extension Session {
    /// Whether it is a conversation: sessions of subagents and those that were put away are none.
    var isConversation: Bool { parentID == nil && otherTimes["archived"]?.number == nil }

    /// The model as conversations name it; nil where none was used yet.
    var modelName: String? { model.map(\.name) }

    var createdAt: Int64 { created.milliseconds }
    var updatedAt: Int64 { updated.milliseconds }
}

extension Model {
    /// `provider/model`.
    var name: String { "\(providerID)/\(modelID)" }
}

extension Number {
    /// A time in milliseconds since 1970, and 0 for what can't be one.
    var milliseconds: Int64 {
        guard let double, double.isFinite, abs(double) < 1e15 else { return 0 }
        return integer.map { Int64($0) } ?? Int64(double)
    }
}
