// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import TestThreads
import Testing

/// Tests `viberemote-gateway project …`, which sends a request to the running gateway and prints its response.
@Suite(.onTestThreads) struct ProjectCommandTests {
    private static func run(
        _ gateway: GatewayUnderTest, _ arguments: [String], key: String = GatewayUnderTest.key
    ) throws -> ProgramRun {
        try ProgramRun(
            ["project"] + arguments + ["--listen", "127.0.0.1:\(gateway.port)"], ["VIBE_AUTH_SECRET": key])
    }

    @Test func `projects are started, listed, queried and stopped`() throws {
        let instance = try FakeOpenCode().start { connection, _ in try connection.respond(200, text: "") }
        let gateway = try GatewayUnderTest()
        for name in ["my app & co", "grün", "alpha"] {
            try gateway.makeProject(name)
            _ = try gateway.home.write("\(instance.port)\n", to: "\(name)/upstream-port")
        }
        let start = try Self.run(gateway, ["start", "my app & co"])

        #expect(start.status == .exited(0))
        #expect(start.output == ["my app & co: started on port \(instance.port)"])
        #expect(
            try Self.run(gateway, ["start", "my app & co"]).output.first?.contains("already running on port") == true)

        let list = try Self.run(gateway, ["list"])
        let names = ["alpha", "grün", "my app & co"]

        #expect(list.output.first?.split(separator: " ") == ["NAME", "STATE", "PORT", "PATH"])
        #expect(list.output.dropFirst().map { line in names.first { line.hasPrefix($0 + "  ") } } == names)
        #expect(list.output.last?.contains("running  \(instance.port) ") == true)
        #expect(try Self.run(gateway, ["list", "--names"]).output == names)

        let status = try Self.run(gateway, ["status", "my app & co"])

        #expect(
            status.output.contains("name      my app & co") || status.output.contains { $0.hasSuffix("my app & co") })
        #expect(status.output.contains { $0.hasPrefix("port") && $0.hasSuffix(" \(instance.port)") })

        #expect(try Self.run(gateway, ["stop", "my app & co"]).output == ["my app & co: stopped"])
        #expect(try Self.run(gateway, ["stop", "grün"]).status == .exited(0))
    }

    @Test func `a long name widens only its own row`() throws {
        let gateway = try GatewayUnderTest()
        let long = String(repeating: "x", count: 255)
        for name in ["demo", "a-name-of-some-length", long] { try gateway.makeProject(name) }
        let home = gateway.home.path

        #expect(
            try Self.run(gateway, ["list"]).output == [
                "NAME                   STATE  PORT  PATH",
                "a-name-of-some-length  -      -     \(home)/a-name-of-some-length",
                "demo                   -      -     \(home)/demo",
                "\(long)  -      -     \(home)/\(long)",
            ])
    }

    @Test func `--json prints the gateway's response unchanged`() throws {
        let gateway = try GatewayUnderTest()
        try gateway.makeProject("demo")
        let list = try Self.run(gateway, ["list", "--json"])

        #expect(list.output == [try gateway.request("GET", "/projects").text])

        let missing = try Self.run(gateway, ["status", "none", "--json"])

        #expect(missing.status == .exited(1))
        #expect(missing.output == [#"{"detail":"Project not found: none"}"#])
        #expect(missing.error == ["Project not found: none"])
    }

    @Test func `a project name is one path segment regardless of its characters`() throws {
        let gateway = try GatewayUnderTest()
        for name in ["../etc", "a/b", "%2e%2e", "-x", "a?b#c"] {
            let run = try ProgramRun(
                ["project", "status", "--listen", "127.0.0.1:\(gateway.port)", "--", name],
                ["VIBE_AUTH_SECRET": GatewayUnderTest.key])
            #expect(run.status == .exited(1))
            // The error contains the name as the user typed it, not its encoded form.
            #expect(run.error == ["Project not found: \(name)"])
        }
        try gateway.makeProject("%2e%2e")

        #expect(try Self.run(gateway, ["status", "%2e%2e"]).status == .exited(0))
    }

    @Test func `a wrong key and an unreachable gateway are reported with their cause`() throws {
        let gateway = try GatewayUnderTest()
        let run = try Self.run(gateway, ["list"], key: "another-key-0123456789")

        #expect(run.status == .exited(1))
        #expect(
            run.error == [
                "Invalid API key: the running gateway does not accept the key of VIBE_AUTH_SECRET. Use a key of the running "
                    + "gateway."
            ])

        let closed = try RefusingPort()
        let gone = try ProgramRun(
            ["project", "list", "--listen", "127.0.0.1:\(closed.number)"], ["VIBE_AUTH_SECRET": GatewayUnderTest.key])

        #expect(gone.status == .exited(3))
        #expect(gone.output.isEmpty)
        #expect(
            gone.error.first?.hasPrefix(
                "Cannot reach a gateway: 127.0.0.1:\(closed.number) refuses connections. Start one with `viberemote-gateway "
                    + "serve` or `systemctl --user start viberemote-gateway`") == true)
    }

    @Test func `a server that is not a gateway is reported`() throws {
        let other = try TestServer { connection in
            while try connection.readRequestHead(within: .seconds(60)) != nil {
                try connection.respond(200, text: "hello")
            }
        }
        let run = try ProgramRun(
            ["project", "list", "--listen", "127.0.0.1:\(other.port)"], ["VIBE_AUTH_SECRET": GatewayUnderTest.key])

        #expect(run.status == .exited(1))
        #expect(run.error.first?.contains("is not a gateway") == true)
    }

    @Test func `the output of an instance cannot control the terminal`() throws {
        let gateway = try GatewayUnderTest(opencode: "/bin/sh -c 'printf \"\\033[2Jboom\\n\"; exit 1'")
        try gateway.makeProject("demo")
        let run = try Self.run(gateway, ["start", "demo"])

        #expect(run.status == .exited(1))
        #expect(run.error.contains { $0.contains("boom") })
        #expect(!run.error.contains { $0.contains("\u{1B}") })
    }

    @Test func `the key file's key and the configuration file's address are used`() throws {
        let files = try TemporaryDirectory()
        let keys = try files.write("the-key-of-the-file-0123456789\n", to: "keys", mode: 0o600)
        let gateway = try GatewayUnderTest(flags: ["--key-file", keys], environment: ["VIBE_AUTH_SECRET": ""])
        let config = try files.write("VIBE_LISTEN=127.0.0.1:\(gateway.port)\nVIBE_KEY_FILE=\(keys)\n", to: "config")
        let run = try ProgramRun(["project", "list", "--config", config])

        #expect(run.status == .exited(0), "\(run.error)")
        #expect(run.output.count == 1)
    }
}
