// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

/// Tests that a project's clients receive only the project's own sessions from `GET /api/session`, which lists the
/// sessions of all directories.
@Suite(.onTestThreads) struct SessionListTests {
    private static func encoded(_ path: String) -> String {
        path.map { $0.isLetter || $0.isNumber || "-._~".contains($0) ? "\($0)" : "%2F" }.joined()
    }

    @Test(arguments: ["GET", "HEAD"])
    func `a list that names no directory or project is restricted to the project's own sessions`(method: String) throws
    {
        let fixture = try DirectoryFixture()
        for (path, expected) in [
            ("/api/session", "/api/session?project=own"), ("/api/session?", "/api/session?project=own"),
            ("/api/session?limit=50&order=desc", "/api/session?limit=50&order=desc&project=own"),
            ("/api/session?directory=", "/api/session?project=own"),
            ("/api/session?location[directory]=", "/api/session?location[directory]=&project=own"),
            ("/api/session?Directory=\(fixture.folder)", "/api/session?Directory=\(fixture.folder)&project=own"),
            ("/api/session/", "/api/session/?project=own"), ("//api//session", "//api//session?project=own"),
            ("/api/%73ession?limit=1", "/api/%73ession?limit=1&project=own"),
            ("/api/x/../session", "/api/x/../session?project=own"), ("/API/session", "/API/session?project=own"),
        ] {
            #expect(try fixture.target(method, path) == expected, "\(path)")
        }

        // A single query serves all of these requests.
        #expect(fixture.instance.queries.values.filter { $0 == "/api/location" }.count == 1)
    }

    @Test func `a request that needs no restriction is forwarded without a query`() throws {
        let fixture = try DirectoryFixture()
        for query in [
            "directory=\(fixture.folder)",
            "limit=50&order=desc&parentID=null&directory=\(Self.encoded(fixture.folder))",
        ] {
            #expect(try fixture.target("GET", "/api/session?\(query)") == "/api/session?\(query)")
        }
        for (method, path) in [
            ("POST", "/api/session"), ("GET", "/api/session/ses_1"), ("GET", "/api/session/active"),
        ] {
            #expect(try fixture.target(method, path) == path)
        }

        #expect(fixture.instance.queries.values == [])

        // OpenCode 2 has no such list. Without the bridge, it receives the request unchanged.
        let raw = try DirectoryFixture(flags: ["--opencode1-compat", "off"])

        #expect(try raw.target("GET", "/session") == "/session")
        #expect(raw.instance.queries.values == [])
    }

    @Test func `a list of another project or directory is rejected with 403`() throws {
        let fixture = try DirectoryFixture()
        let own = try fixture.request("GET", "/api/session?limit=100&project=own")

        #expect(own.text == "/api/session?limit=100&project=own")

        let before = fixture.instance.forwarded.count
        for query in ["project=other", "limit=5&project=global", "project=own&project=other"] {
            let answer = try fixture.request("GET", "/api/session?\(query)")
            #expect(answer.status == 403, "\(query)")
            #expect(answer.text.contains("names an OpenCode project other than that of project demo"), "\(answer.text)")
        }

        #expect(try fixture.request("GET", "/api/session?directory=/etc").status == 403)
        #expect(fixture.instance.forwarded.count == before)
    }

    @Test(arguments: ["/api/session;directory=/home", "/api/session/;", "/api/%73ession;x", "/api/session%3Bproject=x"])
    func `a list path with a semicolon is rejected with 403`(path: String) throws {
        let fixture = try DirectoryFixture()
        for method in ["GET", "HEAD"] { #expect(try fixture.request(method, path).status == 403) }

        #expect(fixture.instance.forwarded.count == 0)
    }

    @Test func `a directory after a semicolon is checked on each path`() throws {
        let fixture = try DirectoryFixture()
        for path in [
            "/api/agent;location[directory]=/etc", "/api/fs/list;location%5Bdirectory%5D=/etc",
            "/api/location;x&directory=/",
        ] {
            #expect(try fixture.request("GET", path).status == 403, "\(path)")
        }

        #expect(try fixture.target("GET", "/api/fs/read/a;b.txt") == "/api/fs/read/a;b.txt")
    }

    /// The cursors are Base64 of `{"project":"own"}`, `{"project":"other"}` and `{"order":"desc"}`.
    @Test func `a cursor that does not belong to the project's own list is rejected with 403`() throws {
        let fixture = try DirectoryFixture()

        #expect(
            try fixture.target("GET", "/api/session?cursor=eyJwcm9qZWN0Ijoib3duIn0")
                == "/api/session?cursor=eyJwcm9qZWN0Ijoib3duIn0")

        for cursor in ["eyJwcm9qZWN0Ijoib3RoZXIifQ", "eyJvcmRlciI6ImRlc2MifQ", "nonsense"] {
            let answer = try fixture.request("GET", "/api/session?project=own&cursor=\(cursor)")
            #expect(answer.status == 403)
            #expect(answer.text.contains("The cursor does not belong to a list of project demo's own sessions"))
        }
    }

    @Test func `a directory without an OpenCode project of its own lists only its own sessions`() throws {
        let fixture = try DirectoryFixture { $0.project = "global" }
        let own = "directory=\(Self.encoded(fixture.folder))"

        #expect(try fixture.target("GET", "/api/session") == "/api/session?\(own)")
        #expect(try fixture.target("GET", "/api/session?project=global") == "/api/session?project=global&\(own)")
        #expect(try !fixture.warnings().contains("one project"))
    }

    @Test func `a directory whose instance reports no project lists only its own sessions`() throws {
        let fixture = try DirectoryFixture { $0.project = nil }

        #expect(try fixture.target("GET", "/api/session") == "/api/session?directory=\(Self.encoded(fixture.folder))")

        let answer = try fixture.request("GET", "/api/session?project=own")

        #expect(answer.status == 503)
        #expect(answer.text.contains("OpenCode does not report its id of project"))
    }

    /// 1.18 also has the route. 1.1 and 1.2 would forward an unknown path to the vendor's site.
    @Test func `OpenCode 1 is queried at a path that every version has`() throws {
        let fixture = try DirectoryFixture(.one())

        #expect(try fixture.target("GET", "/api/session?limit=5") == "/api/session?limit=5&project=own")
        #expect(fixture.instance.queries.values == ["/project/current"])

        fixture.plan.withLock { $0.project = "global" }
        let global = try DirectoryFixture(.one()) {
            $0.project = "global"
            $0.directory = "/"
        }

        // The root of its repository is not the project's folder.
        #expect(try global.target("GET", "/api/session") == "/api/session?directory=\(Self.encoded(global.folder))")
    }

    @Test(arguments: [1, 4])
    func `a list uses the new project id after a first commit`(threads: Int) throws {
        let fixture = try DirectoryFixture(threads: threads) { $0.project = "global" }
        let stream = try fixture.events()
        let directory = "/api/session?directory=\(Self.encoded(fixture.folder))"
        for _ in 0..<4 { #expect(try fixture.target("GET", "/api/session") == directory) }

        fixture.plan.withLock { $0.project = "first-commit" }
        let event = DirectoryFixture.event("vcs.branch.updated", #""branch":"main""#, location: fixture.folder)
        fixture.instance.events.send(event)
        try stream.first { $0.contains("vcs.branch.updated") }

        // The stream's own loop learns of the change immediately, and the other loops receive it later.
        try eventually { try fixture.target("GET", "/api/session") == "/api/session?project=first-commit" }
        for _ in 0..<8 { #expect(try fixture.target("GET", "/api/session") == "/api/session?project=first-commit") }
    }

    private func eventually(_ isSo: () throws -> Bool) throws {
        let deadline = Deadline(after: .seconds(20))
        while try !isSo() {
            guard !deadline.hasPassed else { throw TestFailure("it never came about") }
        }
    }

    @Test func `a request that waits for a query is answered with 503 when its instance stops`() throws {
        let fixture = try DirectoryFixture { $0.delay = .seconds(60) }
        let client = try TestClient.connect(port: fixture.gateway.port)
        try client.send("DELETE", "/projects/demo/api/api/session/ses_1", headers: [GatewayUnderTest.authorization])
        try fixture.instance.queries.wait { $0.contains("/api/session/ses_1") }

        #expect(try fixture.gateway.request("DELETE", "/projects/demo/stop").status == 200)

        let answer = try ResponseReader(client).readAll(within: .seconds(4))

        #expect(answer.status == 503)
        #expect(
            answer.text.contains("was stopped through the gateway") || answer.text.contains("is not running"),
            "\(answer.text)")
        #expect(fixture.instance.forwarded.count == 0)
    }

    @Test func `concurrent list requests cause one query`() throws {
        let fixture = try DirectoryFixture(threads: 2)
        let targets = Recorded<String>("an answer")
        let threads = try (0..<20).map { _ in
            try TestThread {
                if let answer = try? fixture.request("GET", "/api/session") { targets.append(answer.text) }
            }
        }
        for thread in threads { thread.join() }

        #expect(targets.values == Array(repeating: "/api/session?project=own", count: 20))
        #expect(fixture.instance.queries.values.filter { $0 == "/api/location" }.count == 1)
    }

    @Test func `clones list only the sessions of their own directories, and their status has a warning`() throws {
        let fixture = try DirectoryFixture { $0.project = "shared" }

        #expect(try fixture.target("GET", "/api/session") == "/api/session?project=shared")

        let plan = DirectoryFixture.Plan(project: "shared", directory: "\(fixture.gateway.home.path)/clone")
        let clone = try DirectoryFixture.start(.two(), Monitor(plan))
        try fixture.gateway.start(clone, as: "clone")

        // The gateway does not open the other clone's folder for this purpose, because a folder that was never used has
        // no sessions.
        #expect(clone.queries.values == [])
        #expect(try fixture.gateway.request("GET", "/projects/clone/api/api/agent").status == 200)

        try eventually {
            try fixture.target("GET", "/api/session") == "/api/session?directory=\(Self.encoded(fixture.folder))"
        }
        let other = try fixture.gateway.request("GET", "/projects/clone/api/api/session?limit=2")

        #expect(other.text == "/api/session?limit=2&directory=\(Self.encoded(fixture.gateway.home.path + "/clone"))")
        #expect(try fixture.warnings().contains("OpenCode treats this folder and clone as one project"))
        #expect(try fixture.warnings("clone").contains("OpenCode treats this folder and demo as one project"))
        #expect(try fixture.request("GET", "/api/session?cursor=eyJwcm9qZWN0Ijoic2hhcmVkIn0").status == 403)
    }

    @Test func `no list is restricted without directory pinning`() throws {
        let fixture = try DirectoryFixture(flags: ["--no-directory-pinning"])
        for path in ["/api/session", "/api/session?project=other", "/api/session;x", "/api/session?cursor=nonsense"] {
            #expect(try fixture.target("GET", path) == path)
        }

        #expect(fixture.instance.queries.values == [])
    }
}
