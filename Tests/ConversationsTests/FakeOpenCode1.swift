// SPDX-License-Identifier: Apache-2.0

import Conversations
import Dialects
import JSONText

/// A fake OpenCode 1 that keeps sessions and messages in memory.
///
/// It is a value without a socket, because the state of conversations is tested without I/O: a request and its response
/// are also values. Tests of the program use the `FakeOpenCode` of TestKit, which serves HTTP.
struct FakeOpenCode1 {
    struct StoredSession {
        var id: String
        var title: String
        var updated: Int
        var parentID: String?
        var archived: Int?
        var messages: [JSON] = []
        /// The revert of the session; nil if there is none.
        var revert: JSON?
    }

    var sessions: [StoredSession] = []
    var models = ["talk", "think"]
    /// All requests, as `METHOD /path`.
    var requests: [String] = []
    var prompts: [JSON] = []
    /// Whether lists of messages have pages (since 1.2).
    var hasPages = true
    /// The responses that replace the regular responses, by `METHOD /path`.
    var instead: [String: OpenCodeAnswer] = [:]
    var working: Set<String> = []
    private var made = 0

    /// Returns the name of a request: `METHOD /path`.
    static func name(of request: ClientRequest) -> String {
        request.method + " /" + request.path.joined(separator: "/")
    }

    mutating func answer(_ request: ClientRequest) -> OpenCodeAnswer {
        let path = request.path
        let name = Self.name(of: request)
        requests.append(name)
        if let answer = instead[name] { return answer }
        if name == "GET /session" {
            return json(.array(sessions.sorted { $0.updated > $1.updated }.map(shown)))
        }
        switch name {
        case "GET /session/status":
            return json(.object(JSONObject(working.map { JSONObject.Member($0, ["type": "busy"]) })))
        case "POST /session": return make(JSONParser.parse(request.body)?["title"]?.text)
        case "GET /config/providers": return json(providers)
        case "GET /config": return json(["model": "mock/talk"])
        case "GET /experimental/tool/ids": return json(["bash", "edit", "read"])
        case "GET /mcp": return json(["files on disk": ["status": "connected"]])
        default: break
        }
        guard path.count > 1, let index = sessions.firstIndex(where: { $0.id == path[1] }) else {
            return OpenCodeAnswer(404, Array(#"{"name":"NotFoundError","data":{"message":"no session"}}"#.utf8))
        }
        switch (request.method, path.count > 2 ? path[2] : "") {
        case ("GET", ""): return json(shown(sessions[index]))
        case ("PATCH", ""):
            sessions[index].title = JSONParser.parse(request.body)?["title"]?.text ?? sessions[index].title
            return json(shown(sessions[index]))
        case ("DELETE", ""):
            sessions.remove(at: index)
            return json(true)
        case ("POST", "abort"): return json(true)
        case ("POST", "fork"):
            let original = sessions[index]
            let answer = make(original.title + " (fork #1)")
            let id = sessions[sessions.count - 1].id
            sessions[sessions.count - 1].messages = original.messages.map { copied($0, to: id) }
            return answer
        case ("POST", "prompt_async"):
            prompts.append(JSONParser.parse(request.body) ?? .null)
            return OpenCodeAnswer(204, [])
        case ("GET", "message"): return messages(of: sessions[index], request)
        default: return OpenCodeAnswer(404, [])
        }
    }

    private var providers: JSON {
        let members = models.map { JSONObject.Member($0, ["name": .string("Model \($0)")]) }
        return [
            "providers": [["id": "mock", "name": "Mock", "models": .object(JSONObject(members))]],
            "default": ["mock": models.first.map(JSON.string)],
        ]
    }

    private func json(_ json: JSON) -> OpenCodeAnswer { OpenCodeAnswer(200, json.bytes) }

    private mutating func make(_ title: String?) -> OpenCodeAnswer {
        made += 1
        sessions.append(StoredSession(id: "ses_made\(made)", title: title ?? "New session", updated: 9_000 + made))
        return json(shown(sessions[sessions.count - 1]))
    }

    func shown(_ session: StoredSession) -> JSON {
        [
            "id": .string(session.id), "projectID": "p", "directory": "/home/vibe/demo",
            "parentID": session.parentID.map(JSON.string), "title": .string(session.title), "version": "1.18.33",
            "time": [
                "created": 1_000, "updated": .number(Number(session.updated)),
                "archived": session.archived.map { .number(Number($0)) },
            ],
            "revert": session.revert,
        ]
    }

    /// Copies a message in the way of OpenCode 2, which keeps the id of the message.
    private func copied(_ message: JSON, to session: String) -> JSON {
        let text = String(decoding: message.bytes, as: UTF8.self)
        return JSONParser.parse(
            Array(text.replacing(#""sessionID":"ses_1""#, with: "\"sessionID\":\"\(session)\"").utf8))
            ?? .null
    }

    /// Returns messages in the way of 1.18.33: the newest `limit` messages before the cursor, oldest first, and a
    /// cursor if there are older messages.
    private func messages(of session: StoredSession, _ request: ClientRequest) -> OpenCodeAnswer {
        let limit = request["limit"].flatMap { Int($0) } ?? 0
        var all = session.messages
        if hasPages, let before = request["before"] {
            let end = all.firstIndex { $0["info"]?["id"]?.text == before } ?? all.count
            all = Array(all[..<end])
        }
        let page = limit == 0 ? all : Array(all.suffix(limit))
        let hasOlder = hasPages && page.count < all.count
        return OpenCodeAnswer(
            200, nextCursor: hasOlder ? page.first?["info"]?["id"]?.text : nil, JSON.array(page).bytes)
    }

    // MARK: Messages

    static func user(_ id: String, _ text: String, at time: Int = 2_000) -> JSON {
        [
            "info": [
                "id": .string(id), "sessionID": "ses_1", "role": "user", "time": ["created": .number(Number(time))],
                "agent": "build", "model": ["providerID": "mock", "modelID": "talk"],
            ],
            "parts": [
                [
                    "id": .string("prt_\(id)"), "sessionID": "ses_1", "messageID": .string(id), "type": "text",
                    "text": .string(text),
                ]
            ],
        ]
    }

    static func assistant(
        _ id: String, to parent: String, _ text: String, at time: Int = 3_000, isDone: Bool = true
    ) -> JSON {
        [
            "info": assistantInfo(id, to: parent, at: time, isDone: isDone),
            "parts": [
                [
                    "id": .string("prt_\(id)"), "sessionID": "ses_1", "messageID": .string(id), "type": "text",
                    "text": .string(text),
                    "time": ["start": .number(Number(time)), "end": isDone ? .number(Number(time)) : nil],
                ]
            ],
        ]
    }

    static func assistantInfo(_ id: String, to parent: String, at time: Int = 3_000, isDone: Bool = false) -> JSON {
        [
            "id": .string(id), "sessionID": "ses_1", "role": "assistant", "parentID": .string(parent),
            "mode": "build", "agent": "build", "modelID": "talk", "providerID": "mock",
            "path": ["cwd": "/", "root": "/"], "cost": 0,
            "tokens": ["input": 0, "output": 0, "reasoning": 0, "cache": ["read": 0, "write": 0]],
            "time": ["created": .number(Number(time)), "completed": isDone ? .number(Number(time + 1)) : nil],
        ]
    }

    /// Returns a session with this many prompts and answers.
    static func talk(_ id: String, title: String = "A talk", updated: Int = 5_000, pairs: Int) -> StoredSession {
        var session = StoredSession(id: id, title: title, updated: updated)
        for number in 0..<pairs {
            let digits = String(100_000 + number)
            session.messages.append(user("msg_\(digits)a", "Question \(number)", at: 2_000 + number * 10))
            session.messages.append(
                assistant("msg_\(digits)b", to: "msg_\(digits)a", "Answer \(number)", at: 2_005 + number * 10))
        }
        return session
    }
}
