// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import TestThreads
import Testing

/// Tests instances that end by themselves: restarts with back-off, the responses to clients in the meantime, and the
/// limit on restarts.
@Suite(.onTestThreads) struct CrashTests {
    @Test func `an instance that ends is restarted, and clients receive 503 with Retry-After meanwhile`() throws {
        let fixture = try SimulatorFixture(flags: ["--restart-delay", "4500ms"])
        try fixture.start()
        let before = try fixture.status()

        #expect(before.state == "ready")
        #expect(before.restarts == 0)
        #expect(before.lastError == nil)

        try? fixture.misbehave("crash-after=0")
        try fixture.waitForLog("the instance will be restarted")

        #expect(
            fixture.gateway.log.contains {
                $0.contains("the instance will be restarted") && $0.contains("OpenCode ended with exit status 1.")
            })

        let refused = try fixture.request("/path")

        #expect(refused.status == 503)
        #expect(refused.value(of: "Retry-After") == "5")
        #expect(
            refused.text
                == #"{"detail":"OpenCode instance for demo exited, and the gateway restarts it (restarting). "#
                + #"Try again in a moment."}"#)

        let meanwhile = try fixture.status()

        #expect(meanwhile.state == "restarting")
        #expect(!meanwhile.isRunning)
        #expect(meanwhile.port == nil)
        #expect(meanwhile.pid == nil)

        try fixture.waitForLog("the instance is ready", times: 2)

        #expect(try fixture.request("/path").status == 200)

        let after = try fixture.status()

        #expect(after.state == "ready")
        #expect(after.restarts == 1)
        #expect(after.pid != before.pid)
        #expect(after.lastError?.hasPrefix("OpenCode ended with exit status 1. Its last output:") == true)
        #expect(after.lastError?.contains("crashes because of crash-after or crash-at") == true)  // wording: quoted
    }

    @Test func `an instance fails after five quick failures in a row`() throws {
        // A requested start that never becomes ready is not retried, so the first start must become ready.
        let fixture = try SimulatorFixture(flags: ["--restart-delay", "10ms"])
        try fixture.start()
        try fixture.plan("crash-after=20")
        kill(try #require(try fixture.status().pid), SIGKILL)
        try fixture.waitForLog(
            #""reason":"The gateway does not restart the instance after 5 quick failures in a row."#)
        let status = try fixture.status()

        #expect(status.state == "failed")
        #expect(status.restarts == 4)
        #expect(status.pid == nil)
        #expect(status.lastError?.contains("crashes because of crash-after or crash-at") == true)  // wording: quoted

        // Waiting does not help: no Retry-After, and the contract's sentence.
        let refused = try fixture.request("/path")

        #expect(refused.status == 503)
        #expect(refused.value(of: "Retry-After") == nil)
        #expect(refused.text == #"{"detail":"OpenCode instance for demo is not running. Start it first."}"#)

        // A client requests the start again.
        try fixture.plan("")

        #expect(try fixture.start().status == 200)
        #expect(try fixture.status().restarts == 0)
    }

    @Test func `a start request ends the delay before a restart`() throws {
        let fixture = try SimulatorFixture(flags: ["--restart-delay", "1h", "--max-restart-delay", "1h"])
        try fixture.start()
        try? fixture.misbehave("crash-after=0")
        try fixture.waitForLog("the instance will be restarted")
        let answer = try fixture.start()

        #expect(answer.status == 200)
        #expect(answer.text.hasSuffix(#""status":"started"}"#))
    }

    @Test func `a stop request cancels the pending restart`() throws {
        let fixture = try SimulatorFixture(flags: ["--restart-delay", "1h", "--max-restart-delay", "1h"])
        try fixture.start()
        try? fixture.misbehave("crash-after=0")
        try fixture.waitForLog("the instance will be restarted")

        #expect(try fixture.gateway.request("DELETE", "/projects/demo/stop").status == 200)

        let status = try fixture.status()

        #expect(status.state == "stopped")
        #expect(status.lastError == nil)
    }

    @Test func `a failed start reports its reason and the last lines of output`() throws {
        let fixture = try SimulatorFixture("exit-at-start=7")
        let answer = try fixture.start()

        #expect(answer.status == 500)
        #expect(
            answer.text.hasPrefix(
                #"{"detail":"Failed to start service: OpenCode ended with exit status 7 before it announced its port. "#
                    + #"Its last output:\n"#))

        let status = try fixture.status()

        #expect(status.state == "failed")

        // The lines contain colour codes, but their output is not a terminal.
        try fixture.waitForLog(#"\u001b[91m"#)

        #expect(!answer.text.contains(#"\u00"#), "\(answer.text)")
        #expect(try #require(status.lastError).unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 })
    }
}
