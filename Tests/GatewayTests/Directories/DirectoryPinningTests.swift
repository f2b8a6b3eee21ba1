// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

/// Tests that a request for a project may name only that project's folder as a directory.
@Suite(.onTestThreads) struct DirectoryPinningTests {
    private static func fixture(_ flags: [String] = [], environment: [String: String] = [:]) throws -> ProxyFixture {
        try ProxyFixture(flags: flags, environment: environment) { connection, head in
            _ = try connection.readBody(of: head)
            try connection.respond(200, text: "opened")
        }
    }

    /// Returns the three ways to name a directory, plain and encoded. Only the slashes of the path need encoding.
    private static func requests(_ path: String) -> [(query: String, headers: [(String, String)])] {
        let encoded = path.replacing("/", with: "%2F")
        return [
            ("?directory=\(path)", []), ("?directory=\(encoded)", []), ("?a=b&directory=\(encoded)&c=d", []),
            ("?location[directory]=\(path)", []), ("?location%5Bdirectory%5D=\(encoded)", []),
            ("", [("x-opencode-directory", path)]), ("", [("x-opencode-directory", encoded)]),
            ("", [("X-OpenCode-Directory", path)]), ("?limit=5", [("X-OPENCODE-DIRECTORY", encoded)]),
        ]
    }

    @Test func `a request that names a directory of the project is forwarded unchanged`() throws {
        let fixture = try Self.fixture()
        let folder = "\(fixture.gateway.home.path)/demo"
        for path in [folder, folder + "/", folder + "/src", folder + "/a/../b", folder + "//", "src", "."] {
            for (query, headers) in Self.requests(path) {
                let answer = try fixture.request("GET", "/session\(query)", headers: headers)
                #expect(answer.text == "opened", "\(query) \(headers)")
                let received = try #require(fixture.instance.requests.values.last)
                #expect(received.target == "/session\(query)")
                #expect(received.values(of: "x-opencode-directory") == headers.map(\.1))
            }
        }
        for query in ["", "?", "?directory=", "?directory", "?location[directory]=", "?a=/etc"] {
            #expect(try fixture.request("GET", "/session\(query)").text == "opened", "\(query)")
        }

        #expect(try fixture.request("GET", "/session", headers: [("x-opencode-directory", "")]).text == "opened")
    }

    @Test func `a request that names another directory is rejected with 403 and not forwarded`() throws {
        let fixture = try Self.fixture()
        try fixture.gateway.makeProject("other")
        let home = fixture.gateway.home.path
        for path in [
            "\(home)/other", "\(home)/demo2", home, "/", "/etc", "\(home)/demo/../other", "\(home)/demo/..", "..",
            "../other", "~", "\(home)/demo%252f..%252f..",
        ] {
            for (query, headers) in Self.requests(path) {
                let answer = try fixture.request("GET", "/session\(query)", headers: headers)
                #expect(answer.status == 403, "\(query) \(headers)")
                let way =
                    headers.isEmpty
                    ? "The query names a directory" : "The field x-opencode-directory names a directory"
                #expect(answer.text.hasPrefix(#"{"detail":"\#(way) outside project demo"#), "\(answer.text)")
                #expect(!answer.text.contains(path) || path.count < 3)
            }
        }

        #expect(fixture.instance.requests.count == 0)
    }

    @Test func `each of several named directories is checked`() throws {
        let fixture = try Self.fixture()
        let (folder, other) = ("\(fixture.gateway.home.path)/demo", "\(fixture.gateway.home.path)/other")
        for query in [
            "?directory=\(folder)&directory=\(other)", "?directory=\(other)&directory=\(folder)",
            "?directory=\(folder)&location[directory]=\(other)", "?directory=&directory=\(other)",
        ] {
            #expect(try fixture.request("GET", "/session\(query)").status == 403, "\(query)")
        }
        let field = ("x-opencode-directory", other)

        #expect(try fixture.request("GET", "/session?directory=\(folder)", headers: [field]).status == 403)

        let twice = [("x-opencode-directory", folder), ("X-Opencode-Directory", folder)]
        let answer = try fixture.request("GET", "/session", headers: twice)

        #expect(answer.status == 403)
        #expect(answer.text.contains("several fields x-opencode-directory"))
        #expect(fixture.instance.requests.count == 0)
    }

    @Test(arguments: ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
    func `directory pinning applies to each method`(method: String) throws {
        let fixture = try Self.fixture()
        let answer = try fixture.request(method, "/session?directory=/etc", body: method == "GET" ? nil : [1, 2, 3])

        #expect(answer.status == 403)
        #expect(try fixture.request(method, "/session", headers: [("x-opencode-directory", "/etc")]).status == 403)
        #expect(fixture.instance.requests.count == 0)
    }

    @Test func `an upload is rejected before its body is read`() throws {
        let fixture = try Self.fixture()
        let client = try fixture.send(
            "POST", "/session?directory=/etc", headers: [("Content-Length", "100000000"), ("Expect", "100-continue")])
        let answer = try ResponseReader(client).readAll()

        #expect(answer.status == 403)
        #expect(answer.interim == [])
    }

    @Test func `directory pinning applies to WebSocket requests`() throws {
        let fixture = try Self.fixture()
        let upgrade = TestConnection.webSocketUpgrade

        #expect(try fixture.request("GET", "/pty/p/connect?directory=/etc", headers: upgrade).status == 403)
        #expect(try fixture.request("GET", "/pty/p/connect?location[directory]=/", headers: upgrade).status == 403)
        #expect(fixture.instance.requests.count == 0)
    }

    @Test func `a directory field that the Connection field names is checked`() throws {
        let fixture = try Self.fixture()
        let headers = [("Connection", "x-opencode-directory"), ("x-opencode-directory", "/etc")]

        #expect(try fixture.request("GET", "/session", headers: headers).status == 403)
    }

    @Test func `a request without a key is rejected with 401 regardless of the directory that it names`() throws {
        let fixture = try Self.fixture()
        let target = ProxyFixture.target("/session?directory=/etc")

        #expect(try TestClient.request(port: fixture.gateway.port, "GET", target).status == 401)
    }

    @Test func `the gateway's own endpoints ignore a directory`() throws {
        let fixture = try Self.fixture()

        #expect(try fixture.gateway.request("GET", "/projects/demo/status?directory=/etc").status == 200)
        #expect(try fixture.gateway.request("GET", "/projects?directory=/etc").status == 200)
    }

    @Test func `a linked project can be named by both of its paths`() throws {
        let instance = try FakeOpenCode().start { connection, _ in try connection.respond(200, text: "opened") }
        let gateway = try GatewayUnderTest()
        let home = gateway.home.path
        try gateway.makeProject("real")
        try gateway.makeProject("other")
        try gateway.link("link", to: "real")
        try gateway.start(instance, as: "link")

        for (path, status) in [("link", 200), ("link/src", 200), ("real", 200), ("real/src", 200), ("other", 403)] {
            let answer = try gateway.request("GET", "/projects/link/api/x?directory=\(home)/\(path)")
            #expect(answer.status == status, "\(path)")
        }
    }

    @Test(arguments: [["--no-directory-pinning"], ["--directory-pinning", "off"], ["--directory-pinning=off"]])
    func `a flag disables directory pinning`(flags: [String]) throws {
        let fixture = try Self.fixture(flags)

        for (query, headers) in Self.requests("/etc") {
            #expect(
                try fixture.request("GET", "/session\(query)", headers: headers).text == "opened", "\(query) \(headers)"
            )
        }
    }

    @Test func `VIBE_DIRECTORY_PINNING=off disables directory pinning`() throws {
        let fixture = try Self.fixture(environment: ["VIBE_DIRECTORY_PINNING": "off"])

        #expect(try fixture.request("GET", "/session?directory=/etc").text == "opened")
    }
}
