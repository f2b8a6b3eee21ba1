// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests that each action of a client leaves exactly one entry in the audit log.
@Suite(.onTestThreads) struct AuditActionTests {
    /// A text that no entry may contain.
    private static let marker = "secret-text-0123456789"

    /// A client of OpenCode 1 with a key of its own.
    private struct Client {
        let fixture: BridgeFixture
        let key: NamedKey

        init(_ profile: String) throws {
            fixture = try BridgeFixture(flags: AuditLine.flags, profile: profile)
            key = try fixture.gateway.createKey("phone", #""allow":"run""#)
        }

        @discardableResult
        func request(_ method: String, _ path: String, _ body: String? = nil) throws -> TestResponse {
            let response = try TestClient.request(
                port: fixture.gateway.port, method, "/projects/demo/api\(path)",
                headers: [key.authorization] + (body == nil ? [] : [("Content-Type", "application/json")]),
                body: body.map { Array($0.utf8) }, within: SimulatorFixture.patience)
            guard response.status < 300 else { throw TestFailure("\(path): \(response.status) \(response.text)") }
            return response
        }

        /// Sends a prompt, and returns the id of the request that its model makes.
        func prompt(_ model: String, pending path: String) throws -> String {
            let session = try #require(try request("POST", "/session", "{}").json["id"]?.text)
            try request(
                "POST", "/session/\(session)/prompt_async?note=\(AuditActionTests.marker)",
                BridgeFixture.prompt(AuditActionTests.marker, model: model))
            let pending = try fixture.wait(path) { $0.elements?.isEmpty == false }
            return try #require(pending.elements?.first?["id"]?.text)
        }

        func waitForEnd() throws { _ = try fixture.wait("/session/status") { $0 == [:] } }
    }

    /// The requests of OpenCode 1's API are translated for OpenCode 2.0.15.
    @Test(arguments: ["1.18.33", "2.0.15"])
    func `prompts, replies and aborts are recorded with their choice and without their text`(version: String) throws {
        let client = try Client(version)
        let gateway = client.fixture.gateway
        for choice in ["once", "reject", "always"] {
            let permission = try client.prompt("tools", pending: "/permission")
            try client.request("POST", "/permission/\(permission)/reply", #"{"reply":"\#(choice)"}"#)
            try client.waitForEnd()
        }
        let answered = try client.prompt("question", pending: "/question")
        try client.request("POST", "/question/\(answered)/reply", #"{"answers":[["\#(Self.marker)"]]}"#)
        try client.waitForEnd()
        let rejected = try client.prompt("question", pending: "/question")
        try client.request("POST", "/question/\(rejected)/reject")
        try client.waitForEnd()
        let session = try #require(try client.request("POST", "/session", "{}").json["id"]?.text)
        try client.request("POST", "/session/\(session)/abort")
        let all = try gateway.audit("key=phone&limit=1000", count: 13)
        // The first use is recorded up to a second later.
        let lines = all.filter { !["key_created", "key_first_used"].contains($0.action) }
        let prompt = "phone 127.0.0.1 demo prompt - 204"

        #expect(all.count == 13)
        #expect(
            lines.map(\.summary) == [
                prompt, "phone 127.0.0.1 demo permission once 200", prompt,
                "phone 127.0.0.1 demo permission reject 200", prompt, "phone 127.0.0.1 demo permission always 200",
                prompt, "phone 127.0.0.1 demo question answered 200", prompt,
                "phone 127.0.0.1 demo question rejected 200", "phone 127.0.0.1 demo abort - 200",
            ])
        for line in lines where ["permission", "question"].contains(line.action) {
            guard case .integer(let waited)? = line.json["waited_ms"] else {
                Issue.record("the entry does not contain the time: \(line.json)")
                continue
            }
            #expect((0..<60_000).contains(waited))
        }
        let files = String(decoding: gateway.auditFiles(), as: UTF8.self)

        #expect(files.contains("prompt_async"))
        #expect(!files.contains(Self.marker))
        #expect(!lines.map { "\($0.json)" }.joined().contains(Self.marker))
    }

    @Test func `starts and stops are recorded, and reads are not`() throws {
        let instance = try FakeOpenCode().start { connection, _ in try connection.respond(200, text: "{}") }
        let gateway = try GatewayUnderTest(flags: AuditLine.flags)
        try gateway.prepare(instance)
        for (method, path) in [
            ("POST", "start"), ("GET", "status"), ("GET", "api/session"), ("HEAD", "api/session"),
            ("GET", "api/pty/pty_1/connect"), ("GET", "api/session/ses_1/message"), ("POST", "api/session"),
            ("DELETE", "stop"), ("POST", "api/session/ses_1/message"),
        ] {
            _ = try gateway.request(method, "/projects/demo/\(path)")
        }

        #expect(
            try gateway.audit(count: 3).map(\.routed) == [
                "start POST /projects/{name}/start 200", "stop DELETE /projects/{name}/stop 200",
                "prompt POST /session/{sessionID}/message 503",
            ])
        #expect(try gateway.audit().allSatisfy { $0["project"] == "demo" && $0["key"] == "VIBE_AUTH_SECRET" })
    }

    @Test func `the actions of both families are recorded, in any spelling`() throws {
        let instance = try FakeOpenCode().start { connection, head in
            if head.path.hasSuffix("/connect") { return try connection.acceptWebSocket() }
            _ = try connection.readBody(of: head)
            try connection.respond(200, text: "{}")
        }
        let gateway = try GatewayUnderTest(flags: AuditLine.flags)
        try gateway.start(instance)
        let requests = [
            ("POST", "/session/ses_1/shell", "shell POST /session/{sessionID}/shell"),
            ("POST", "/session//ses_1/%73hell?a=b", "shell POST /session/{sessionID}/shell"),
            ("POST", "/SESSION/ses_1/shell", "unknown -"), ("POST", "/unknown/path", "unknown -"),
            ("POST", "/pty", "terminal POST /pty"), ("POST", "/instance/dispose", "restart POST /instance/dispose"),
            ("POST", "/session/ses_1/command", "prompt POST /session/{sessionID}/command"),
            ("POST", "/api/session/ses_1/prompt", "prompt POST /api/session/{sessionID}/prompt"),
            ("POST", "/api/session/ses_1/interrupt", "abort POST /api/session/{sessionID}/interrupt"),
            ("POST", "/api/shell", "shell POST /api/shell"),
        ]
        for (method, path, _) in requests {
            #expect(try gateway.request(method, "/projects/demo/api\(path)", body: []).status == 200)
        }
        var terminals: [TestConnection] = []
        for path in ["/pty/pty_1/connect?ticket=x", "/api/pty/pty_1/connect"] {
            let connection = try gateway.connect()
            try connection.send(
                "GET", "/projects/demo/api\(path)",
                headers: [GatewayUnderTest.authorization] + TestConnection.webSocketUpgrade)
            #expect(try ResponseReader(connection).readHead().status == 101)
            terminals.append(connection)
        }
        let expected =
            ["start POST /projects/{name}/start 200"] + requests.map { "\($0.2) 200" }
            + ["terminal GET /pty/{ptyID}/connect 101", "terminal GET /api/pty/{ptyID}/connect 101"]

        // The terminals are still open.
        #expect(try gateway.audit(count: expected.count).map(\.routed) == expected)

        for terminal in terminals { terminal.close() }
        _ = try gateway.request("POST", "/projects/demo/api/api/shell", body: [])

        #expect(try gateway.audit(count: expected.count + 1).map(\.routed) == expected + ["shell POST /api/shell 200"])
    }

    @Test(arguments: [
        ("/session/ses_1/permissions/per_1", #"{"response":"always"}"#, "always"),
        ("/api/session/ses_1/permission/per_1/reply", #"{"decision":"reject"}"#, "reject"),
        ("/permission/per_1/reply", #"{"reply":"once","reply":"always"}"#, nil),
        ("/permission/per_1/reply", "no JSON", nil),
        ("/permission/per_1/reply", #"{"reply":"\#(marker)"}"#, nil),
        ("/permission/per_1/reply", #"{"reply":"once"}"# + String(repeating: " ", count: 100_000), nil),
    ])
    func `an unreadable choice is recorded without a choice and not refused`(
        path: String, body: String, choice: String?
    ) throws {
        let instance = try FakeOpenCode().start { connection, head in
            _ = try connection.readBody(of: head)
            try connection.respond(200, text: "true")
        }
        let gateway = try GatewayUnderTest(flags: AuditLine.flags)
        try gateway.start(instance)
        let response = try gateway.request("POST", "/projects/demo/api\(path)", body: Array(body.utf8))
        let line = try #require(try gateway.audit(count: 2).last)

        #expect(response.text == "true")
        #expect(line.action == "permission")
        #expect(line["choice"] == choice)
        // The id has another form, so the time is unknown.
        #expect(line.json["waited_ms"] == .null)
    }

    @Test func `the reply of a key that is examined is recorded with its choice`() throws {
        let instance = try FakeOpenCode().start { connection, head in
            _ = try connection.readBody(of: head)
            try connection.respond(200, text: "true")
        }
        let gateway = try GatewayUnderTest(flags: AuditLine.flags)
        try gateway.start(instance)
        let key = try gateway.createKey("watch", #""allow":"answer""#)
        for reply in ["once", "always"] {
            _ = try gateway.json(
                "POST", "/projects/demo/api/permission/per_1/reply", #"{"reply":"\#(reply)"}"#, key: key)
        }

        #expect(
            try gateway.audit("key=watch&project=demo", count: 2).map(\.summary) == [
                "watch 127.0.0.1 demo permission once 200", "watch 127.0.0.1 demo refused - 403",
            ])
    }

    @Test func `an action without a response is recorded`() throws {
        let received = Recorded<String>()
        let instance = try FakeOpenCode().start { connection, head in
            received.append(String(head.path))
            _ = try connection.readUntilEnd(within: .seconds(60))
        }
        let gateway = try GatewayUnderTest(flags: AuditLine.flags)
        try gateway.start(instance)
        let connection = try gateway.connect()
        try connection.send(
            "POST", "/projects/demo/api/session/ses_1/message",
            headers: [GatewayUnderTest.authorization, ("Content-Length", "0")])
        // The instance has received the request.
        try received.wait(within: .seconds(20)) { !$0.isEmpty }
        connection.close()

        #expect(try gateway.audit(count: 2).last?["result"] == "no response")
    }
}
