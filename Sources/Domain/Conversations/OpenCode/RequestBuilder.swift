// SPDX-License-Identifier: Apache-2.0

internal import Dialects
internal import JSONText

/// Creates the requests that conversations need. All of them use OpenCode 1's routes.
package struct RequestBuilder: Sendable {
    /// The absolute path of the project's directory, which is part of each request.
    package let directory: String

    /// Creates a request builder.
    ///
    /// - Parameter directory: The absolute path of the project's directory.
    package init(directory: String) { self.directory = directory }

    /// The limit for lists of all sessions. OpenCode does not divide this list into pages, and its default limit is 50
    /// or 100.
    private static let allSessions = 100_000

    func request(_ method: String, _ path: [String], query: [(name: String, value: String)] = [], body: JSON? = nil)
        -> ClientRequest
    {
        ClientRequest(method, path, query: query, directory: directory, body: body?.bytes ?? [])
    }

    /// Sends a request and continues only after a successful response.
    private func good<Value>(
        _ request: ClientRequest, _ read: @escaping @Sendable (OpenCodeAnswer) -> Plan<Value>
    ) -> Plan<Value> {
        .send(request) { $0.isGood ? read($0) : .refused($0.refusal) }
    }

    private func session(_ request: ClientRequest) -> Plan<Session> {
        good(request) { answer in
            guard let session = answer.json.flatMap({ Session(openCode1: $0) }) else { return .refused(.strange) }
            return .done(session)
        }
    }

    /// Requests the sessions that are conversations, which excludes children and archived sessions.
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

    /// Deletes a session. This also aborts its running work.
    func delete(_ id: String) -> Plan<Bool> {
        .aborting(session: id) { good(request("DELETE", ["session", id])) { _ in .done(true) } }
    }

    /// Aborts the running work of a session and waits until it has ended. OpenCode before 1.18 responds before the work
    /// has ended. A prompt that arrives before `message.updated` with `MessageAbortedError` is lost together with the
    /// ending loop.
    func abort(_ id: String) -> Plan<Bool> {
        .aborting(session: id) {
            good(request("POST", ["session", id, "abort"])) { _ in .ended(session: id) { _ in .done(true) } }
        }
    }

    /// Queries whether a session is busy.
    func isBusy(_ id: String) -> Plan<Bool> {
        good(request("GET", ["session", "status"])) { answer in
            guard let all = answer.json?.object else { return .refused(.strange) }
            guard let status = all[id]?["type"]?.text else { return .done(false) }
            return .done(status != "idle")
        }
    }

    /// Creates the request for a prompt. OpenCode responds to it before it writes the answer.
    ///
    /// - Parameter model: The model in the form that conversations use.
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

    /// Creates a request for at most `limit` messages: the newest messages, or the messages before a cursor of
    /// OpenCode.
    func messages(_ id: String, limit: Int, before: String?) -> ClientRequest {
        var query = [(name: "limit", value: String(limit))]
        if let before { query.append((name: "before", value: before)) }
        return request("GET", ["session", id, "message"], query: query)
    }

    /// Requests the models, tools and MCP servers, and stores them. An OpenCode 2 instance that has just started
    /// discovers its models after its first responses. The request is therefore repeated for a while before the
    /// instance counts as having no models.
    func catalogue(tries: Int = 10) -> Plan<Catalogue> {
        found().then { catalogue in
            guard catalogue.models.isEmpty, tries > 0 else { return .store(catalogue) { .done(catalogue) } }
            return .pause(milliseconds: 300) { self.catalogue(tries: tries - 1) }
        }
    }

    private func found() -> Plan<Catalogue> {
        good(request("GET", ["config", "providers"])) { providers in
            guard let providers = providers.json else { return .refused(.strange) }
            return good(request("GET", ["config"])) { config in
                .send(request("GET", ["experimental", "tool", "ids"])) { tools in
                    // OpenCode 2 does not list its tools, so their number is 0.
                    let tools = tools.isGood ? tools.json?.array?.count ?? 0 : 0
                    return .send(request("GET", ["mcp"])) { servers in
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
    /// Whether the session is a conversation. Sessions of subagents and archived sessions are not conversations.
    var isConversation: Bool { parentID == nil && otherTimes["archived"]?.number == nil }

    /// The model in the form that conversations use; nil if no model has been used yet.
    var modelName: String? { model.map(\.name) }

    var createdAt: Int64 { created.milliseconds }
    var updatedAt: Int64 { updated.milliseconds }
}

extension Model {
    /// The name, in the form `provider/model`.
    var name: String { "\(providerID)/\(modelID)" }
}

extension Number {
    /// The time in milliseconds since 1970; 0 if the number is not a valid time.
    var milliseconds: Int64 {
        guard let double, double.isFinite, abs(double) < 1e15 else { return 0 }
        return integer.map { Int64($0) } ?? Int64(double)
    }
}
