// SPDX-License-Identifier: Apache-2.0

import Conversations
import Dialects
import JSONText
import Storage
import Testing

/// Tests each endpoint of the conversation protocol, as documented.
@Suite struct ConversationRequestTests {
    private let id = ConversationID(session: "ses_1").text

    private func harness(pairs: Int = 1) -> ConversationHarness {
        ConversationHarness([FakeOpenCode1.talk("ses_1", pairs: pairs)])
    }

    private func texts(_ page: JSON?) -> [String] { page?["items"]?.array?.compactMap { $0["text"]?.text } ?? [] }

    @Test func `GET /models returns the id, name and description of each model`() throws {
        var harness = harness()
        let answer = try harness.fetch("GET", "/models")

        #expect(
            answer.json.shown == #"[{"id":"mock/talk","name":"Model talk","description":"Mock"},"#
                + #"{"id":"mock/think","name":"Model think","description":"Mock"}]"#)
    }

    @Test func `GET /conversations returns each conversation with its last message and message count`() throws {
        var harness = harness()
        let answer = try harness.fetch("GET", "/conversations")

        #expect(answer.status == 200)
        #expect(answer.json["nextCursor"] == .null)

        let item = try #require(answer.json["items"]?.array?.first)

        #expect(
            item.object?.members.map(\.name) == [
                "id", "title", "modelId", "isPinned", "createdAt", "updatedAt", "lastMessageAt", "messageCount",
                "lastMessage",
            ])
        #expect(item["id"]?.text == id)
        #expect(item["title"] == "A talk")
        #expect(item["isPinned"] == false)
        #expect(item["createdAt"] == "1970-01-01T00:00:01Z")
        #expect(item["updatedAt"] == "1970-01-01T00:00:05Z")
        #expect(item["lastMessage"]?["text"] == "Answer 0")
        #expect(item["messageCount"] == 2)
        #expect(item["modelId"] == "mock/talk")
    }

    @Test(arguments: ["/conversations", "/conversations/ID", "/conversations/ID/duplicate"])
    func `a conversation without a message has the default model, which is queried once`(path: String) throws {
        var harness = harness(pairs: 0)
        let method = path.hasSuffix("duplicate") ? "POST" : "GET"

        let first = try harness.fetch(method, path.replacing("ID", with: id)).json
        let second = try harness.fetch(method, path.replacing("ID", with: id)).json

        for answer in [first, second] {
            let item = answer["items"]?.array?.first ?? answer
            #expect(item["modelId"] == "mock/talk")
        }

        #expect(harness.server.requests.count { $0 == "GET /config/providers" } == 1)
    }

    @Test func `a conversation that is renamed has the default model`() throws {
        var harness = harness(pairs: 0)

        let answer = try harness.fetch("PATCH", "/conversations/\(id)", body: ["title": "New"]).json

        #expect(answer["modelId"] == "mock/talk")
    }

    @Test func `a list whose models cannot be queried is returned without them`() throws {
        var harness = harness(pairs: 0)
        harness.server.instead["GET /config/providers"] = OpenCodeAnswer(500, [])

        let answer = try harness.fetch("GET", "/conversations")

        #expect(answer.status == 200)
        #expect(answer.json["items"]?.array?.first?["modelId"] == "")
    }

    @Test func `pages neither repeat nor skip a conversation while messages arrive`() throws {
        var harness = ConversationHarness(
            (1...7).map { number in
                var session = FakeOpenCode1.talk("ses_\(number)", title: "Talk \(number)", updated: number, pairs: 0)
                session.messages = [FakeOpenCode1.user("msg_\(number)", "hi", at: 10_000 * number)]
                return session
            })
        var seen: [String] = []
        var cursor: String? = ""
        while let current = cursor {
            let query = [(name: "limit", value: "3"), (name: "cursor", value: current)]
            let page = try harness.fetch("GET", "/conversations", query: query).json
            seen += page["items"]?.array?.compactMap { $0["title"]?.text } ?? []
            cursor = page["nextCursor"]?.text
            // The oldest conversation receives a new message.
            harness.receiveMessage(
                FakeOpenCode1.user("msg_9\(seen.count)", "again", at: 900_000 + seen.count), of: "ses_7")
        }

        #expect(seen == ["Talk 7", "Talk 6", "Talk 5", "Talk 4", "Talk 3", "Talk 2", "Talk 1"])
    }

    @Test func `a search matches titles regardless of letter case`() throws {
        var harness = ConversationHarness([
            FakeOpenCode1.talk("ses_1", title: "Über Parser", pairs: 0),
            FakeOpenCode1.talk("ses_2", title: "Something else", pairs: 0),
        ])

        for search in ["über", "PARSER"] {
            let page = try harness.fetch("GET", "/conversations", query: [(name: "search", value: search)])
            #expect(page.json["items"]?.array?.map { $0["title"] } == ["Über Parser"])
        }
    }

    @Test(arguments: [("model_id", "first_message"), ("modelId", "firstMessage")])
    func `POST /conversations creates a titled conversation and sends no prompt`(model: String, first: String) throws {
        var harness = harness()
        let body = JSON.object(
            JSONObject([.init(model, "mock/think"), .init(first, .string(String(repeating: "é", count: 60)))]))
        let answer = try harness.fetch("POST", "/conversations", body: body)
        let conversation = answer.json["conversation"]

        #expect(answer.status == 201)
        #expect(answer.json.object?.members.count == 1)
        #expect(conversation?["id"]?.text == ConversationID(session: "ses_made1").text)
        #expect(conversation?["title"]?.text == String(repeating: "é", count: 50))
        #expect(conversation?["modelId"] == "mock/think")
        #expect(conversation?["messages"] == [])
        #expect(conversation?["isPinned"] == false)
        #expect(conversation?["messageCount"] == 0)
        #expect(harness.server.prompts.isEmpty)

        let unknown = try harness.fetch("POST", "/conversations", body: ["modelId": "gpt-4"])

        #expect(unknown.json["conversation"]?["modelId"] == "mock/talk")
    }

    @Test func `GET /conversations/ID returns the conversation with its newest 30 messages`() throws {
        var harness = harness(pairs: 20)
        let answer = try harness.fetch("GET", "/conversations/\(id.uppercased())")

        #expect(answer.status == 200)
        #expect(answer.json["id"]?.text == id)
        #expect(answer.json["conversation"] == nil)
        #expect(answer.json["messages"]?.array?.count == 30)
        #expect(answer.json["messageCount"] == 40)

        let last = answer.json["messages"]?.array?.last

        #expect(
            last?.object?.members.map(\.name) == ["id", "role", "text", "createdAt", "isPinned", "isEdited"])
        #expect(last?["text"] == "Answer 19")
        #expect(last?["role"] == "assistant")
    }

    @Test func `PATCH /conversations/ID changes the title, model and pin`() throws {
        var harness = harness()
        let changes: JSON = ["title": "New", "model_id": "mock/think", "is_pinned": true]
        let answer = try harness.fetch("PATCH", "/conversations/\(id)", body: changes)

        #expect(answer.status == 200)
        #expect(answer.json["title"] == "New")
        #expect(answer.json["isPinned"] == true)
        #expect(answer.json["modelId"] == "mock/think")
        #expect(answer.json["messages"]?.array?.count == 2)
        #expect(harness.server.sessions[0].title == "New")

        guard case .set(let kept)? = harness.state.takeChanges().last else { return #expect(Bool(false)) }

        #expect(kept.isPinned)
        #expect(kept.model == "mock/think")

        _ = harness.request("POST", "/conversations/\(id)/messages", body: ["text": "hi"])

        #expect(harness.server.prompts.last?["model"]?["modelID"] == "think")

        let again = try harness.fetch("PATCH", "/conversations/\(id)", body: ["isPinned": false])

        #expect(again.json["isPinned"] == false)
        #expect(again.json["title"] == "New")
    }

    @Test func `DELETE /conversations/ID deletes the session`() throws {
        var harness = harness()
        let answer = try harness.fetch("DELETE", "/conversations/\(id)")

        #expect(answer.status == 204)
        #expect(answer.body.isEmpty)
        #expect(harness.server.sessions.isEmpty)

        let gone = try harness.fetch("GET", "/conversations/\(id)")

        #expect(gone.status == 404)
    }

    @Test func `POST /conversations/ID/duplicate copies the messages under new ids`() throws {
        var harness = harness(pairs: 2)
        _ = harness.request("PATCH", "/conversations/\(id)", body: ["isPinned": true, "modelId": "mock/think"])
        let original = try harness.fetch("GET", "/conversations/\(id)").json
        let copy = try harness.fetch("POST", "/conversations/\(id)/duplicate")

        #expect(copy.status == 200)
        #expect(copy.json["id"]?.text == ConversationID(session: "ses_made1").text)
        #expect(copy.json["isPinned"] == false)
        #expect(copy.json["modelId"] == "mock/think")

        let (one, other) = (original["messages"]?.array ?? [], copy.json["messages"]?.array ?? [])

        #expect(one.map { $0["text"] } == other.map { $0["text"] })
        #expect(one.count == 4)

        let ids = (one + other).compactMap { $0["id"]?.text }

        #expect(ids.count == 8)
        #expect(Set(ids).count == 8)
    }

    @Test(arguments: [true, false])
    func `GET /conversations/ID/messages returns pages of 30 that new messages do not shift`(hasPages: Bool) throws {
        var harness = harness(pairs: 50)
        harness.server.hasPages = hasPages
        var seen: [String] = []
        var query: [(name: String, value: String)] = []
        while true {
            let page = try harness.fetch("GET", "/conversations/\(id)/messages", query: query).json
            #expect(page.object?.members.map(\.name) == ["items", "nextCursor"])
            seen = texts(page) + seen
            guard let cursor = page["nextCursor"]?.text else { break }
            #expect(texts(page).count == 30)
            query = [(name: "cursor", value: cursor)]
            // Messages that arrive in the meantime do not shift a page.
            for _ in 0..<7 {
                let number = harness.server.sessions[0].messages.count
                harness.server.sessions[0].messages.append(FakeOpenCode1.user("msg_9\(number)a", "new"))
            }
        }

        #expect(seen == (0..<50).flatMap { ["Question \($0)", "Answer \($0)"] })
    }

    @Test func `the newest messages of 5000 are found with at most three requests to OpenCode`() throws {
        var harness = harness(pairs: 2_500)
        _ = harness.request("GET", "/conversations/\(id)/messages")
        harness.server.requests = []
        let page = try harness.fetch("GET", "/conversations/\(id)/messages").json

        #expect(texts(page).count == 30)
        #expect(texts(page).last == "Answer 2499")
        #expect(harness.server.requests.count <= 3)
    }

    @Test func `an answer of several steps is one message`() throws {
        var harness = harness(pairs: 1)
        harness.server.sessions[0].messages += [
            FakeOpenCode1.user("msg_2", "go"), FakeOpenCode1.assistant("msg_3", to: "msg_2", "Looking."),
            FakeOpenCode1.assistant("msg_4", to: "msg_2", "Found."),
        ]
        let page = try harness.fetch("GET", "/conversations/\(id)/messages").json

        #expect(texts(page) == ["Question 0", "Answer 0", "go", "Looking.\n\nFound."])
    }

    // MARK: Refusals

    @Test(arguments: [
        ("GET", "/conversations/nonsense", 400), ("GET", "/conversations/\(ConversationHarness.mine)", 404),
        ("DELETE", "/conversations/\(ConversationHarness.mine)", 404),
        ("PATCH", "/conversations/\(ConversationHarness.mine)", 404),
        ("POST", "/conversations/\(ConversationHarness.mine)/duplicate", 404),
        ("GET", "/conversations/\(ConversationHarness.mine)/messages", 404),
        ("GET", "/elsewhere", 404), ("GET", "/conversations/\(ConversationHarness.mine)/more", 404),
        ("PUT", "/conversations", 405),
        ("POST", "/models", 405), ("GET", "/conversations?limit=0", 400), ("GET", "/conversations?cursor=x", 400),
        ("GET", "/conversations/\(ConversationHarness.mine)/messages?cursor=x", 400),
        ("POST", "/conversations/\(ConversationHarness.mine)/messages", 400),
    ])
    func `each error response has a code, a message and details`(method: String, target: String, status: Int) throws {
        var harness = harness()
        let parts = target.split(separator: "?").map(String.init)
        let query = parts.dropFirst().flatMap { $0.split(separator: "=").map(String.init) }
        let named = query.count == 2 ? [(name: query[0], value: query[1])] : []
        let answer = try harness.fetch(method, parts[0], query: named)

        #expect(answer.status == status)

        let error = answer.json["error"]

        #expect(answer.json.object?.members.count == 1)
        #expect(error?.object?.members.map(\.name) == ["code", "message", "details"])
        #expect(error?["message"]?.text?.isEmpty == false)
    }

    @Test(arguments: [
        "[]", "{", #"{"title":""}"#, #"{"title":7}"#, #"{"isPinned":"yes"}"#, #"{"modelId":[]}"#,
    ])
    func `each malformed body is rejected with 400`(body: String) throws {
        var harness = harness()
        let answer = try harness.fetch("PATCH", "/conversations/\(id)", bytes: Array(body.utf8))

        #expect(answer.status == 400)
        #expect(harness.server.requests.isEmpty)
    }

    @Test func `a request is rejected with 503 and the code unavailable while OpenCode is unavailable`() throws {
        var harness = harness()
        harness.server.instead["GET /session"] = OpenCodeAnswer(503, [])
        let answer = try harness.fetch("GET", "/conversations")

        #expect(answer.status == 503)
        #expect(answer.json["error"]?["code"] == "unavailable")
    }
}
