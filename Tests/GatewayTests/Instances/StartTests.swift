// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import TestThreads
import Testing

/// Tests that all clients that request a start share one start, and receive a response before they time out.
@Suite(.onTestThreads) struct StartTests {
    @Test func `a hundred concurrent start requests cause one start and all succeed`() throws {
        let fixture = try SimulatorFixture("banner-late=300")
        let answers = Recorded<TestResponse>("an answer to a start")
        let threads = try (0..<100).map { _ in
            try TestThread { if let answer = try? fixture.start() { answers.append(answer) } }
        }
        for thread in threads { thread.join() }

        #expect(answers.count == 100)

        let port = try #require(try fixture.status().port)
        let expected = ["started", "already_running"].map { #"{"name":"demo","port":\#(port),"status":"\#($0)"}"# }

        // A client whose request arrives after readiness receives the response that the instance already runs.
        #expect(answers.values.allSatisfy { $0.status == 200 && expected.contains($0.text) })

        try fixture.waitForLog("the instance is ready")

        #expect(fixture.gateway.log.count { $0.contains("the instance is starting") } == 1)
    }

    @Test func `a start that takes too long is answered with 504 and continues`() throws {
        let fixture = try SimulatorFixture("banner-late=5000", flags: ["--start-answer-timeout", "300ms"])
        let answer = try fixture.start()

        #expect(answer.status == 504)
        #expect(
            answer.text
                == #"{"detail":"OpenCode instance for demo is still starting (booting). The start continues: "#
                + #"request the project's status until it is ready."}"#)

        let status = try fixture.status()

        #expect(status.state == "booting")
        #expect(status.pid != nil)
        #expect(status.port == nil)

        let refused = try fixture.request("/path")

        #expect(refused.status == 503)
        #expect(refused.value(of: "Retry-After") == "1")
        #expect(
            refused.text
                == #"{"detail":"OpenCode instance for demo is still starting (booting). Try again in a moment."}"#)

        try fixture.waitForLog("the instance is ready")

        #expect(try fixture.status().state == "ready")
        #expect(try fixture.start().text.hasSuffix(#""status":"already_running"}"#))
    }

    @Test func `a missing port announcement causes its own error message`() throws {
        let fixture = try SimulatorFixture("banner-never", flags: ["--start-timeout", "300ms"])
        let answer = try fixture.start()

        #expect(answer.status == 500)
        #expect(
            answer.text.hasPrefix(
                #"{"detail":"Service started but failed to get port. "#
                    + #"OpenCode did not announce its port within 0.3 s."#))

        try fixture.waitForLog("the instance failed")

        #expect(try fixture.gateway.request("DELETE", "/projects/demo/stop").status == 200)
        #expect(try fixture.status().pid == nil)
    }

    @Test func `the status reports the details of an instance, and the list only the contract's fields`() throws {
        let fixture = try SimulatorFixture()
        let stopped = try fixture.status()

        #expect(stopped.state == "stopped")
        #expect(!stopped.isRunning)
        #expect(stopped.pid == nil)
        #expect(stopped.version == nil)

        let before = Date().addingTimeInterval(-1)
        try fixture.start()
        let ready = try fixture.status()

        #expect(ready.state == "ready")
        #expect(ready.isRunning)
        #expect(ready.version == "1.18.33")
        #expect(ready.warnings == [])

        let since = try #require(ISO8601DateFormatter().date(from: ready.since))

        #expect((before...Date()).contains(since), "\(ready.since)")

        let command = try String(contentsOfFile: "/proc/\(try #require(ready.pid))/cmdline", encoding: .utf8)

        #expect(command.contains("opencode-simulator"))

        // The list contains only the contract's fields.
        let list = try fixture.gateway.request("GET", "/projects")

        #expect(
            list.text
                == #"[{"name":"demo","path":"\#(fixture.gateway.home.path)/demo","has_git":false,"#
                + #""has_package_json":false,"is_running":true,"port":\#(try #require(ready.port))}]"#)
    }

    @Test func `a password that the instance does not require is reported as a warning`() throws {
        // The instance responds to any client.
        let instance = try FakeOpenCode().start { connection, _ in try connection.respond(200) }
        let gateway = try GatewayUnderTest()
        try gateway.start(instance)
        let status = try gateway.request("GET", "/projects/demo/status")

        #expect(status.text.contains(#""warnings":["password not enforced by this OpenCode version"]"#))

        try gateway.process.waitForLine(on: .error) {
            $0.contains("password not enforced by this OpenCode version") && $0.contains(#""project":"demo""#)
        }
    }
}
