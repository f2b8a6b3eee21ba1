// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import TestThreads
import Testing

/// Tests that each problem of an instance is reported with its own reason, and that a busy instance is not mistaken for
/// a hung one.
@Suite(.onTestThreads) struct HealthTests {
    @Test(arguments: [
        ("health=401", "requires a password", 6), ("health=500", "with 500", 6),
        ("health=404", "has no /global/health", 6), ("health=page", "with a web page", 6),
        // The five seconds of the check begin when the instance has announced its port.
        ("health=hang", "did not respond to its health check within 5s", 12),
        ("health=unhealthy", "reports that it is not healthy", 6), ("refuse", "does not accept connections", 6),
    ]) func `each health problem is reported with its own reason`(words: String, reason: String, seconds: Int) throws {
        let fixture = try SimulatorFixture(words, flags: ["--start-timeout", "\(seconds)s"])
        let answer = try fixture.start()

        #expect(answer.status == 500)
        #expect(answer.text.contains("was not healthy within \(seconds) s: OpenCode "), "\(answer.text)")
        #expect(answer.text.contains(reason), "\(answer.text)")
        #expect(try fixture.status().lastError?.contains(reason) == true)
    }

    @Test func `the status has the reason of the failing health check while the instance is probed`() throws {
        let fixture = try SimulatorFixture("health=500", flags: ["--start-answer-timeout", "500ms"])

        #expect(try fixture.start().status == 504)

        // The instance may not have announced its port by then.
        let deadline = Deadline(after: .seconds(20))
        while try fixture.status().lastError?.contains("with 500") != true, !deadline.hasPassed {}
        let status = try fixture.status()

        #expect(status.state == "probing")
        #expect(status.lastError?.contains("with 500") == true)

        try fixture.plan("")
    }

    @Test func `an instance with slow health checks and work in progress is busy`() throws {
        let fixture = try SimulatorFixture(
            flags: ["--health-interval", "100ms", "--unhealthy-after", "4s"],
            environment: ["SIMULATOR_HEARTBEAT_MS": "50"])
        try fixture.start()
        // The stream's heartbeats count as work in progress.
        let events = try TestClient.events(
            port: fixture.gateway.port, "/projects/demo/api/event", headers: [GatewayUnderTest.authorization])
        _ = try events.next()
        try fixture.misbehave("health-late=600000")
        try fixture.waitForLog("the instance is busy")
        let status = try fixture.status()

        #expect(status.state == "busy")
        #expect(status.isRunning)
        #expect(try fixture.request("/path").status == 200)
        #expect(!fixture.gateway.log.contains { $0.contains("the instance is unhealthy") })

        withExtendedLifetime(events) {}
    }

    @Test func `a busy instance is ready again after a prompt health response`() throws {
        let fixture = try SimulatorFixture(flags: ["--health-interval", "100ms", "--unhealthy-after", "2s"])
        try fixture.start()

        // This is slow, but not slow enough for the instance to count as hung.
        try fixture.misbehave("health-late=1000")
        try fixture.waitForLog("the instance is busy")

        try fixture.misbehave("")
        try fixture.waitForLog("the instance is ready", times: 2)
    }

    @Test func `requests still reach an unhealthy instance that neither responds nor makes progress`() throws {
        let fixture = try SimulatorFixture(flags: ["--health-interval", "100ms", "--unhealthy-after", "1s"])
        try fixture.start()
        let before = try fixture.status()
        try fixture.misbehave("wedge")
        try fixture.waitForLog(#""reason":"The instance responded to no health check and sent no data for 1 s.""#)

        #expect(fixture.gateway.log.contains { $0.contains("the instance is unhealthy") })

        let status = try fixture.status()

        #expect(status.state == "unhealthy")
        #expect(status.isRunning)
        #expect(status.port == before.port)
        #expect(status.lastError == "The instance responded to no health check and sent no data for 1 s.")
        // The gateway does not restart the instance on its own. This request reaches the instance and lets it resume.
        #expect(status.pid == before.pid)
        #expect(status.restarts == 0)

        try fixture.misbehave("")
        try fixture.waitForLog("the instance is ready", times: 2)

        #expect(try fixture.status().pid == before.pid)
    }

    @Test func `an unhealthy instance is restarted if --restart-unhealthy is on`() throws {
        let fixture = try SimulatorFixture(
            flags: [
                "--health-interval", "100ms", "--unhealthy-after", "1s", "--restart-unhealthy", "on",
                "--restart-delay", "10ms",
            ])
        try fixture.start()
        let before = try fixture.status()
        try fixture.misbehave("wedge")
        try fixture.waitForLog("the instance is ready", times: 2)
        let after = try fixture.status()

        #expect(after.restarts == 1)
        #expect(after.pid != before.pid)
        #expect(after.lastError == "The instance responded to no health check and sent no data for 1 s.")
    }

    @Test func `a stopped process is unhealthy until it continues`() throws {
        let fixture = try SimulatorFixture(flags: ["--health-interval", "100ms", "--unhealthy-after", "1s"])
        try fixture.start()
        let process = try #require(try fixture.status().pid)

        kill(process, SIGSTOP)
        defer { kill(process, SIGCONT) }
        try fixture.waitForLog("the instance is unhealthy")

        kill(process, SIGCONT)
        try fixture.waitForLog("the instance is ready", times: 2)
    }
}
