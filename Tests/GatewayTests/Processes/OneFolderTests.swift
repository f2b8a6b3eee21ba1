// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import TestThreads
import Testing

/// Tests that each folder has one server, even when gateways reach the folder by another path or from another
/// environment.
@Suite(.onTestThreads) struct OneFolderTests {
    private let other: TemporaryDirectory
    private let opencode: String

    init() throws {
        other = try TemporaryDirectory()
        opencode = try ListedSimulator(in: other).opencode
    }

    @Test func `a gateway with the same home directory under another path or environment exits with an error`() throws {
        let first = try GatewayUnderTest(opencode: opencode)
        let link = "\(other.path)/link"

        #expect(symlink(first.home.path, link) == 0)

        for path in [first.home.path, first.home.path + "/", link] {
            let run = try ProgramRun(
                ["serve", "--listen", "127.0.0.1:0", "--home", path, "--supervisor", "process"],
                [
                    "VIBE_AUTH_SECRET": GatewayUnderTest.key, "VIBE_CONFIG": "none", "HOME": other.path,
                    "XDG_RUNTIME_DIR": other.path,
                ])
            #expect(run.status == .exited(1), "\(path)")
            #expect(run.output.isEmpty)
            #expect(run.error.last?.contains("another gateway (process \(first.process.pid)) already runs") == true)
        }
        try first.terminate()
    }

    @Test func `an unrecorded server of a killed gateway is ended and replaced`() throws {
        let first = try GatewayUnderTest(opencode: opencode)
        try first.makeProject("demo")

        #expect(try first.request("POST", "/projects/demo/start").status == 200)

        first.process.terminate(SIGKILL)
        try first.process.waitForExit()
        let second = try GatewayUnderTest(
            environment: ["XDG_RUNTIME_DIR": other.path], opencode: opencode, after: first)
        let answer = try second.request("POST", "/projects/demo/start")

        #expect(answer.text.contains(#""status":"started""#), "\(answer.text)")

        let servers = try ListedSimulator.servers(second)

        try #require(servers.count == 2)
        #expect(!ProcessMeasures.isAlive(servers[0]))
        #expect(ProcessMeasures.isAlive(servers[1]))

        try second.waitForLog("ending a server that has no record")
        try second.terminate()
    }

    /// Such a server is started by `viberemote-gateway exec` in a unit, for example.
    @Test
    func `the error of a start names the process that already serves the project folder`() throws {
        let gateway = try GatewayUnderTest(opencode: opencode)
        try gateway.makeProject("demo")
        let mayEnd = "\(other.path)/may-end"

        #expect(mkfifo(mayEnd, 0o600) == 0)

        let waiting = try other.write("#!/bin/sh\necho up\nread line <'\(mayEnd)'\n", to: "waiting", mode: 0o755)
        let unit = try TestProcess(
            try BuiltProducts.path("viberemote-gateway"), ["exec", "demo"],
            environment: [
                "HOME": other.path, "XDG_RUNTIME_DIR": other.path, "HOME_DIR": gateway.home.path,
                "VIBE_CONFIG": "none", "VIBE_OPENCODE": waiting,
            ])
        try unit.waitForLine(on: .output) { $0 == "up" }
        let refusal = try gateway.request("POST", "/projects/demo/start")

        #expect(refusal.status == 500)
        #expect(
            refusal.text.contains(
                "Failed to start service: process \(unit.pid), which this gateway did not start, already serves"),
            "\(refusal.text)")
        #expect(ProcessMeasures.isAlive(unit.pid))

        unit.terminate()
        _ = try unit.waitForExit()

        #expect(try gateway.request("POST", "/projects/demo/start").status == 200)

        try gateway.terminate()
    }

    @Test func `exec refuses to start a second server in an instance's project folder`() throws {
        let gateway = try GatewayUnderTest(opencode: opencode)
        try gateway.makeProject("demo")

        #expect(try gateway.request("POST", "/projects/demo/start").status == 200)

        let server = try #require(try ListedSimulator.servers(gateway).first)
        let run = try ProgramRun(
            ["exec", "demo"],
            [
                "HOME": other.path, "XDG_RUNTIME_DIR": other.path, "HOME_DIR": gateway.home.path,
                "VIBE_CONFIG": "none", "VIBE_OPENCODE": "/bin/true",
            ])

        #expect(run.status == .exited(75))
        #expect(
            run.error.last?.contains(
                "Cannot serve demo: process \(server), which this gateway did not start, already serves") == true)

        try gateway.terminate()
    }
}
