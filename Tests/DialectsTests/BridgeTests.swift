// SPDX-License-Identifier: Apache-2.0

import JSONText
import Testing

@testable import Dialects

/// Tests OpenCode 1's routes with an OpenCode 2 instance, with the calls and the responses.
@Suite struct BridgeTests {
    static let session = "ses_dfd7cc003ffedCJJ64trOblH2x"

    /// The routes in 1.18.33's document.
    static let documented: [(String, [String])] = {
        let lines = (try? Fixtures.data("", "routes.tsv").split(separator: UInt8(ascii: "\n"))) ?? []
        return lines.compactMap { line in
            let fields = String(decoding: line, as: UTF8.self).split(separator: "\t")
            guard fields.count >= 3, fields[0] == "1.18.33", !fields[2].hasPrefix("/api/") else { return nil }
            return (String(fields[1]), fields[2].split(separator: "/").map(String.init))
        }
    }()

    @Test func `exactly the documented routes of OpenCode 1 are known`() {
        #expect(Self.documented.count > 100)

        for (method, path) in Self.documented { #expect(Bridge.routeKind(method, path) != nil, "\(method) \(path)") }
        for (method, path) in [
            ("GET", ["api", "session"]), ("GET", []), ("GET", ["assets", "x.js"]), ("PUT", ["session"]),
            ("GET", ["session", "a", "b", "c", "d", "e", "f"]), ("GET", ["openapi.json"]),
        ] {
            #expect(Bridge.routeKind(method, path) == nil, "\(method) \(path)")
        }
    }

    @Test(arguments: [
        ("GET", "/find"), ("DELETE", "/session/ses_1/message/msg_1"), ("POST", "/session/ses_1/share"),
        ("PATCH", "/session/ses_1/message/msg_1/part/prt_1"), ("PUT", "/auth/x"), ("POST", "/tui/open-help"),
        ("GET", "/vcs/diff"), ("POST", "/session/ses_1/init"),
    ])
    func `each route without a counterpart is rejected with 501 and an explanation`(_ method: String, _ path: String)
        async throws
    {
        let run = try await BridgeRun(method, path)

        #expect(run.status == 501)
        #expect(run.calls.isEmpty)
        #expect(run.json?["name"] == "UnknownError")
        #expect(run.json?["data"]?["message"]?.text?.contains("OpenCode 2") == true)
    }

    @Test func `exactly the listed routes have a counterpart in OpenCode 2`() {
        let expected = """
            DELETE /pty/{ptyID}
            DELETE /session/{sessionID}
            GET /agent
            GET /command
            GET /config
            GET /config/providers
            GET /event
            GET /experimental/capabilities
            GET /experimental/console
            GET /experimental/resource
            GET /experimental/workspace
            GET /experimental/workspace/adapter
            GET /experimental/workspace/status
            GET /file
            GET /file/content
            GET /file/status
            GET /find/file
            GET /formatter
            GET /global/event
            GET /global/health
            GET /lsp
            GET /mcp
            GET /path
            GET /permission
            GET /project
            GET /project/current
            GET /project/{projectID}/directories
            GET /provider
            GET /provider/auth
            GET /pty
            GET /pty/{ptyID}
            GET /pty/{ptyID}/connect
            GET /question
            GET /session
            GET /session/status
            GET /session/{sessionID}
            GET /session/{sessionID}/children
            GET /session/{sessionID}/diff
            GET /session/{sessionID}/message
            GET /session/{sessionID}/message/{messageID}
            GET /session/{sessionID}/todo
            GET /skill
            GET /vcs
            PATCH /session/{sessionID}
            POST /instance/dispose
            POST /log
            POST /permission/{requestID}/reply
            POST /pty
            POST /pty/{ptyID}/connect-token
            POST /question/{requestID}/reject
            POST /question/{requestID}/reply
            POST /session
            POST /session/{sessionID}/abort
            POST /session/{sessionID}/command
            POST /session/{sessionID}/fork
            POST /session/{sessionID}/message
            POST /session/{sessionID}/permissions/{permissionID}
            POST /session/{sessionID}/prompt_async
            POST /session/{sessionID}/revert
            POST /session/{sessionID}/shell
            POST /session/{sessionID}/summarize
            POST /session/{sessionID}/unrevert
            PUT /pty/{ptyID}
            """

        let handled = BridgeRoute.documented
        var marked: [String] = []
        for line in EmbeddedFiles.routes.split(separator: "\n") where line.first != "#" {
            let words = line.split(separator: " ")
            if words.count == 3 { marked.append("\(words[0]) \(words[1])") }
        }

        #expect(handled.sorted() == expected.split(separator: "\n").map(String.init))
        #expect(marked.sorted() == handled.sorted())
    }

    @Test func `each route is listed once and is in OpenCode 1's document`() {
        let routes = BridgeRoute.all.map(\.route)

        #expect(Set(routes).count == routes.count)
        for route in routes { #expect(OpenCode1Routes.all.contains(route), "\(route)") }
    }

    @Test func `each route with an alternative is a route of OpenCode 1 that is not translated`() {
        let translated = Set(BridgeRoute.all.map(\.route))

        for route in UntranslatedRoutes.alternatives.keys {
            #expect(OpenCode1Routes.all.contains(route), "\(route)")
            #expect(!translated.contains(route), "\(route)")
        }
    }

    @Test func `a route without an alternative is named in the error`() {
        let message = UntranslatedRoutes.message(for: OpenCode1Route(.post, "/sync/start"))

        #expect(message == "OpenCode 2 has no counterpart of POST /sync/start. Use its own routes below /api.")
    }

    @Test func `a path without variable segments takes precedence, and variable segments have their names`() throws {
        let status = try #require(OpenCode1Routes.find("GET", ["session", "status"]))
        let message = try #require(OpenCode1Routes.find("GET", ["session", "a", "message", "b"]))

        #expect(status.route == OpenCode1Route(.get, "/session/status"))
        #expect(message.route == OpenCode1Route(.get, "/session/{sessionID}/message/{messageID}"))
        #expect(message.values.session == "a")
        #expect(message.values["messageID"] == "b")
        #expect(OpenCode1Routes.find("GET", ["session", ""]) == nil)
    }

    /// A handler that reads a segment that is not in its route would stop the test.
    @Test func `every segment that a handler reads is a segment of its route`() async {
        for bridged in BridgeRoute.all {
            guard case .bridge(let handler) = bridged.handling else { continue }
            let names = OpenCode1Route.Pattern(bridged.route.template).names
            let values = PathValues(names: names, values: names.map { _ in "ses_1" })
            let body = Array(#"{"response":"once","reply":"once","answers":[]}"#.utf8)
            _ = try? await handler(
                BridgeRun.bridge()(ScriptedTransport([])), values, ClientRequest("GET", [], directory: "/", body: body))
        }
    }

    @Test(arguments: [
        ("GET", "event", Bridge.RouteKind.eventStream), ("GET", "global/event", .eventStream),
        ("GET", "pty/pty_1/connect", .terminal), ("POST", "pty/pty_1/connect-token", .request),
        ("GET", "session", .request), ("GET", "find", .request),
    ])
    func `the bridge does not handle event streams and the WebSockets of terminals`(
        _ method: String, _ path: String, _ kind: Bridge.RouteKind
    ) {
        #expect(Bridge.routeKind(method, path.split(separator: "/").map(String.init)) == kind)
    }

    @Test(arguments: [
        ("/experimental/capabilities", #"{"backgroundSubagents":false}"#),
        ("/experimental/console", #"{"consoleManagedProviders":[],"switchableOrgCount":0}"#),
        ("/experimental/resource", "{}"), ("/experimental/workspace", "[]"), ("/experimental/workspace/adapter", "[]"),
        ("/experimental/workspace/status", "[]"), ("/formatter", "[]"), ("/lsp", "[]"),
        ("/project/global/directories", "[]"), ("/provider/auth", "{}"),
    ])
    func `a full-screen program's request without an equivalent has an empty response`(_ path: String, _ body: String)
        async throws
    {
        let run = try await BridgeRun("GET", path)

        #expect(run.status == 200)
        #expect(String(decoding: run.body, as: UTF8.self) == body)
    }

    /// All recorded requests of OpenCode 1's clients receive a response, except those of the terminal program.
    @Test func `every recorded request of run --attach and the SDK has a translated route`() throws {
        let routes = BridgeRoute.documented
        var count = 0
        for line in try Fixtures.lines("", "clients.jsonl") {
            let request = JSONParser.parse(line)
            guard let client = request?["client"]?.text, let method = request?["method"]?.text,
                client.contains("run --attach") || client.hasPrefix("@opencode-ai/sdk"),
                let target = request?["target"]?.text
            else { continue }
            let path = target.split(separator: "?")[0].dropFirst("/projects/demo/api".count)
            let segments = path.split(separator: "/").map { $0.hasPrefix("ses_") ? "{sessionID}" : String($0) }
            #expect(routes.contains("\(method) /" + segments.joined(separator: "/")), "\(client): \(method) \(path)")
            count += 1
        }

        #expect(count > 10)
    }

    @Test func `a session is returned in OpenCode 1's format`() async throws {
        let run = try await BridgeRun("GET", "/session/\(Self.session)", replies: [.recorded("session-after-talk")])

        #expect(run.calls == ["GET /api/session/ses_1"])

        let json = try #require(run.json)
        let recorded = try #require(try Fixtures.answer("1.18.33", "session-after-talk")?.object)
        // 2.0.15 has no summary of a session's changes, and an agent only if one was chosen.
        let missing = Set(recorded.members.map(\.name)).subtracting(json.object?.members.map(\.name) ?? [])

        #expect(missing == ["summary", "agent"])
        #expect(try #require(Session(openCode1: json)).json.sorted == json.sorted)
        #expect(json["title"] == "How the parser works")
    }

    @Test func `sessions are listed for the project's directory`() async throws {
        let run = try await BridgeRun(
            "GET", "/session", query: [("limit", "2"), ("search", "par ser"), ("roots", "true")],
            replies: [.recorded("session-search")])

        #expect(
            run.calls == [
                "GET /api/session?directory=%2Fhome%2Fvibe%2Fdemo&limit=2&search=par%20ser&parentID=null&order=desc"
            ])
        #expect(run.json?.array?.count == 2)
    }

    @Test func `a session is created in the project's directory, even without a body`() async throws {
        for body in ["", "{}"] {
            let run = try await BridgeRun("POST", "/session", body: body, replies: [.recorded("session-create-empty")])
            #expect(run.calls == [#"POST /api/session {"location":{"directory":"/home/vibe/demo"}}"#])
            #expect(run.status == 200)
            #expect(run.json?["title"] == "New session - 2026-11-22T09:07:35.969Z")
        }
        let broken = try await BridgeRun("POST", "/session", body: "{not json")

        #expect(broken.status == 400)
        #expect(broken.json == ["_tag": "BadRequest"])

        let child = try await BridgeRun("POST", "/session", body: #"{"parentID":"ses_1"}"#)

        #expect(child.status == 501)
    }

    @Test func `PATCH /session/ID renames the session and returns it`() async throws {
        let run = try await BridgeRun(
            "PATCH", "/session/ses_1", body: #"{"title":"New"}"#,
            replies: [.recorded("session-after-talk"), .recorded("session-rename"), .recorded("session-after-talk")])
        let change = #"PATCH /api/session/ses_1 {"title":"New"}"#

        #expect(run.calls == ["GET /api/session/ses_1", change, "GET /api/session/ses_1"])

        let archive = try await BridgeRun("PATCH", "/session/ses_1", body: #"{"time":{"archived":5}}"#)

        #expect(archive.status == 501)
    }

    @Test func `a missing session yields OpenCode 1's 404, except for an abort`() async throws {
        for (method, path) in [("GET", "/session/ses_doesnotexist"), ("DELETE", "/session/ses_doesnotexist")] {
            let run = try await BridgeRun(method, path, replies: [.recorded("session-missing")])
            #expect(run.status == 404)
            #expect(run.json == (try Fixtures.answer("1.18.33", "session-missing")))
        }
        let abort = try await BridgeRun(
            "POST", "/session/ses_doesnotexist/abort", replies: [.recorded("session-missing")])

        #expect(abort.status == 200)
        #expect(abort.json == true)
    }

    @Test func `an invalid session id yields 400, not a server error`() async throws {
        let run = try await BridgeRun("GET", "/session/nope", replies: [.recorded("session-bad-id")])

        #expect(run.status == 400)
        #expect(run.json?["name"] == "BadRequest")
    }

    @Test func `/session/status lists the busy sessions`() async throws {
        let run = try await BridgeRun(
            "GET", "/session/status",
            replies: [
                .recorded("active-while-asking-tools"), .recorded("session-after-talk"),
                .recorded("messages-after-talk"),
            ])

        #expect(run.json?.object?.members.map(\.value) == [["type": "busy"]])
    }

    /// An answer that OpenCode 2 lists while it waits for the next attempt (`Session.Message.Assistant.Retry` in the
    /// document of 2.0.15), with the values of the recorded event.
    private static let retried = #"""
        {"id":"msg_2","type":"assistant","time":{"created":1},"agent":"build","model":{"id":"m","providerID":"p"},\#
        "content":[],"retry":{"attempt":4,"at":1795338539289,"error":{"type":"provider.rate-limit",\#
        "message":"Rate limit reached","status":429}}}
        """#

    @Test(arguments: [
        (1_795_338_539_288, ""), (1_795_338_539_288, #"{"id":"msg_3","type":"agent-switched"},"#),
    ])
    func `/session/status lists a session that waits for the next attempt`(_ now: Int64, newer: String) async throws {
        let run = try await BridgeRun(
            "GET", "/session/status",
            replies: [
                .recorded("active-retrying"), .recorded("session-after-talk"),
                .says(200, #"{"data":[\#(newer)\#(Self.retried)]}"#),
            ], by: BridgeRun.bridge(now: { now }))

        #expect(run.calls.last == "GET /api/session/ses_1/message?limit=5&order=desc")
        #expect(
            run.json?.object?.members.map(\.value) == [
                ["type": "retry", "attempt": 3, "message": "Rate limit reached", "next": 1_795_338_539_289]
            ])
    }

    @Test(arguments: [
        (1_795_338_539_289, ""), (1_795_338_539_288, #"{"id":"msg_3","type":"user"},"#),
        (1_795_338_539_288, #"{"id":"msg_3","type":"idle"},"#),
    ])
    func `/session/status reports busy when an attempt or a turn has begun`(_ now: Int64, newer: String) async throws {
        let run = try await BridgeRun(
            "GET", "/session/status",
            replies: [
                .recorded("active-retrying"), .recorded("session-after-talk"),
                .says(200, #"{"data":[\#(newer)\#(Self.retried)]}"#),
            ], by: BridgeRun.bridge(now: { now }))

        #expect(run.json?.object?.members.map(\.value) == [["type": "busy"]])
    }

    @Test func `/session/status reads only a session's newest message if the newest five are too large`() async throws {
        let run = try await BridgeRun(
            "GET", "/session/status",
            replies: [
                .recorded("active-retrying"), .recorded("session-after-talk"), .tooLong,
                .says(200, #"{"data":[\#(Self.retried)]}"#),
            ], by: BridgeRun.bridge(now: { 1 }))

        #expect(run.calls.last == "GET /api/session/ses_1/message?limit=1&order=desc")
        #expect(run.json?.object?.members.map { $0.value["type"] } == ["retry"])
    }

    @Test func `/session/status reports busy if the messages cannot be read`() async throws {
        let run = try await BridgeRun(
            "GET", "/session/status",
            replies: [.recorded("active-retrying"), .recorded("session-after-talk"), .empty(500)])

        #expect(run.json?.object?.members.map(\.value) == [["type": "busy"]])
    }

    @Test func `the children of a session are collected from all pages`() async throws {
        let child = #"{"data":[],"cursor":{"previous":null,"next":null}}"#
        let run = try await BridgeRun(
            "GET", "/session/ses_dfd0738baffeeXDGULyP3M9N15/children",
            replies: [.recorded("session-after-talk"), .recorded("session-children"), .says(200, child)])

        #expect(run.calls.count == 3)
        #expect(run.json?.array?.compactMap { $0["title"] } == ["Look around"])
    }

    @Test func `a fork names its message by OpenCode 2's id`() async throws {
        let run = try await BridgeRun(
            "POST", "/session/ses_1/fork", body: #"{"messageID":"msg_a_0000000012"}"#,
            replies: [.recorded("session-after-talk"), .recorded("session-fork")])

        #expect(run.calls.dropFirst() == [#"POST /api/session/ses_1/fork {"before":"msg_a_12"}"#])
        #expect(run.json?["title"] == "Renamed (fork #1)")
    }

    @Test func `revert and unrevert return the session`() async throws {
        let run = try await BridgeRun(
            "POST", "/session/ses_1/revert", body: #"{"messageID":"msg_1"}"#,
            replies: [.recorded("session-after-talk"), .recorded("revert-stage"), .recorded("session-reverted")])

        #expect(run.calls[1] == #"POST /api/session/ses_1/revert/stage {"messageID":"msg_1","files":true}"#)
        #expect(run.json?["revert"]?["messageID"]?.text?.hasPrefix("msg_") == true)

        let back = try await BridgeRun(
            "POST", "/session/ses_1/unrevert",
            replies: [.recorded("session-after-talk"), .recorded("revert-clear"), .recorded("session-after-talk")])

        #expect(back.calls[1] == "DELETE /api/session/ses_1/revert")
        #expect(back.json?["revert"] == nil)
    }

    @Test(arguments: ["todo", "diff"])
    func `each list that OpenCode 2 does not provide is empty`(_ name: String) async throws {
        let run = try await BridgeRun("GET", "/session/ses_1/\(name)", replies: [.recorded("session-after-talk")])

        #expect(run.json == [])
    }

    @Test func `paths, files, projects and file status have OpenCode 1's format`() async throws {
        let path = try await BridgeRun("GET", "/path", replies: [.recorded("location")])

        #expect(path.json?.sorted == (try Fixtures.answer("1.18.33", "path"))?.sorted)

        let files = try await BridgeRun("GET", "/file", query: [("path", ".")], replies: [.recorded("fs-list")])
        let recorded = try #require(try Fixtures.answer("1.18.33", "files")?.array)

        #expect(files.json?.array?.first?.sorted == recorded.first?.sorted)

        let found = try await BridgeRun(
            "GET", "/find/file", query: [("query", "READ")], replies: [.recorded("fs-find")])

        #expect(found.json == (try Fixtures.answer("1.18.33", "find-file")))

        let project = try await BridgeRun(
            "GET", "/project/current", replies: [.recorded("location"), .recorded("projects")])
        let expected = try #require(try Fixtures.answer("1.18.33", "project-current")?.object)

        #expect(project.json?.object?.members.map(\.name).sorted() == expected.members.map(\.name).sorted())

        let status = try await BridgeRun("GET", "/file/status", replies: [.recorded("vcs-status")])
        let file: JSON = ["path": "big.txt", "added": 100000, "removed": 0, "status": "added"]

        #expect(status.json == [file])
    }

    @Test func `file content is trimmed, binary content is base64 and a missing file is empty`() async throws {
        let run = try await BridgeRun(
            "GET", "/file/content", query: [("path", "a b/README.md")], replies: [.says(200, "# demo\n")])

        #expect(run.calls == ["GET /api/fs/read/a%20b/README.md?location%5Bdirectory%5D=%2Fhome%2Fvibe%2Fdemo"])
        #expect(run.json == (try Fixtures.answer("1.18.33", "file-content")))

        let missing = try await BridgeRun("GET", "/file/content", query: [("path", "no")], replies: [.empty(404)])

        #expect(missing.status == 200)
        #expect(missing.json == ["type": "text", "content": ""])

        for path in ["../x", "/etc/hostname", "a/../../x"] {
            let outside = try await BridgeRun("GET", "/file/content", query: [("path", path)])
            #expect(outside.status == 400)
            #expect(outside.calls.isEmpty)
        }
        let binary = try await BridgeRun("GET", "/file/content", query: [("path", "b")], replies: [.says(200, "a\0b")])

        #expect(binary.json?["content"] == "YQBi")
        #expect(binary.json?["encoding"] == "base64")
    }

    @Test func `config, commands, health and providers have OpenCode 1's format and no secrets`() async throws {
        let config = try await BridgeRun("GET", "/config", replies: [.recorded("config")])

        #expect(config.json?["model"] == "mock/talk")
        #expect(config.json?["autoupdate"] == false)
        #expect(config.json?["permission"] == ["bash": "ask"])
        #expect(config.json?["provider"]?["mock"]?["npm"] == "@ai-sdk/openai-compatible")
        #expect(!String(decoding: config.body, as: UTF8.self).contains("not-a-secret"))

        let commands = try await BridgeRun("GET", "/command", replies: [.recorded("commands")])

        #expect(commands.json?.array?.compactMap { $0["name"] } == ["init", "review"])

        let health = try await BridgeRun("GET", "/global/health")

        #expect(health.json == ["healthy": true, "version": "2.0.15"])

        let model =
            #"""
            {"data":[{"id":"talk","modelID":"talk","providerID":"mock","name":"Talk","capabilities":{\#
            "tools":true,"input":["text","image"],"output":["text"]},"variants":[],"time":{"released":0},\#
            "cost":[{"input":1.5,"output":2,"cache":{"read":0,"write":0}}],"status":"active","enabled":true,\#
            "limit":{"context":8,"output":4}}]}
            """#
        let provider =
            #"""
            {"data":[{"id":"mock","name":"Mock","activation":"auto","package":"aisdk:@ai-sdk/x","settings":{\#
            "apiKey":"secret","baseURL":"http://h"}}]}
            """#
        let providers = try await BridgeRun(
            "GET", "/config/providers",
            replies: [
                .says(200, provider), .says(200, model), .says(200, #"{"data":{"id":"talk","providerID":"mock"}}"#),
            ])
        let reported = try #require(providers.json?["providers"]?.array?.first?["models"]?["talk"])

        #expect(providers.json?["default"] == ["mock": "talk"])
        #expect(reported["capabilities"]?["attachment"] == true)
        #expect(reported["cost"]?["input"]?.shown == "1.5")
        #expect(reported["api"]?["npm"] == "@ai-sdk/x")
        #expect(reported["release_date"] == "1970-01-01")
        #expect(!String(decoding: providers.body, as: UTF8.self).contains("secret"))
    }

    @Test func `the responses for terminals are unwrapped`() async throws {
        let made = try await BridgeRun(
            "POST", "/pty", body: #"{"command":"/bin/sh"}"#, replies: [.recorded("pty-create")])

        #expect(made.json?["command"] == "/bin/sh")

        let gone = try await BridgeRun("DELETE", "/pty/pty_1", replies: [.recorded("pty-delete")])

        #expect(gone.json == true)
    }
}
