// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import TestThreads
import Testing

/// Tests the gateway's own queries to an instance, and their effects.
@Suite(.onTestThreads) struct InstanceQueriesTests {
    private func status(_ gateway: GatewayUnderTest) throws -> String {
        try gateway.request("GET", "/projects/demo/status").text
    }

    /// Waits until `status` contains the words, and returns it.
    private func wait(for words: String, in gateway: GatewayUnderTest) throws -> String {
        let deadline = Deadline(after: .seconds(30))
        while true {
            let text = try status(gateway)
            if text.contains(words) || deadline.hasPassed { return text }
            _ = poll(nil, 0, 20)
        }
    }

    // MARK: Health

    /// Tests the versions 2.0.3 to 2.0.10, whose health response has no version.
    @Test func `the health of an OpenCode 2.0.3 to 2.0.10 is queried at /api/health`() throws {
        let paths = Recorded<String>("a health check")
        let family = FakeOpenCode.Family.two { path in
            paths.append(path)
            return path == "/api/health" ? #"{"healthy":true}"# : nil
        }
        let instance = try FakeOpenCode(family).start { connection, _ in try connection.respond(200, text: "{}") }
        let gateway = try GatewayUnderTest(flags: ["--health-interval", "50ms"])
        try gateway.start(instance)

        #expect(try status(gateway).contains(#""version":null,"api":"2""#))

        try paths.wait("later checks", within: .seconds(30)) { $0.count > 6 }

        // The path was found within two round trips, and is kept for the run.
        #expect(paths.values.filter { $0 == "/api/info" }.count == 1, "\(paths.values)")
        #expect(paths.values.prefix(2) == ["/api/info", "/api/health"])
        #expect(instance.requests.values.map(\.path) == [], "/global/health was asked")
    }

    @Test func `a health answer from another server's process is rejected`() throws {
        let family = FakeOpenCode.Family.two { _ in #"{"version":"2.0.15","pid":\#(getpid())}"# }
        let instance = try FakeOpenCode(family).start { connection, _ in try connection.respond(200, text: "{}") }
        let gateway = try GatewayUnderTest(flags: ["--start-timeout", "6s"])

        #expect(throws: TestFailure.self) { try gateway.start(instance) }

        let text = try status(gateway)

        #expect(
            text.contains("process \(getpid()), which is not one of the instance's processes"), "\(text)")
    }

    @Test(arguments: [
        ("server listening on http://0.0.0.0:4096", "0.0.0.0"), ("server listening on http://::1:4096", "::1"),
        ("opencode server listening on http://192.0.2.7:4096", "192.0.2.7"),
    ])
    func `a start fails if OpenCode listens on another address, which the error names`(line: String, address: String)
        throws
    {
        let gateway = try GatewayUnderTest()
        try gateway.makeProject("demo")
        let command = try gateway.home.write(
            "#!/bin/sh\necho '\(line)'\nexec sleep 1000\n", to: ".elsewhere", mode: 0o755)
        try gateway.home.write("VIBE_OPENCODE=\(command)\n", to: ".config/opencode/env.d/demo.env", mode: 0o600)
        let answer = try gateway.request("POST", "/projects/demo/start")

        #expect(answer.status == 500)
        #expect(
            answer.text.contains("OpenCode listens on \(address), but the gateway connects only to 127.0.0.1"),
            "\(answer.text)")
        #expect(try wait(for: #""state":"failed""#, in: gateway).contains("listens on \(address)"))
    }

    // MARK: Set-up

    @Test(arguments: [FakeOpenCode.Family.one(), .two()])
    func `a broken configuration causes a warning after the first response`(family: FakeOpenCode.Family) throws {
        let isTwo = if case .two = family { true } else { false }
        let path = isTwo ? "/api/config" : "/config"
        let instance = try FakeOpenCode(family).requiringPassword().query(path, nil)
            .route(path, status: 400, #"{"name":"ConfigInvalidError","data":{"path":"/home/vibe/demo/opencode.json"}}"#)
            .start { connection, _ in try connection.respond(200, text: "{}") }
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)

        #expect(try status(gateway).contains(#""warnings":[]"#))
        #expect(!instance.requests.values.contains { $0.path == path }, "asked before anybody needs the folder")

        for _ in 1...3 { #expect(try gateway.request("GET", "/projects/demo/api/x").status == 200) }
        let text = try wait(for: "ConfigInvalidError", in: gateway)

        #expect(text.contains("(400, ConfigInvalidError, /home/vibe/demo/opencode.json)"), "\(text)")

        for _ in 1...3 { #expect(try gateway.request("GET", "/projects/demo/api/x").status == 200) }

        #expect(instance.requests.values.count { $0.path == path } == 1)
    }

    @Test func `a missing model causes a warning`() throws {
        let instance = try FakeOpenCode(.two()).requiringPassword().query("/api/model", #"{"data":[]}"#)
            .start { connection, _ in try connection.respond(200, text: "{}") }
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)

        #expect(try gateway.request("GET", "/projects/demo/api/api/session").status == 200)
        #expect(try status(gateway).contains(#""warnings":[]"#))
        #expect(try wait(for: "OpenCode has no model", in: gateway).contains("OpenCode has no model"))
    }
}
