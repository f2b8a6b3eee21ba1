// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

@Suite("OpenCode 1's routes in front of an OpenCode 2", .onTestThreads)
struct BridgeRouteTests {
    private static let browser = [("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")]

    @Test func `a session is created, listed, renamed and deleted`() throws {
        let fixture = try BridgeFixture()
        let made = try fixture.request("POST", "/session", #"{"title":"First"}"#)

        #expect(made.status == 200)
        #expect(made.value(of: "Content-Type") == "application/json")

        let id = try #require(made.json["id"]?.text)

        #expect(made.json["directory"]?.text == fixture.folder)
        #expect(made.json["version"] == "2.0.15")
        #expect(made.json["slug"]?.text?.isEmpty == false)

        // The Python client sends an empty body as JSON.
        let unnamed = try fixture.request("POST", "/session", "")

        #expect(unnamed.json["title"]?.text?.hasPrefix("New session - ") == true, "\(unnamed.text)")

        let listed = try fixture.request("GET", "/session").json.elements

        #expect(Set((listed ?? []).compactMap { $0["id"]?.text }) == [id, unnamed.json["id"]?.text ?? ""])
        #expect(try fixture.request("GET", "/session?limit=1").json.elements?.count == 1)
        #expect(try fixture.request("GET", "/session?limit=0").json == [])
        #expect(try fixture.request("PATCH", "/session/\(id)", #"{"title":"Second"}"#).json["title"] == "Second")
        #expect(try fixture.request("GET", "/session/\(id)").json["title"] == "Second")
        #expect(
            try fixture.request("GET", "/session?search=Second").json.elements?.compactMap { $0["id"]?.text } == [id])

        let head = try fixture.request("HEAD", "/session/\(id)")

        #expect(head.status == 200)
        #expect(head.body.isEmpty)
        #expect(try fixture.request("DELETE", "/session/\(id)").text == "true")
        #expect(try fixture.request("GET", "/session/\(id)").status == 404)
    }

    @Test func `OpenCode 1's routes for settings, agents and files return the instance's data`() throws {
        let fixture = try BridgeFixture()
        _ = try fixture.gateway.home.write("  hello\n", to: "demo/README.md")

        #expect(try fixture.request("GET", "/global/health").text == #"{"healthy":true,"version":"2.0.15"}"#)
        #expect(try fixture.request("GET", "/config").json["model"]?.text?.contains("/") == true)

        let providers = try fixture.request("GET", "/config/providers").json

        #expect(providers["providers"]?.elements?.first?["models"]?["talk"]?["id"] == "talk")
        #expect(try fixture.request("GET", "/provider").json["connected"]?.elements?.isEmpty == false)
        #expect(try fixture.request("GET", "/agent").json.elements?.contains { $0["name"] == "build" } == true)
        #expect(try fixture.request("GET", "/command").json.elements?.contains { $0["name"] == "init" } == true)
        #expect(try fixture.request("GET", "/skill").json.elements?.isEmpty == false)
        #expect(try fixture.request("GET", "/mcp").json == [:])
        #expect(try fixture.request("GET", "/path").json["directory"]?.text == fixture.folder)
        #expect(try fixture.request("GET", "/project/current").json["id"]?.text?.isEmpty == false)
        #expect(try fixture.request("GET", "/vcs").status == 200)

        let files = try fixture.request("GET", "/file?path=.").json.elements

        #expect(files?.contains { $0["absolute"]?.text == "\(fixture.folder)/README.md" } == true)
        #expect(
            try fixture.request("GET", "/file/content?path=README.md").json == ["type": "text", "content": "hello"])
        #expect(try fixture.request("GET", "/file/content?path=none").json == ["type": "text", "content": ""])
        #expect(try fixture.request("GET", "/find/file?query=READ").json == ["README.md"])
        #expect(try fixture.request("GET", "/file/status").json.elements != nil)
        #expect(try fixture.request("POST", "/log", #"{"service":"x","level":"info","message":"m"}"#).text == "true")
        #expect(try fixture.request("POST", "/instance/dispose").text == "true")
        #expect(try fixture.request("GET", "/session/status").json == [:])

        let document = try fixture.request("GET", "/doc").json

        #expect(document["paths"]?["/session/{sessionID}"]?["get"] != nil)
        #expect(document["paths"]?["/find"] == nil)
    }

    @Test func `OpenCode 2 responds to all other paths and to every browser`() throws {
        let fixture = try BridgeFixture()
        let id = try fixture.session()

        #expect(try fixture.request("GET", "/api/session/\(id)").json["data"]?["id"]?.text == id)

        for path in ["/", "/no/such/path", "/session/", "//session"] {
            #expect(try fixture.request("GET", path).text.hasPrefix("<!doctype html>"), "\(path)")
        }
        for path in ["/session", "/session/\(id)", "/mcp"] {
            let page = try fixture.request("GET", path, headers: Self.browser)
            #expect(page.status == 200, "\(path)")
            #expect(page.text.hasPrefix("<!doctype html>"), "\(path)")
        }
        // A program's `Accept` field does not prefer a web page to JSON.
        for types in ["*/*", "application/json", "application/json, text/html;q=0.5", "text/html;q=0.2, */*;q=0.9"] {
            #expect(try fixture.request("GET", "/session/\(id)", headers: [("Accept", types)]).json["id"]?.text == id)
        }
    }

    @Test func `every request is forwarded without translation when --opencode1-compat is off`() throws {
        let fixture = try BridgeFixture(flags: ["--opencode1-compat", "off"])

        #expect(try fixture.request("GET", "/session").text.hasPrefix("<!doctype html>"))
        #expect(try fixture.request("POST", "/session", "{}").status == 405)
        #expect(try fixture.request("GET", "/event?hub=0").text.hasPrefix("<!doctype html>"))
    }

    @Test func `requests to an OpenCode 1 instance are not translated`() throws {
        let fixture = try BridgeFixture(profile: "1.18.33")
        let id = try fixture.session()

        #expect(try fixture.request("GET", "/session/\(id)").json["version"] == "1.18.33")
        #expect(try fixture.request("GET", "/find?pattern=x").status != 501)
    }

    @Test func `each rejection has OpenCode 1's format`() throws {
        let fixture = try BridgeFixture()
        let id = try fixture.session()
        let missing = try fixture.request("GET", "/session/ses_none")

        #expect(missing.status == 404)
        #expect(missing.json["name"] == "NotFoundError")
        #expect(missing.json["data"]?["message"] == "Session not found: ses_none")
        #expect(missing.value(of: "X-Request-Id") != nil)

        let wrong = try fixture.request("POST", "/session", "{nope")

        #expect(wrong.status == 400)
        #expect(wrong.json == ["_tag": "BadRequest"])

        for (method, path) in [("PATCH", "/session/\(id)"), ("POST", "/session/\(id)/prompt_async")] {
            let answer = try fixture.request(method, path, "{nope")
            #expect(answer.status == 400, "\(method) \(path)")
            #expect(answer.json["name"] == "BadRequest", "\(method) \(path)")
        }
        for (method, path, body) in [
            ("GET", "/find?pattern=x", nil), ("DELETE", "/session/\(id)/message/msg_1", nil), ("GET", "/vcs/diff", nil),
            ("POST", "/session", #"{"parentID":"\#(id)"}"#),
            ("POST", "/session/\(id)/message", BridgeFixture.prompt("x", more: #""noReply":true,"#)),
            ("POST", "/session/\(id)/message", BridgeFixture.prompt("x", more: #""system":"y","#)),
        ] {
            let answer = try fixture.request(method, path, body)
            #expect(answer.status == 501, "\(method) \(path)")
            #expect(answer.json["name"] == "UnknownError", "\(method) \(path)")
            #expect(answer.json["data"]?["message"]?.text?.contains("OpenCode 2") == true, "\(answer.text)")
        }
        for path in ["/session/a%2Fb", "/session/..", "/session/%2e%2e/message", "/session/a;b"] {
            let answer = try fixture.request("GET", path)
            #expect(answer.status == 400, "\(path)")
            #expect(answer.json["name"] == "BadRequest", "\(path)")
        }

        // Where OpenCode 1 responds with `true`, the gateway does as well.
        #expect(try fixture.request("POST", "/session/ses_none/abort").text == "true")
    }

    @Test func `a stream is rejected with 400 for hub=0 and with 501 without the event hub`() throws {
        let fixture = try BridgeFixture()

        for path in ["/event?hub=0", "/global/event?hub=off"] {
            let answer = try fixture.request("GET", path)
            #expect(answer.status == 400)
            #expect(answer.json["data"]?["message"]?.text?.contains("hub=0") == true)
        }

        let deaf = try BridgeFixture(flags: ["--event-hub", "off"])
        for path in ["/event", "/global/event", "/event?hub=0"] {
            let answer = try deaf.request("GET", path)
            #expect(answer.status == 501)
            #expect(answer.json["data"]?["message"]?.text?.contains("--event-hub off") == true)
        }
    }

    @Test func `a terminal is a tunnel to OpenCode 2's terminal`() throws {
        let fixture = try BridgeFixture()
        let made = try fixture.request("POST", "/pty", #"{"command":"/bin/sh","title":"shell"}"#)
        let id = try #require(made.json["id"]?.text, "\(made.text)")

        #expect(try fixture.request("GET", "/pty").json.elements?.map { $0["id"]?.text } == [id])
        #expect(try fixture.request("PUT", "/pty/\(id)", #"{"title":"other"}"#).json["title"] == "other")

        let connection = try fixture.gateway.connect()
        try connection.send(
            "GET", "/projects/demo/api/pty/\(id)/connect?cursor=-1",
            headers: [GatewayUnderTest.authorization] + TestConnection.webSocketUpgrade)

        #expect(try connection.readResponseHead().status == 101)

        connection.close()

        #expect(try fixture.request("DELETE", "/pty/\(id)").text == "true")
        #expect(try fixture.request("GET", "/pty/\(id)").status == 404)
    }
}
