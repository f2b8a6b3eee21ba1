// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests keys that are limited to some projects.
@Suite(.onTestThreads) struct ProjectKeyTests {
    private static let key = #""projects":["mine"]"#

    /// A gateway with the projects `mine` and `other`. Both instances know the session `ses_mine` of the first project
    /// and the session `ses_other` of the second one, because all servers of a user share one database.
    private struct Fixture {
        let gateway: GatewayUnderTest
        let requests = Recorded<ReceivedRequest>()
        let instances: [FakeOpenCode.Server]

        init(flags: [String] = [], environment: [String: String] = [:]) throws {
            let gateway = try GatewayUnderTest(flags: flags, environment: environment)
            self.gateway = gateway
            let requests = requests
            let home = gateway.home.path
            instances = try ["mine", "other"].map { project in
                let server = try FakeOpenCode().start { connection, head in
                    let request = try connection.readBody(of: head)
                    requests.append(request)
                    let path = String(head.path)
                    let own = ["ses_mine": "mine", "ses_other": "other"].first { path.contains($0.key) }?.value
                    switch path {
                    case "/session/ses_mine", "/session/ses_other":
                        try connection.respond(
                            json: #"{"id":"\#(path.dropFirst(9))","directory":"\#(home)/\#(own ?? "")"}"#)
                    case _ where path.hasPrefix("/session/ses_unknown"):
                        try connection.respond(404, headers: [], text: #"{"name":"NotFoundError"}"#)
                    case "/project":
                        try connection.respond(
                            json: #"[{"id":"a","worktree":"\#(home)/mine"},{"id":"b","worktree":"\#(home)/other"}]"#)
                    case "/experimental/session",
                        "/session" where head.method == "GET":
                        try connection.respond(
                            json:
                                #"[{"id":"ses_mine","directory":"\#(home)/mine"},{"id":"ses_other","directory":"\#(home)/other"}]"#
                        )
                    default: try connection.respond(json: "{}")
                    }
                }
                try gateway.start(server, as: project)
                return server
            }
        }
    }

    @Test func `other projects are unknown`() throws {
        let fixture = try Fixture()
        let gateway = fixture.gateway
        let key = try gateway.createKey("phone", Self.key, #""allow":"run""#)
        let list = try gateway.request("GET", "/projects", key: key).json.elements ?? []

        #expect(list.compactMap { $0["name"]?.text } == ["mine"])

        for (method, path) in [
            ("POST", "start"), ("DELETE", "stop"), ("GET", "status"), ("GET", "history"), ("GET", "events"),
            ("GET", "events/state"), ("GET", "api/config"), ("GET", "api/session/ses_other"),
        ] {
            let other = try gateway.request(method, "/projects/other/\(path)", key: key)
            let unknown = try gateway.request(method, "/projects/none/\(path)", key: key)
            #expect(other.status == 404, "\(path)")
            #expect(other.text == unknown.text.replacing("none", with: "other"), "\(path)")
        }

        #expect(try gateway.request("GET", "/projects/mine/status", key: key).status == 200)
    }

    @Test(arguments: [
        "/session/ses_other", "/session/ses_other/message", "/session/%73es_other", "//session/ses_other",
        "/SESSION/ses_other/message",
    ])
    func `a session of another project is unknown in any spelling`(path: String) throws {
        let fixture = try Fixture()
        let key = try fixture.gateway.createKey("phone", Self.key, #""allow":"run""#)
        let count = fixture.requests.values.count { $0.target == path }
        let response = try fixture.gateway.request("GET", "/projects/mine/api\(path)", key: key)

        #expect(response.status == 404)
        #expect(response.json["detail"]?.text?.hasPrefix("Session not found in project mine: ") == true)
        // Only the gateway's own query has reached the instance.
        if !path.contains("/session/ses_other") || path.contains("message") {
            #expect(fixture.requests.values.count { $0.target == path } == count)
        }
        // A key for all projects sees what OpenCode returns.
        #expect(try fixture.gateway.request("GET", "/projects/mine/api\(path)").status == 200)
    }

    @Test func `an own session is served, and an unknown one gets the instance's own 404`() throws {
        let fixture = try Fixture()
        let key = try fixture.gateway.createKey("phone", Self.key)

        #expect(try fixture.gateway.request("GET", "/projects/mine/api/session/ses_mine", key: key).status == 200)
        #expect(
            try fixture.gateway.request("GET", "/projects/mine/api/session/ses_mine/message", key: key).status == 200)

        let unknown = try fixture.gateway.request("GET", "/projects/mine/api/session/ses_unknown", key: key)

        #expect(unknown.status == 404)
        #expect(unknown.text == #"{"name":"NotFoundError"}"#)
    }

    @Test(arguments: [
        ("POST", "/session", #"{"parentID":"ses_other"}"#, 404), ("POST", "/session", #"{"parentID":"ses_mine"}"#, 200),
        ("POST", "/session", #"{"title":"a"}"#, 200), ("POST", "/session", "", 200),
        ("POST", "/session", #"{"workspaceID":"wrk_1"}"#, 403),
        ("POST", "/session", #"{"parentID":"ses_mine","parentID":"ses_other"}"#, 403), ("POST", "/session", "{", 403),
        ("POST", "/pty", #"{"cwd":"/etc"}"#, 403), ("POST", "/pty", #"{"cwd":"src"}"#, 200),
    ])
    func `a body that names something of another project is refused`(
        method: String, path: String, body: String, status: Int
    ) throws {
        let fixture = try Fixture()
        let key = try fixture.gateway.createKey("phone", Self.key, #""allow":"run""#)
        let before = fixture.requests.values.count { $0.method == method && $0.target == path }
        let response = try fixture.gateway.json(method, "/projects/mine/api\(path)", body, key: key)

        #expect(response.status == status, "\(response.text)")

        let after = fixture.requests.values.filter { $0.method == method && $0.target == path }

        #expect(after.count - before == (status == 200 ? 1 : 0))
        if status == 200 { #expect(after.last?.text == body) }
    }

    @Test func `compressed and large bodies are refused`() throws {
        let fixture = try Fixture()
        let key = try fixture.gateway.createKey("phone", Self.key)
        let compressed = try TestClient.request(
            port: fixture.gateway.port, "POST", "/projects/mine/api/session",
            headers: [key.authorization, ("Content-Type", "application/json"), ("Content-Encoding", "gzip")],
            body: Array("{}".utf8))
        let large = try fixture.gateway.json(
            "POST", "/projects/mine/api/session", #"{"title":"\#(String(repeating: "a", count: 1 << 20))"}"#, key: key)

        #expect(compressed.status == 403)
        #expect(large.status == 413)
    }

    @Test func `OpenCode's lists contain only the key's projects`() throws {
        let fixture = try Fixture()
        let key = try fixture.gateway.createKey("phone", Self.key)
        for path in ["/project", "/experimental/session", "/session"] {
            let target = "/projects/mine/api\(path)"
            let whole = try fixture.gateway.request("GET", target)
            let filtered = try fixture.gateway.request("GET", target, key: key)
            #expect(whole.json.elements?.count == 2)
            #expect(filtered.status == 200)
            #expect(filtered.json.elements?.count == 1)
            #expect(filtered.text.contains("/mine\""))
            #expect(!filtered.text.contains("other"))
        }
        let both = try fixture.gateway.createKey("both", #""projects":["mine","other"]"#)

        #expect(try fixture.gateway.request("GET", "/projects/mine/api/project", key: both).json.elements?.count == 2)
    }

    @Test(arguments: ["/file?path=/etc", "/session?directory=/etc", "/config?workspace=wrk_1"])
    func `a query that names something outside the project is refused`(path: String) throws {
        let fixture = try Fixture()
        let key = try fixture.gateway.createKey("phone", Self.key)

        #expect(try fixture.gateway.request("GET", "/projects/mine/api\(path)", key: key).status == 403)
    }

    @Test func `a workspace in a field is refused`() throws {
        let fixture = try Fixture()
        let key = try fixture.gateway.createKey("phone", Self.key)
        let response = try TestClient.request(
            port: fixture.gateway.port, "GET", "/projects/mine/api/config",
            headers: [key.authorization, ("X-OpenCode-Workspace", "wrk_1")])

        #expect(response.status == 403)
        #expect(response.json["detail"]?.text?.hasPrefix("This key cannot name workspaces.") == true)
    }

    @Test func `a stream ends when its key becomes limited to projects`() throws {
        let fixture = try HubFixture()
        let key = try fixture.gateway.createKey("phone")
        let stream = try StreamClient(fixture.gateway, "/projects/demo/api/event", key: key)
        try stream.connected()

        #expect(
            try fixture.gateway.json("PATCH", "/-/keys/\(key.id)", #"{"projects":["demo"]}"#).status == 200)
        #expect(try stream.endsAbnormally())
    }

    @Test func `a key below the scope write starts no project by reading conversations`() throws {
        let instance = try FakeOpenCode().start { connection, _ in try connection.respond(json: "[]") }
        let gateway = try GatewayUnderTest(environment: ["VIBE_EVENT_HUB": "on"])
        try gateway.prepare(instance)
        let reader = try gateway.createKey("reader", #""allow":"read""#)
        let response = try gateway.request("GET", "/conversations?project=demo", key: reader)

        #expect(response.status == 503)
        #expect(try gateway.request("GET", "/projects/demo/status").json["state"]?.text == "stopped")
    }

    @Test func `without directory pinning, keys for some projects reach no instance`() throws {
        let fixture = try Fixture(flags: ["--no-directory-pinning"])
        let key = try fixture.gateway.createKey("phone", Self.key)
        let response = try fixture.gateway.request("GET", "/projects/mine/api/config", key: key)

        #expect(response.status == 403)
        #expect(response.json["detail"]?.text?.contains("--directory-pinning on") == true)
        #expect(try fixture.gateway.request("GET", "/projects/mine/status", key: key).status == 200)
    }

    @Test func `an administrator for some projects manages only keys of these projects`() throws {
        let gateway = try GatewayUnderTest()
        let administrator = try gateway.createKey("administrator", #""projects":["a","b"],"allow":"admin""#)
        let foreign = try gateway.createKey("foreign", #""projects":["c"]"#)
        let wide = try gateway.createKey("wide")
        let own = try gateway.json("POST", "/-/keys", #"{"name":"own","projects":["a"]}"#, key: administrator)

        #expect(own.status == 201)

        let list = try gateway.request("GET", "/-/keys", key: administrator).json["keys"]?.elements ?? []

        #expect(list.compactMap { $0["name"]?.text } == ["administrator", "own"])

        for key in [foreign, wide] {
            let target = "/-/keys/\(key.id)"
            #expect(try gateway.request("GET", target, key: administrator).status == 404)
            #expect(try gateway.request("DELETE", target, key: administrator).status == 404)
            #expect(try gateway.request("POST", "\(target)/rotate", key: administrator).status == 404)
            #expect(try gateway.json("PATCH", target, "{}", key: administrator).status == 404)
        }
        for body in [#"{"name":"x"}"#, #"{"name":"x","projects":["a","c"]}"#] {
            #expect(try gateway.json("POST", "/-/keys", body, key: administrator).status == 403)
        }
        let id = try #require(own.json["id"]?.text)

        #expect(
            try gateway.json("PATCH", "/-/keys/\(id)", #"{"projects":null}"#, key: administrator).status == 403)
        #expect(
            try gateway.json("PATCH", "/-/keys/\(id)", #"{"projects":["b","c"]}"#, key: administrator).status == 403)
    }

    // MARK: Events, chats and conversations

    @Test func `the stream of all events contains only the key's projects`() throws {
        let instances = try (0..<2).map { _ in try FakeOpenCode(version: "fake").events().start() }
        let gateway = try GatewayUnderTest(environment: ["VIBE_EVENT_HUB": "on"])
        for (instance, project) in zip(instances, ["mine", "other"]) {
            try gateway.start(instance, as: project)
            try instance.events.openings.wait(forCount: 1)
        }
        let key = try gateway.createKey("phone", Self.key)
        let stream = try StreamClient(gateway, "/events", key: key)
        defer { stream.close() }
        let all = try StreamClient(gateway, "/events")
        defer { all.close() }
        // The streams have begun before the events.
        for stream in [stream, all] { _ = try stream.next() }
        for (number, project) in [(1, "other"), (2, "mine"), (3, "other"), (4, "mine")] {
            let payload = HubFixture.payload(number)
            let instance = instances[project == "mine" ? 0 : 1]
            instance.events.send(
                "data: {\"directory\":\"\(gateway.home.path)/\(project)\",\"payload\":\(payload)}\n\n")
            #expect(try all.nextEvent()?.number == number)
        }

        #expect(try stream.nextEvent()?.number == 2)
        #expect(try stream.nextEvent()?.number == 4)

        let page = try gateway.request("GET", "/events?wait=0&since=2000-01-01T00:00:00Z", key: key)

        #expect(page.json["events"]?.elements?.count == 2)
        #expect(!page.text.contains("other"))
    }

    @Test func `a chat and the conversations of another project are unknown`() throws {
        let gateway = try GatewayUnderTest(environment: ["VIBE_EVENT_HUB": "on"])
        for project in ["mine", "other"] { try gateway.makeProject(project) }
        let key = try gateway.createKey("phone", Self.key)
        for target in ["/conversations?project=other", "/models?project=other"] {
            let response = try gateway.request("GET", target, key: key)
            #expect(response.status == 404)
            #expect(response.text.contains("Project not found: other"))
        }
        let connection = try gateway.connect()
        try connection.send(
            "GET", "/chat?project=other", headers: [key.authorization] + TestConnection.webSocketUpgrade)

        #expect(try ResponseReader(connection).readHead().status == 404)

        // Without a name, the only project of the key is meant.
        let own = try gateway.connect()
        try own.send("GET", "/chat", headers: [key.authorization] + TestConnection.webSocketUpgrade)

        #expect(try ResponseReader(own).readHead().status == 101)
    }
}
