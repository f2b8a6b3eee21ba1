// SPDX-License-Identifier: Apache-2.0

internal import Dialects
internal import JSONText

/// Creates the requests that conversations need. All requests use OpenCode 1's routes.
package struct RequestBuilder: Sendable {
    /// The absolute path of the project's directory, which is part of each request.
    package let directory: String

    /// Creates a request builder.
    ///
    /// - Parameter directory: The absolute path of the project's directory.
    package init(directory: String) { self.directory = directory }

    /// The limit for the list of all sessions. OpenCode does not divide this list into pages. Without a limit in the
    /// request, the list contains at most 50 or 100 sessions.
    private static let allSessions = 100_000

    func request(_ method: String, _ path: [String], query: [(name: String, value: String)] = [], body: JSON? = nil)
        -> ClientRequest
    {
        ClientRequest(method, path, query: query, directory: directory, body: body?.bytes ?? [])
    }

    /// Creates the request for the list of all sessions except children.
    func sessions() -> ClientRequest {
        request(
            "GET", ["session"],
            query: [(name: "roots", value: "true"), (name: "limit", value: String(Self.allSessions))])
    }

    func session(_ id: String) -> ClientRequest { request("GET", ["session", id]) }

    /// Creates the request for the states of all sessions that are not idle.
    func states() -> ClientRequest { request("GET", ["session", "status"]) }

    func create(title: String?) -> ClientRequest {
        request("POST", ["session"], body: ["title": title.map(JSON.string)])
    }

    func rename(_ id: String, to title: String) -> ClientRequest {
        request("PATCH", ["session", id], body: ["title": .string(title)])
    }

    func fork(_ id: String) -> ClientRequest { request("POST", ["session", id, "fork"], body: [:]) }

    func delete(_ id: String) -> ClientRequest { request("DELETE", ["session", id]) }

    func abort(_ id: String) -> ClientRequest { request("POST", ["session", id, "abort"]) }

    /// Creates the request for a prompt. OpenCode sends the HTTP response before it writes the answer.
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
