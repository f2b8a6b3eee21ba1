// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import TestThreads
import Testing

/// Tests that a gateway that is killed with SIGKILL stops no instance, and that the next gateway recognizes the
/// instances that it finds.
@Suite(.onTestThreads) struct KilledGatewayTests {
    private let tools: TemporaryDirectory
    private let opencode: String

    init() throws {
        tools = try TemporaryDirectory()
        opencode = try ListedSimulator(in: tools).opencode
    }

    @Test func `the next gateway takes over running instances and starts no second server`() throws {
        let first = try GatewayUnderTest(opencode: opencode)
        try first.makeProject("demo")

        #expect(try first.request("POST", "/projects/demo/start").status == 200)

        let session = try first.request("POST", "/projects/demo/api/session", body: Array("{}".utf8)).text
        let identifier = try #require(session.split(separator: "\"").first { $0.hasPrefix("ses_") })
        first.process.terminate(SIGKILL)
        try first.process.waitForExit()

        let second = try GatewayUnderTest(opencode: opencode, after: first)
        let answer = try second.request("POST", "/projects/demo/start")

        #expect(answer.text.contains(#""status":"already_running""#), "\(answer.text)")
        // This is the same server with its password, because it still has the session.
        #expect(try second.request("GET", "/projects/demo/api/session/\(identifier)").status == 200)

        let servers = try ListedSimulator.servers(second)

        #expect(servers.count == 1)

        try second.waitForLog("adopted a running instance")

        #expect(try second.request("DELETE", "/projects/demo/stop").status == 200)
        #expect(!servers.contains(where: ProcessMeasures.isAlive))

        try second.terminate()
    }

    @Test func `adopted instances end with the gateway`() throws {
        let first = try GatewayUnderTest(opencode: opencode)
        for project in ["one", "two", "three"] {
            try first.makeProject(project)
            #expect(try first.request("POST", "/projects/\(project)/start").status == 200)
        }
        first.process.terminate(SIGKILL)
        try first.process.waitForExit()
        let second = try GatewayUnderTest(opencode: opencode, after: first)
        let servers = try ListedSimulator.servers(second)

        #expect(servers.count == 3)
        #expect(servers.allSatisfy(ProcessMeasures.isAlive))
        #expect(try second.terminate() == .exited(0))
        #expect(!servers.contains(where: ProcessMeasures.isAlive))
    }

    @Test func `a killed gateway's unresponsive server prevents a start until it is stopped`() throws {
        let first = try GatewayUnderTest(opencode: opencode)
        try first.makeProject("demo")

        #expect(try first.request("POST", "/projects/demo/start").status == 200)

        let server = try #require(try ListedSimulator.servers(first).first)
        kill(server, SIGSTOP)
        first.process.terminate(SIGKILL)
        try first.process.waitForExit()
        let second = try GatewayUnderTest(
            flags: ["--start-timeout", "5s", "--stop-timeout", "1s"], opencode: opencode, after: first)
        let refusal = try second.request("POST", "/projects/demo/start", within: .seconds(30))

        #expect(refusal.status == 500, "\(refusal.text)")
        #expect(try ListedSimulator.servers(second) == [server])
        #expect(try second.request("DELETE", "/projects/demo/stop").status == 200)
        #expect(try second.request("POST", "/projects/demo/start").status == 200)
        #expect(!ProcessMeasures.isAlive(server))
        #expect(try ListedSimulator.servers(second).count(where: ProcessMeasures.isAlive) == 1)

        try second.terminate()
    }

    @Test func `a second gateway for the same projects exits with an error`() throws {
        let first = try GatewayUnderTest(opencode: opencode)
        try first.makeProject("demo")

        #expect(try first.request("POST", "/projects/demo/start").status == 200)

        let error = #expect(throws: TestKitError.self) { try GatewayUnderTest(opencode: opencode, after: first) }

        #expect(
            error.map { "\($0)" }?.contains(
                "viberemote-gateway: another gateway (process \(first.process.pid)) already runs instances") == true)
        // The first gateway's instance is not affected.
        #expect(try first.request("GET", "/projects/demo/api/session").status == 200)
        #expect(try ListedSimulator.servers(first).count == 1)

        try first.terminate()
    }

    @Test func `repeated kills during a start never leave a second server`() throws {
        var gateway = try GatewayUnderTest(opencode: opencode)
        try gateway.makeProject("demo")
        for _ in 0..<4 {
            // The kill happens in the middle of a start.
            let connection = try gateway.connect()
            try connection.send("POST", "/projects/demo/start", headers: [GatewayUnderTest.authorization])
            try gateway.process.waitForLine(on: .error) { $0.contains(" starting") || $0.contains("adopted") }
            gateway.process.terminate(SIGKILL)
            try gateway.process.waitForExit()
            connection.close()
            gateway = try GatewayUnderTest(opencode: opencode, after: gateway)
        }

        #expect(try gateway.request("POST", "/projects/demo/start").status == 200)
        #expect(try ListedSimulator.servers(gateway).count(where: ProcessMeasures.isAlive) == 1)
        #expect(try gateway.terminate() == .exited(0))
        #expect(try !ListedSimulator.servers(gateway).contains(where: ProcessMeasures.isAlive))
    }
}
