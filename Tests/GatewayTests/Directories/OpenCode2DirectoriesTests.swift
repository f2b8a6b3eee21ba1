// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import TestThreads
import Testing

/// Tests the rules for directories with the simulator of OpenCode 2.0.15 and the requests of its programs, in order.
@Suite(.onTestThreads, .enabled(if: GitProgram.isInstalled, Comment(rawValue: GitProgram.missing)))
struct OpenCode2DirectoriesTests {
    private let gateway: GatewayUnderTest

    init() throws {
        let simulator = try BuiltProducts.path("opencode-simulator")
        gateway = try GatewayUnderTest(
            environment: ["SIMULATOR_PACE": "5"], opencode: "\(simulator) --profile 2.0.15")
    }

    private var demo: String { "\(gateway.home.path)/demo" }

    /// Creates a project with a commit, and starts it.
    private func start(_ project: String = "demo", cloneOf other: String? = nil) throws {
        if let other {
            try GitProgram.run(in: gateway.home.path, "clone", "-q", "\(gateway.home.path)/\(other)", project)
        } else {
            try gateway.makeProject(project)
            try GitProgram.makeRepository(in: "\(gateway.home.path)/\(project)", message: project)
        }
        let answer = try gateway.request("POST", "/projects/\(project)/start", within: SimulatorFixture.patience)
        guard answer.status == 200 else { throw TestFailure(answer.text) }
    }

    private func request(
        _ method: String = "GET", _ path: String, _ body: String? = nil, of project: String = "demo"
    ) throws -> TestResponse {
        try gateway.request(
            method, "/projects/\(project)/api\(path)",
            headers: body == nil ? [] : [("Content-Type", "application/json")],
            body: body.map { Array($0.utf8) }, within: SimulatorFixture.patience)
    }

    private func object(_ answer: TestResponse) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any], "\(answer.text)")
    }

    /// Creates a session in this directory and returns its id. The gateway does not inspect bodies.
    private func makeSession(in directory: String) throws -> String {
        let answer = try request("POST", "/api/session", #"{"location":{"directory":"\#(directory)"}}"#)
        return try #require((try object(answer)["data"] as? [String: Any])?["id"] as? String, "\(answer.text)")
    }

    private func listed(_ query: String = "") throws -> [String] {
        let answer = try request("GET", "/api/session\(query)")
        let sessions = try #require(try object(answer)["data"] as? [[String: Any]], "\(answer.text)")
        return sessions.compactMap { $0["id"] as? String }
    }

    @Test func `an OpenCode 2 program that is called in a laptop's directory finds the project`() throws {
        try start()

        #expect(try request("GET", "/api/info").status == 200)

        // `run`
        let location = try object(try request("GET", "/api/location?location%5Bdirectory%5D=%2Fhome%2Fanna%2Fdemo"))

        #expect(location["directory"] as? String == demo)

        // For folders of Windows and for a folder that exists on this machine, the response is the same.
        for folder in ["C%3A%5CUsers%5Canna", "%2Fetc", "%2Fno%2Fsuch%2Ffolder"] {
            let other = try object(try request("GET", "/api/location?location%5Bdirectory%5D=\(folder)"))
            #expect(other["directory"] as? String == demo)
        }
        let session = try makeSession(in: demo)
        // The full-screen program.
        let list = try object(try request("GET", "/api/fs/list?location%5Bdirectory%5D=%2Fhome%2Fanna%2Fdemo"))

        #expect((list["location"] as? [String: Any])?["directory"] as? String == demo)
        // `run -c`, `session list`
        #expect(try listed("?limit=50&order=desc&parentID=null&directory=\(demo)") == [session])

        let id = try #require((location["project"] as? [String: Any])?["id"] as? String)

        #expect(try listed("?limit=100&order=desc&parentID=null&project=\(id)") == [session])
        #expect(try request("GET", "/api/agent?location%5Bdirectory%5D=%2Fhome%2Fanna%2Fdemo").status == 403)
    }

    @Test func `a session list contains only the project's own sessions`() throws {
        try start()
        try gateway.makeProject("other")
        let own = try [makeSession(in: demo), makeSession(in: demo)]
        let other = try makeSession(in: "\(gateway.home.path)/other")

        #expect(try Set(listed()) == Set(own))
        #expect(try !listed("?search=").contains(other))

        let page = try object(try request("GET", "/api/session?limit=1"))
        let cursor = try #require((page["cursor"] as? [String: Any])?["next"] as? String)

        #expect(try Set(listed("?limit=1&cursor=\(cursor)")).isSubset(of: own))

        let refusal = try request("GET", "/api/session?project=global")

        #expect(refusal.status == 403, "\(refusal.status) \(refusal.text)")
    }

    @Test func `a worktree is inside the project as soon as it is created`() throws {
        try start()
        let location = try object(try request("GET", "/api/location"))
        let id = try #require((location["project"] as? [String: Any])?["id"] as? String)
        let stream = try gateway.connect()
        try stream.send("GET", "/projects/demo/api/api/event", headers: [GatewayUnderTest.authorization])
        let events = EventStreamReader(stream)
        try events.first { $0.contains("server.connected") }
        for number in 0..<5 {
            let folder = "\(gateway.home.path)/.trees/try\(number)"
            let made = try request("POST", "/api/worktree", #"{"projectID":"\#(id)","directory":"\#(folder)"}"#)
            #expect(made.status == 200, "\(made.text)")
            // The next request already names the new worktree.
            let there = try object(try request("GET", "/api/location?location%5Bdirectory%5D=\(folder)"))
            #expect(there["directory"] as? String == folder)
            #expect(try request("GET", "/api/agent?location%5Bdirectory%5D=\(folder)").status == 200)
            try events.first(within: SimulatorFixture.patience) { $0.contains("worktree.updated") && $0.contains(id) }
            try events.first(within: SimulatorFixture.patience) { $0.contains("\"directory\":\"\(folder)\"") }
        }
        let session = try makeSession(in: demo)
        let move = try request(
            "POST", "/api/session/\(session)/move", #"{"directory":"\#(gateway.home.path)/.trees/try1"}"#)

        #expect(move.status == 204)

        try events.first(within: SimulatorFixture.patience) { $0.contains("session.moved") }

        #expect(try listed() == [session])
        #expect(try listed("?directory=\(gateway.home.path)/.trees/try1") == [session])
    }

    @Test func `a stream contains its directory's session events from the first prompt to the deletion`() throws {
        try start()
        try gateway.makeProject("other")
        let stream = try gateway.connect()
        try stream.send("GET", "/projects/demo/api/api/event", headers: [GatewayUnderTest.authorization])
        let events = EventStreamReader(stream)
        try events.first { $0.contains("server.connected") }
        let other = try makeSession(in: "\(gateway.home.path)/other")
        let own = try makeSession(in: demo)
        for session in [other, own] {
            let prompt = try request(
                "POST", "/api/session/\(session)/prompt", #"{"text":"hi","files":[],"delivery":"steer"}"#)
            #expect(prompt.status == 200, "\(prompt.text)")
            #expect(try request("POST", "/api/experimental/session/\(session)/wait").status == 204)
        }
        for type in ["session.execution.started", "session.usage.updated", "session.execution.succeeded"] {
            try events.first(type, within: SimulatorFixture.patience) { $0.contains(type) && $0.contains(own) }
        }

        #expect(try request("DELETE", "/api/session/\(other)").status == 204)
        #expect(try request("DELETE", "/api/session/\(own)").status == 204)

        try events.first(within: SimulatorFixture.patience) { $0.contains("session.deleted") && $0.contains(own) }

        #expect(!String(decoding: events.raw, as: UTF8.self).contains(other))
    }

    @Test func `a project with a clone lists only the sessions of its own folder, and both have a warning`() throws {
        try start()
        try start("clone", cloneOf: "demo")
        let own = try makeSession(in: demo)
        _ = try makeSession(in: "\(gateway.home.path)/clone")

        #expect(try request("GET", "/api/session", of: "clone").status == 200)
        #expect(try listed() == [own])

        for (project, other) in [("demo", "clone"), ("clone", "demo")] {
            let status = try gateway.request("GET", "/projects/\(project)/status").text
            #expect(status.contains("OpenCode treats this folder and \(other) as one project"), "\(status)")
        }
    }
}
