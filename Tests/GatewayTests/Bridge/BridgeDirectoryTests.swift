// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

@Suite("OpenCode 1's clients in front of an OpenCode 2 stay in their project", .onTestThreads)
struct BridgeDirectoryTests {
    @Test func `a directory outside the project is rejected and one inside is accepted`() throws {
        let fixture = try BridgeFixture()
        for path in [
            "/session?directory=/etc", "/session?directory=\(fixture.folder)/../other", "/agent?directory=%252Fetc",
        ] {
            #expect(try fixture.request("GET", path).status == 403, "\(path)")
        }
        let field = [("x-opencode-directory", "/etc")]
        for (method, path, body) in [("GET", "/path", nil), ("POST", "/session", "{}"), ("POST", "/pty", "{}")] {
            #expect(try fixture.request(method, path, body, headers: field).status == 403, "\(method) \(path)")
        }
        _ = try fixture.gateway.home.makeDirectory("demo/inside")
        for named in ["\(fixture.folder)/inside", "inside", "./inside/"] {
            let made = try fixture.request("POST", "/session?directory=\(named)", "{}")
            #expect(made.json["directory"]?.text == "\(fixture.folder)/inside", "\(named): \(made.text)")
        }
        // The query overrides the header field.
        let both = try fixture.request(
            "GET", "/path?directory=inside", headers: [("x-opencode-directory", fixture.folder)])

        #expect(both.json["directory"]?.text == "\(fixture.folder)/inside")
        #expect(try fixture.request("GET", "/file?path=../..").status == 400)
        #expect(try fixture.request("GET", "/file?path=inside/..").status == 200)
        #expect(try fixture.request("GET", "/file/content?path=/etc/hostname").status == 400)
        #expect(try fixture.request("GET", "/file/content?path=%2e%2e/%2e%2e/etc/hostname").status == 400)
    }

    @Test(.enabled(if: GitProgram.isInstalled, Comment(rawValue: GitProgram.missing)))
    func `a session list is filtered by directory, path and scope`() throws {
        let fixture = try BridgeFixture()
        let folder = "\(fixture.gateway.home.path)/repo"
        for name in ["repo", "repo/app", "repo/app/web", "repo/apple"] {
            _ = try fixture.gateway.home.makeDirectory(name)
        }
        try GitProgram.makeRepository(in: folder)
        try fixture.start("repo")
        var made: [String: String] = [:]
        for name in ["", "app", "app/web", "apple"] {
            let answer = try fixture.request("POST", "/session?directory=\(folder)/\(name)", "{}", of: "repo")
            made[name] = try #require(answer.json["id"]?.text, "\(answer.text)")
        }
        for (query, expected) in [
            ("directory=\(folder)/app", ["app"]), ("", ["", "app", "app/web", "apple"]),
            ("directory=\(folder)/app&scope=project", ["", "app", "app/web", "apple"]),
            ("directory=\(folder)&path=app", ["app", "app/web"]), ("path=app/web", ["app/web"]), ("path=no", []),
        ] {
            let listed = try fixture.request("GET", "/session?\(query)", of: "repo").json.elements
            #expect(
                Set((listed ?? []).compactMap { $0["id"]?.text }) == Set(expected.compactMap { made[$0] }), "\(query)")
        }
        let missing = try fixture.request("GET", "/agent?directory=nowhere", of: "repo")

        #expect(missing.status == 404, "\(missing.text)")
        #expect(missing.json["name"] == "NotFoundError", "\(missing.text)")
    }

    @Test func `another project's session is not found and not changed`() throws {
        let fixture = try BridgeFixture()
        try fixture.start("other")
        // The two projects share OpenCode's database, so any client with the id could read the session.
        let shared = try fixture.request(
            "POST", "/api/session", #"{"location":{"directory":"\#(fixture.gateway.home.path)/other"}}"#)
        let theirs = try #require(shared.json["data"]?["id"]?.text)
        for (method, path, body) in [
            ("GET", "", nil), ("DELETE", "", nil), ("PATCH", "", #"{"title":"mine"}"#), ("GET", "/message", nil),
            ("GET", "/message?limit=1", nil), ("GET", "/message/msg_1", nil), ("GET", "/todo", nil),
            ("GET", "/children", nil), ("POST", "/fork", "{}"), ("POST", "/revert", #"{"messageID":"msg_1"}"#),
            ("POST", "/unrevert", nil), ("POST", "/message", BridgeFixture.prompt("x")),
            ("POST", "/prompt_async", BridgeFixture.prompt("x")),
            ("POST", "/shell", #"{"agent":"build","command":"true"}"#),
            ("POST", "/command", #"{"command":"init","arguments":""}"#),
            ("POST", "/summarize", #"{"providerID":"simulator","modelID":"talk"}"#),
            ("POST", "/permissions/per_1", #"{"response":"once"}"#),
        ] {
            let answer = try fixture.request(method, "/session/\(theirs)\(path)", body)
            #expect(answer.status == 404, "\(method) \(path): \(answer.text)")
            #expect(answer.json["name"] == "NotFoundError", "\(method) \(path): \(answer.text)")
        }
        let prompt = #"{"text":"Hello [silent=60s]"}"#

        #expect(try fixture.request("POST", "/api/session/\(theirs)/prompt", prompt).status == 200)
        #expect(try fixture.request("GET", "/session/status").json == [:], "another project's turns are not reported")
        #expect(try fixture.request("POST", "/session/\(theirs)/abort").text == "true")

        let active = try fixture.request("GET", "/api/session/active").json["data"]?[theirs]

        #expect(active != nil, "an abort from outside ends nothing")
        #expect(try fixture.request("GET", "/api/session/\(theirs)").json["data"]?["title"]?.text != "mine")
        #expect(try fixture.request("GET", "/session").json.elements?.contains { $0["id"]?.text == theirs } == false)
    }

    @Test func `file attachments and terminals outside the project are rejected`() throws {
        let fixture = try BridgeFixture()
        let id = try fixture.session()
        for url in [
            "file:///etc/hostname", "FILE://localhost/etc/hostname", "/etc/hostname", "file://\(fixture.folder)/../x",
            "file://\(fixture.folder)/%2e%2e/x", "../x",
        ] {
            let body = #"{"parts":[{"type":"file","mime":"text/plain","url":"\#(url)"}]}"#
            let answer = try fixture.request("POST", "/session/\(id)/prompt_async", body)
            #expect(answer.status == 403, "\(url): \(answer.text)")
        }

        #expect(try fixture.messages(id).isEmpty)

        _ = try fixture.gateway.home.write("in here", to: "demo/x.txt")
        for url in ["file://\(fixture.folder)/x.txt?start=1", "data:text/plain;base64,aGk="] {
            let file = #"{"type":"file","mime":"text/plain","url":"\#(url)"}"#
            let body = #"{"parts":[{"type":"text","text":"Hello"},\#(file)]}"#
            #expect(try fixture.request("POST", "/session/\(id)/message", body).status == 200, "\(url)")
        }

        #expect(try fixture.request("POST", "/pty", #"{"cwd":"/etc"}"#).status == 403)
        #expect(try fixture.request("POST", "/pty", #"{"cwd":"..","command":"/bin/sh"}"#).status == 403)
    }

    @Test(.enabled(if: GitProgram.isInstalled, Comment(rawValue: GitProgram.missing)))
    func `a new worktree is inside the project at once`() throws {
        let fixture = try BridgeFixture()
        let folder = "\(fixture.gateway.home.path)/repo"
        _ = try fixture.gateway.home.makeDirectory("repo")
        try GitProgram.makeRepository(in: folder)
        try fixture.start("repo")

        for number in 0..<20 {
            let tree = "\(fixture.gateway.home.path)/.trees/\(number)"
            let client = try fixture.gateway.connect()
            defer { client.close() }
            try fixture.gateway.whileStopped {
                try GitProgram.run(in: folder, "worktree", "add", "-q", "--detach", tree)
                try client.send(
                    "POST", "/projects/repo/api/session?directory=\(tree)",
                    headers: [GatewayUnderTest.authorization, ("Content-Type", "application/json")],
                    body: Array("{}".utf8))
            }
            let made = try ResponseReader(client, method: "POST").readAll(within: .seconds(60))
            #expect(made.json["directory"]?.text == tree, "\(made.text)")
        }
    }
}
