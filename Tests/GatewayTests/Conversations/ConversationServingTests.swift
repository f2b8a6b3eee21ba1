// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import TestThreads
import Testing

/// Tests the flows of both documents from beginning to end, on real sockets, with each version of OpenCode.
@Suite(.onTestThreads) struct ConversationServingTests {
    static let versions = ["1.1.11", "1.2.27", "1.18.33", "2.0.15"]
    private static let id = "A0B1C2D3-0000-4000-8000-00000000000A"

    private func fixture(_ version: String, flags: [String] = []) throws -> SimulatorFixture {
        try SimulatorFixture(flags: flags, environment: ["SIMULATOR_PROFILE": version])
    }

    private func json(_ answer: TestResponse) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
    }

    /// Follows the document's "Connection Flow". The first message that needs the project starts it.
    @Test(arguments: versions)
    func `a chat answers a message, and a reconnected chat loads and deletes the conversation`(version: String) throws {
        let fixture = try fixture(version)
        let chat = try ChatDialogue(fixture.gateway.port)
        let status = try chat.receive()

        #expect(status["type"] as? String == "status")
        #expect((status["metadata"] as? [String: Any])?["connected"] as? Bool == true)
        #expect(try fixture.status().isRunning == false)

        try chat.send("list_conversations")

        #expect(try chat.receive()["type"] as? String == "conversation_list")
        #expect(try fixture.status().isRunning)

        try chat.send("user_message", ["conversationId": Self.id, "content": "think about it"])
        let received = try chat.receive(upTo: "assistant_done")

        #expect(received.types == ["thinking_chunk", "thinking_done", "assistant_chunk", "assistant_done"])
        #expect(received.allSatisfy { $0["conversationId"] as? String == Self.id })

        try chat.send("ping")

        #expect(try chat.receive()["type"] as? String == "pong")

        let again = try ChatDialogue(fixture.gateway.port)
        try again.receive()
        try again.send("load_conversation", ["conversationId": Self.id.lowercased()])
        let loaded = try again.receive()

        #expect(loaded["conversationId"] as? String == Self.id)

        let messages = (loaded["metadata"] as? [String: Any])?["messages"] as? [[String: Any]]

        #expect(messages?.compactMap { $0["content"] as? String } == ["think about it", received.text])

        try again.send("list_conversations")
        let list = (try again.receive()["metadata"] as? [String: Any])?["conversations"] as? [[String: Any]]

        #expect(list?.first?["messageCount"] as? Int == 2)
        #expect(list?.first?["id"] as? String == Self.id)

        try again.send("delete_conversation", ["conversationId": Self.id])

        #expect(try again.receive()["type"] as? String == "conversation_deleted")
        #expect(try chat.receive()["type"] as? String == "conversation_deleted")
    }

    @Test(arguments: ["1.18.33", "2.0.15"])
    func `a chat that reconnects during an answer receives the whole answer`(version: String) throws {
        let fixture = try fixture(version)
        let chat = try ChatDialogue(fixture.gateway.port)
        try chat.send("user_message", ["conversationId": Self.id, "content": "[pieces=100 interval=50ms] talk"])
        _ = try chat.receive(upTo: "assistant_chunk")
        let again = try ChatDialogue(fixture.gateway.port)
        try again.receive()
        try again.send("load_conversation", ["conversationId": Self.id])
        let received = try again.receive(upTo: "assistant_done")
        _ = try chat.receive(upTo: "assistant_done")

        #expect(received.first?["type"] as? String == "conversation_loaded")
        #expect(received.text == chat.messages.text)
    }

    /// The session's event and a list without the session reach the gateway in either order.
    @Test func `a deletion by another client during a list is reported once under the client's own id`() throws {
        let fixture = try fixture("1.18.33")
        let chat = try ChatDialogue(fixture.gateway.port)
        let ids = (10..<40).map { "A0B1C2D3-0000-4000-8000-0000000000\($0)" }

        for id in ids {
            try chat.send("new_conversation", ["conversationId": id])
            _ = try chat.receive(upTo: "conversation_created")
            let sessions = try JSONSerialization.jsonObject(with: Data(fixture.request("/session").body))
            let session = try #require((sessions as? [[String: Any]])?.first?["id"] as? String)
            try chat.send("list_conversations")
            let answer = try fixture.gateway.request(
                "DELETE", "/projects/demo/api/session/\(session)", within: SimulatorFixture.patience)
            #expect(answer.status == 200)
            try chat.send("list_conversations")
            var lists = 0
            var isDeleted = false
            while lists < 2 || !isDeleted {
                let type = try chat.receive()["type"] as? String
                if type == "conversation_list" { lists += 1 }
                if type == "conversation_deleted" { isDeleted = true }
            }
        }

        // Events arrive in order. When the last round's event has arrived, the events of all earlier rounds have
        // arrived as well.
        let deleted = chat.messages.filter { $0["type"] as? String == "conversation_deleted" }

        #expect(deleted.map { $0["conversationId"] as? String } == ids)
    }

    @Test(arguments: ["1.18.33", "2.0.15"])
    func `cancel_generation ends the answer once`(version: String) throws {
        let fixture = try fixture(version)
        let chat = try ChatDialogue(fixture.gateway.port)
        try chat.send("user_message", ["conversationId": Self.id, "content": "long"])
        _ = try chat.receive(upTo: "assistant_chunk")
        try chat.send("cancel_generation", ["conversationId": Self.id])
        _ = try chat.receive(upTo: "assistant_done")
        try chat.send("list_conversations")
        let remainder = try chat.receive(upTo: "conversation_list")

        #expect(remainder.types == ["conversation_list"])
    }

    @Test(arguments: versions)
    func `a new conversation has a model before any client has requested the models`(version: String) throws {
        let fixture = try fixture(version)
        let chat = try ChatDialogue(fixture.gateway.port)
        try chat.send("new_conversation", ["conversationId": Self.id])
        _ = try chat.receive(upTo: "conversation_created")

        let list = try json(try fixture.gateway.request("GET", "/conversations", within: SimulatorFixture.patience))

        let item = (list["items"] as? [[String: Any]])?.first

        #expect(item?["id"] as? String == Self.id)
        #expect((item?["modelId"] as? String)?.hasPrefix("simulator/") == true)
    }

    @Test func `a GET without a key at an open listener starts no project`() throws {
        let port = try FreePort.find()
        let fixture = try fixture(
            "1.18.33", flags: ["--conversations-listen", "127.0.0.1:\(port)", "--chat-open", "on"])
        let body = Array(#"{"firstMessage":"hi"}"#.utf8)

        let read = try TestClient.request(port: port, "GET", "/models?project=demo", within: SimulatorFixture.patience)
        let isStarted = try fixture.status().isRunning
        let written = try TestClient.request(
            port: port, "POST", "/conversations?project=demo", headers: [("Content-Type", "application/json")],
            body: body, within: SimulatorFixture.patience)
        let readAgain = try TestClient.request(
            port: port, "GET", "/models?project=demo", within: SimulatorFixture.patience)

        #expect(read.status == 503)
        #expect(!isStarted)
        #expect(written.status == 201)
        #expect(readAgain.status == 200)
    }

    @Test(arguments: [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xC0, 0x80]] as [[UInt8]])
    func `a JSON body that is not UTF-8 is rejected`(bytes: [UInt8]) throws {
        let fixture = try fixture("1.18.33")
        let body = Array(#"{"title":"a"#.utf8) + bytes + Array(#""}"#.utf8)
        let id = Self.id

        for (method, target) in [
            ("POST", "/conversations"), ("PATCH", "/conversations/\(id)"), ("POST", "/conversations/\(id)/messages"),
        ] {
            let answer = try fixture.gateway.request(
                method, target, headers: [("Content-Type", "application/json")], body: body,
                within: SimulatorFixture.patience)

            #expect(answer.status == 400)
            #expect(answer.text.contains("UTF-8"))
        }

        #expect(try !fixture.status().isRunning)
    }

    /// Follows the contract's endpoints in the order of its examples.
    @Test(arguments: versions)
    func `the conversation endpoints succeed in the order of the contract's examples`(version: String) throws {
        let fixture = try fixture(version)
        func request(_ method: String, _ target: String, _ body: String? = nil) throws -> TestResponse {
            let headers = body == nil ? [] : [("Content-Type", "application/json")]
            return try fixture.gateway.request(
                method, target, headers: headers, body: body.map { Array($0.utf8) }, within: SimulatorFixture.patience)
        }
        let models = try request("GET", "/models")

        #expect(models.status == 200)
        #expect(models.text.contains(#""id":"simulator/talk""#))

        let created = try request(
            "POST", "/conversations", #"{"model_id":"simulator/talk","first_message":"hi there"}"#)
        let conversation = try #require(try json(created)["conversation"] as? [String: Any])

        #expect(created.status == 201)
        #expect(conversation["title"] as? String == "hi there")
        #expect(conversation["modelId"] as? String == "simulator/talk")

        let id = try #require(conversation["id"] as? String)

        let stream = try request(
            "POST", "/conversations/\(id.uppercased())/messages", #"{"role":"user","text":"talk"}"#)

        #expect(stream.status == 200)
        #expect(stream.body.allSatisfy { $0 < 0x80 })

        let events = try stream.text.split(separator: "\n\n").filter { !$0.hasPrefix(":") }.map { block in
            try #require(
                try JSONSerialization.jsonObject(with: Data(block.dropFirst("data: ".count).utf8)) as? [String: Any])
        }
        let text = events.compactMap { $0["deltaText"] as? String }.joined()

        #expect(events.last?["done"] as? Bool == true)
        #expect(events.last?["fullText"] as? String == text)
        #expect(text.contains("日本語, 🚀"))

        let page = try json(try request("GET", "/conversations/\(id)/messages?limit=30"))
        let items = try #require(page["items"] as? [[String: Any]])

        #expect(items.compactMap { $0["text"] as? String } == ["talk", text])
        #expect(items.last?["id"] as? String == events.first?["messageId"] as? String)

        let patched = try json(try request("PATCH", "/conversations/\(id)", #"{"is_pinned":true,"title":"New"}"#))

        #expect(patched["isPinned"] as? Bool == true)
        #expect(patched["title"] as? String == "New")

        let copy = try json(try request("POST", "/conversations/\(id)/duplicate"))

        #expect(copy["isPinned"] as? Bool == false)
        #expect(copy["id"] as? String != id)

        let copied = (copy["messages"] as? [[String: Any]])?.compactMap { $0["id"] as? String } ?? []

        #expect(copied.count == 2)
        #expect(Set(copied).isDisjoint(with: items.compactMap { $0["id"] as? String }))

        let list = try json(try request("GET", "/conversations?limit=10&search=new"))

        #expect((list["items"] as? [[String: Any]])?.contains { $0["id"] as? String == id } == true)

        for id in [id, copy["id"] as? String ?? ""] {
            #expect(try request("DELETE", "/conversations/\(id)").status == 204)
        }

        #expect(try request("GET", "/conversations/\(id)").status == 404)
    }

    @Test func `each rejection has the contract's error format`() throws {
        let fixture = try fixture("1.18.33")
        func error(_ answer: TestResponse) throws -> [String: Any]? { try json(answer)["error"] as? [String: Any] }
        let noKey = try TestClient.request(port: fixture.gateway.port, "GET", "/conversations")

        #expect(noKey.status == 401)
        #expect(try error(noKey)?["code"] as? String == "unauthorized")

        for (method, target, status) in [
            ("PUT", "/conversations", 405), ("GET", "/conversations/nonsense", 400), ("GET", "/conversations/a/b", 404),
            ("GET", "/conversations?project=unknown", 404),
        ] {
            let answer = try fixture.gateway.request(method, target, within: SimulatorFixture.patience)
            #expect(answer.status == status)
            #expect(try Set(error(answer).map { Array($0.keys) } ?? []) == ["code", "message", "details"], "\(target)")
        }
    }

    @Test func `?project=NAME or --chat-project selects one of several projects`() throws {
        let fixture = try fixture("1.18.33")
        try fixture.gateway.makeProject("other")
        // The loops may not know the new folder yet.
        let deadline = ContinuousClock.now + SimulatorFixture.patience
        var received: [[String: Any]] = []
        while received.count < 2, ContinuousClock.now < deadline {
            let chat = try ChatDialogue(fixture.gateway.port)
            defer { chat.close() }
            received = [try chat.receive()]
            if let refusal = try? chat.receive(within: .seconds(2)) { received.append(refusal) }
        }

        #expect(received.types == ["status", "error"])
        #expect((received.last?["content"] as? String)?.contains("?project=NAME") == true)

        let demo = try ChatDialogue(fixture.gateway.port, "/chat?project=demo")
        try demo.send("list_conversations")

        #expect(try demo.receive(upTo: "conversation_list").types == ["status", "conversation_list"])

        let unknown = try TestClient.request(
            port: fixture.gateway.port, "GET", "/chat?project=unknown",
            headers: [GatewayUnderTest.authorization] + ChatDialogue.handshake)

        #expect(unknown.status == 404)

        let chosen = try self.fixture("1.18.33", flags: ["--chat-project", "demo"])
        try chosen.gateway.makeProject("other")

        #expect(try chosen.gateway.request("GET", "/conversations", within: SimulatorFixture.patience).status == 200)
    }

    @Test func `a chat with a new project is accepted at once`() throws {
        let fixture = try fixture("1.18.33")

        for number in 0..<20 {
            let client = try fixture.gateway.connect()
            defer { client.close() }
            try fixture.gateway.whileStopped {
                try fixture.gateway.makeProject("new\(number)")
                try client.send(
                    "GET", "/chat?project=new\(number)",
                    headers: [GatewayUnderTest.authorization] + ChatDialogue.handshake)
            }
            let head = try ResponseReader(client).readHead(within: SimulatorFixture.patience)
            #expect(head.status == 101)
        }
    }

    /// The protocol has no permissions. The tool appears, the answer waits, and another client grants the permission.
    @Test(arguments: ["1.18.33", "2.0.15"])
    func `a chat's answer continues after another client has granted the permission`(version: String) throws {
        let fixture = try fixture(version)
        let chat = try ChatDialogue(fixture.gateway.port)
        try chat.send("user_message", ["conversationId": Self.id, "content": "tools"])
        let asked = try #require(try chat.receive(upTo: "tool_call_start").last?["metadata"] as? [String: Any])

        #expect((asked["input"] as? [String: Any])?.isEmpty == false)
        #expect(asked["serverName"] as? String == "opencode")

        try chat.send("ping")

        #expect(try chat.receive(upTo: "pong").types == ["pong"])

        let isOne = version == "1.18.33"
        let api = "/projects/demo/api"
        var all: [[String: Any]] = []
        // OpenCode shows the tool before it asks for permission.
        let deadline = Deadline(after: SimulatorFixture.patience)
        while all.isEmpty, !deadline.hasPassed {
            let list = try fixture.gateway.request(
                "GET", isOne ? "\(api)/permission" : "\(api)/api/permission/request", within: SimulatorFixture.patience)
            let found = try JSONSerialization.jsonObject(with: Data(list.body))
            all = found as? [[String: Any]] ?? (found as? [String: Any])?["data"] as? [[String: Any]] ?? []
        }
        let one = try #require(all.first)
        let (session, id) = (one["sessionID"] as? String ?? "", one["id"] as? String ?? "")
        let target =
            isOne
            ? "\(api)/session/\(session)/permissions/\(id)" : "\(api)/api/session/\(session)/permission/\(id)/reply"
        let yes = try fixture.gateway.request(
            "POST", target, headers: [("Content-Type", "application/json")],
            body: Array((isOne ? #"{"response":"once"}"# : #"{"decision":"once"}"#).utf8),
            within: SimulatorFixture.patience)

        #expect((200..<300).contains(yes.status))

        let remainder = try chat.receive(upTo: "assistant_done")

        #expect(remainder.first?["type"] as? String == "tool_call_done")
        #expect((remainder.first?["metadata"] as? [String: Any])?["success"] as? Bool == true)
    }

    /// The gateway subscribes to a project for its conversations, but it does not count as a client.
    @Test func `the gateway's own subscription does not count as a subscriber`() throws {
        let fixture = try fixture("1.18.33")
        let chat = try ChatDialogue(fixture.gateway.port)
        try chat.send("user_message", ["conversationId": Self.id, "content": "talk"])
        _ = try chat.receive(upTo: "assistant_done")
        let state = try json(
            try fixture.gateway.request("GET", "/projects/demo/events/state", within: SimulatorFixture.patience))

        #expect(state["subscribers"] as? Int == 0)
        #expect(state["upstream"] as? String == "connected")
    }

    @Test func `an instance that ends ends its answers with an error`() throws {
        let fixture = try fixture("1.18.33")
        let chat = try ChatDialogue(fixture.gateway.port)
        try chat.send("user_message", ["conversationId": Self.id, "content": "long"])
        _ = try chat.receive(upTo: "assistant_chunk")
        _ = try fixture.gateway.request("DELETE", "/projects/demo/stop", within: SimulatorFixture.patience)
        let received = try chat.receive(upTo: "assistant_done")

        #expect(received.types.suffix(2) == ["error", "assistant_done"])
    }

    /// The project's history names the key, as for `POST /projects/NAME/start`.
    @Test func `a project's history names the key whose message or request started it`() throws {
        let chatted = try fixture("1.18.33")
        let chat = try ChatDialogue(chatted.gateway.port)
        try chat.send("list_conversations")
        _ = try chat.receive(upTo: "conversation_list")
        let asked = try fixture("1.18.33")

        #expect(try asked.gateway.request("GET", "/conversations", within: SimulatorFixture.patience).status == 200)

        for fixture in [chatted, asked] {
            let started = try #require(try InstanceHistoryTests.events(fixture.gateway).first)
            #expect(started.event == "started")
            #expect(started.by == "VIBE_AUTH_SECRET")
        }
    }
}
