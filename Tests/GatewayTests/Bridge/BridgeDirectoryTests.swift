import TestKit
import Testing

@testable import opencode_twin

@Suite("OpenCode 1's clients in front of an OpenCode 2 stay in their project")
struct BridgeDirectoryTests {
    @Test func anotherFolderIsRefusedAndOneInsideIsTaken() throws {
        let rig = try BridgeRig()
        for path in [
            "/session?directory=/etc", "/session?directory=\(rig.folder)/../other", "/agent?directory=%252Fetc",
        ] {
            #expect(try rig.ask("GET", path).status == 403, "\(path)")
        }
        let field = [("x-opencode-directory", "/etc")]
        for (method, path, body) in [("GET", "/path", nil), ("POST", "/session", "{}"), ("POST", "/pty", "{}")] {
            #expect(try rig.ask(method, path, body, headers: field).status == 403, "\(method) \(path)")
        }
        _ = try rig.gateway.home.makeDirectory("demo/inside")
        for named in ["\(rig.folder)/inside", "inside", "./inside/"] {
            let made = try rig.ask("POST", "/session?directory=\(named)", "{}")
            #expect(made.json["directory"]?.text == "\(rig.folder)/inside", "\(named): \(made.text)")
        }
        // The query beats the field.
        let both = try rig.ask("GET", "/path?directory=inside", headers: [("x-opencode-directory", rig.folder)])
        #expect(both.json["directory"]?.text == "\(rig.folder)/inside")
        #expect(try rig.ask("GET", "/file?path=../..").status == 400)
        #expect(try rig.ask("GET", "/file?path=inside/..").status == 200)
        #expect(try rig.ask("GET", "/file/content?path=/etc/hostname").status == 400)
        #expect(try rig.ask("GET", "/file/content?path=%2e%2e/%2e%2e/etc/hostname").status == 400)
    }

    @Test(.enabled(if: GitProgram.isInstalled, Comment(rawValue: GitProgram.missing)))
    func sessionsOfAnotherFolderOfTheProjectAreListedOnRequest() throws {
        let rig = try BridgeRig()
        let folder = "\(rig.gateway.home.path)/repo"
        for name in ["repo", "repo/app", "repo/app/web", "repo/apple"] { _ = try rig.gateway.home.makeDirectory(name) }
        try GitProgram.makeRepository(in: folder)
        try rig.start("repo")
        var made: [String: String] = [:]
        for name in ["", "app", "app/web", "apple"] {
            let answer = try rig.ask("POST", "/session?directory=\(folder)/\(name)", "{}", of: "repo")
            made[name] = try #require(answer.json["id"]?.text, "\(answer.text)")
        }
        for (query, expected) in [
            ("directory=\(folder)/app", ["app"]), ("", ["", "app", "app/web", "apple"]),
            ("directory=\(folder)/app&scope=project", ["", "app", "app/web", "apple"]),
            ("directory=\(folder)&path=app", ["app", "app/web"]), ("path=app/web", ["app/web"]), ("path=no", []),
        ] {
            let listed = try rig.ask("GET", "/session?\(query)", of: "repo").json.elements
            #expect(
                Set((listed ?? []).compactMap { $0["id"]?.text }) == Set(expected.compactMap { made[$0] }), "\(query)")
        }
        let missing = try rig.ask("GET", "/agent?directory=nowhere", of: "repo")
        #expect(missing.status == 404 && missing.json["name"] == "NotFoundError", "\(missing.text)")
    }

    @Test func anotherProjectsSessionIsNotFoundAndNotTouched() throws {
        let rig = try BridgeRig()
        try rig.start("other")
        // The two share OpenCode's database: whoever has the id could read it.
        let shared = try rig.ask(
            "POST", "/api/session", #"{"location":{"directory":"\#(rig.gateway.home.path)/other"}}"#)
        let theirs = try #require(shared.json["data"]?["id"]?.text)
        for (method, path, body) in [
            ("GET", "", nil), ("DELETE", "", nil), ("PATCH", "", #"{"title":"mine"}"#), ("GET", "/message", nil),
            ("GET", "/message?limit=1", nil), ("GET", "/message/msg_1", nil), ("GET", "/todo", nil),
            ("GET", "/children", nil), ("POST", "/fork", "{}"), ("POST", "/revert", #"{"messageID":"msg_1"}"#),
            ("POST", "/unrevert", nil), ("POST", "/message", BridgeRig.prompt("x")),
            ("POST", "/prompt_async", BridgeRig.prompt("x")),
            ("POST", "/shell", #"{"agent":"build","command":"true"}"#),
            ("POST", "/command", #"{"command":"init","arguments":""}"#),
            ("POST", "/summarize", #"{"providerID":"twin","modelID":"talk"}"#),
            ("POST", "/permissions/per_1", #"{"response":"once"}"#),
        ] {
            let answer = try rig.ask(method, "/session/\(theirs)\(path)", body)
            #expect(answer.status == 404 && answer.json["name"] == "NotFoundError", "\(method) \(path): \(answer.text)")
        }
        let prompt = #"{"text":"Hello [silent=60s]"}"#
        #expect(try rig.ask("POST", "/api/session/\(theirs)/prompt", prompt).status == 200)
        #expect(try rig.ask("GET", "/session/status").json == [:], "another project's turns are not told")
        #expect(try rig.ask("POST", "/session/\(theirs)/abort").text == "true")
        let active = try rig.ask("GET", "/api/session/active").json["data"]?[theirs]
        #expect(active != nil, "an abort from outside ends nothing")
        #expect(try rig.ask("GET", "/api/session/\(theirs)").json["data"]?["title"]?.text != "mine")
        #expect(try rig.ask("GET", "/session").json.elements?.contains { $0["id"]?.text == theirs } == false)
    }

    @Test func filesAndTerminalsStayInside() throws {
        let rig = try BridgeRig()
        let id = try rig.session()
        for url in [
            "file:///etc/hostname", "FILE://localhost/etc/hostname", "/etc/hostname", "file://\(rig.folder)/../x",
            "file://\(rig.folder)/%2e%2e/x", "../x",
        ] {
            let body = #"{"parts":[{"type":"file","mime":"text/plain","url":"\#(url)"}]}"#
            let answer = try rig.ask("POST", "/session/\(id)/prompt_async", body)
            #expect(answer.status == 403, "\(url): \(answer.text)")
        }
        #expect(try rig.messages(id).isEmpty)
        _ = try rig.gateway.home.write("in here", to: "demo/x.txt")
        for url in ["file://\(rig.folder)/x.txt?start=1", "data:text/plain;base64,aGk="] {
            let file = #"{"type":"file","mime":"text/plain","url":"\#(url)"}"#
            let body = #"{"parts":[{"type":"text","text":"Hello"},\#(file)]}"#
            #expect(try rig.ask("POST", "/session/\(id)/message", body).status == 200, "\(url)")
        }
        #expect(try rig.ask("POST", "/pty", #"{"cwd":"/etc"}"#).status == 403)
        #expect(try rig.ask("POST", "/pty", #"{"cwd":"..","command":"/bin/sh"}"#).status == 403)
    }

    @Test(.enabled(if: GitProgram.isInstalled, Comment(rawValue: GitProgram.missing)))
    func aWorktreeThatWasJustMadeIsInside() throws {
        let rig = try BridgeRig()
        let folder = "\(rig.gateway.home.path)/repo"
        _ = try rig.gateway.home.makeDirectory("repo")
        try GitProgram.makeRepository(in: folder)
        try rig.start("repo")
        for number in 0..<20 {
            let tree = "\(rig.gateway.home.path)/.trees/\(number)"
            let client = try rig.gateway.connect()
            defer { client.close() }
            try rig.gateway.whileStopped {
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
