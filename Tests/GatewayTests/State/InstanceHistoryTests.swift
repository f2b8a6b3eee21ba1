// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import TestKit
import TestThreads
import Testing

/// Tests the history of an instance across several gateway processes, with `GET /projects/NAME/history` and `project
/// history NAME`.
@Suite(.onTestThreads) struct InstanceHistoryTests {
    struct Event: Decodable, Equatable {
        let time: String
        let event: String
        let by: String?
        let version: String?
        let reason: String?
    }

    private struct History: Decodable {
        let name: String
        let history: [Event]
    }

    static func events(_ gateway: GatewayUnderTest, _ project: String = "demo") throws -> [Event] {
        let answer = try gateway.request("GET", "/projects/\(project)/history")
        try #require(answer.status == 200, "\(answer.text)")
        let history = try JSONDecoder().decode(History.self, from: Data(answer.body))
        #expect(history.name == project)
        return history.history
    }

    private static func since(_ gateway: GatewayUnderTest) throws -> [String?] {
        let answer = try gateway.request("GET", "/projects/demo/status")
        let object = try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
        return [object["state"] as? String, object["since"] as? String, object["last_error"] as? String]
    }

    private func command(_ gateway: GatewayUnderTest, _ words: [String]) throws -> ProgramRun {
        try ProgramRun(
            ["project", "history"] + words + ["--listen", "127.0.0.1:\(gateway.port)"],
            ["VIBE_AUTH_SECRET": GatewayUnderTest.key])
    }

    @Test func `the history has each event with its time, key and reason`() throws {
        let fixture = try SimulatorFixture(flags: ["--restart-delay", "10ms"])

        #expect(try Self.events(fixture.gateway) == [])
        #expect(
            try command(fixture.gateway, ["demo"]).output == ["No events are recorded for demo yet."])

        try fixture.start()
        try? fixture.misbehave("crash-after=0")
        try fixture.waitForLog("the instance is ready", times: 2)

        #expect(try fixture.gateway.request("DELETE", "/projects/demo/stop").status == 200)

        let events = try Self.events(fixture.gateway)

        #expect(events.map(\.event) == ["started", "ready", "ended", "restarted", "ready", "stopped"])
        // The history contains the name of the key, not the key.
        #expect(events.map(\.by) == ["VIBE_AUTH_SECRET", nil, nil, nil, nil, "VIBE_AUTH_SECRET"])

        let version = try #require(events[1].version)

        #expect(events[4].version == version)
        #expect(events[2].version == nil)
        // The history omits the last lines of output.
        #expect(events[2].reason == "OpenCode ended with exit status 1.")

        let times = events.map(\.time)

        #expect(times == times.sorted(), "\(times)")
        #expect(times.allSatisfy { $0.hasSuffix("Z") && $0.count == 24 }, "\(times)")

        let run = try command(fixture.gateway, ["demo"])

        #expect(run.status == .exited(0))
        #expect(run.output.first == "\(times[0])  started    by VIBE_AUTH_SECRET")
        #expect(run.output.dropFirst().first == "\(times[1])  ready      OpenCode \(version)")
        #expect(run.output.contains("\(times[3])  restarted"))
        #expect(run.output.contains("\(times[2])  ended      OpenCode ended with exit status 1."))

        let json = try command(fixture.gateway, ["demo", "--json"])

        #expect(json.output == [try fixture.gateway.request("GET", "/projects/demo/history").text])

        let missing = try fixture.gateway.request("GET", "/projects/none/history")

        #expect(missing.status == 404)
        #expect(missing.text == #"{"detail":"Project not found: none"}"#)
        #expect(try command(fixture.gateway, ["none"]).error == ["Project not found: none"])
    }

    @Test func `the history survives a restart of the gateway`() throws {
        let fixture = try SimulatorFixture(flags: ["--max-quick-failures", "1"])
        try fixture.start()
        kill(try #require(try fixture.status().pid), SIGKILL)
        try fixture.waitForLog("the instance failed")
        let (before, state) = try (Self.events(fixture.gateway), Self.since(fixture.gateway))

        #expect(before.map(\.event) == ["started", "ready", "failed"])
        #expect(state[0] == "failed")
        #expect(before.last?.time.hasPrefix(String(state[1]?.dropLast() ?? "?")) == true)

        let reason = try #require(before.last?.reason)

        #expect(!reason.contains("\n"))
        #expect(state[2]?.hasPrefix(reason) == true)
        #expect(try fixture.gateway.terminate() == .exited(0))

        let next = try GatewayUnderTest(opencode: try BuiltProducts.path("opencode-simulator"), after: fixture.gateway)

        #expect(try Self.events(next) == before)
        #expect(try Self.since(next) == [state[0], state[1], reason])
        #expect(try next.request("GET", "/projects/demo/api/path").status == 503)
        #expect(try next.request("POST", "/projects/demo/start", within: SimulatorFixture.patience).status == 200)
        #expect(try Self.events(next).map(\.event) == ["started", "ready", "failed", "started", "ready"])
        #expect(try next.terminate() == .exited(0))

        let last = try GatewayUnderTest(after: next)
        let stopped = try #require(try Self.events(last).last)

        #expect(stopped.event == "stopped")
        #expect(stopped.by == nil)
        #expect(stopped.reason == "The gateway has ended, and its child processes with it.")
        #expect(try Self.since(last)[1].map { stopped.time.hasPrefix($0.dropLast()) } == true)
    }

    @Test func `the history survives a SIGKILL of the gateway`() throws {
        let fixture = try SimulatorFixture()
        try fixture.start()
        let (before, state) = try (Self.events(fixture.gateway), Self.since(fixture.gateway))
        fixture.gateway.process.terminate(SIGKILL)
        try fixture.gateway.process.waitForExit()
        let next = try GatewayUnderTest(opencode: try BuiltProducts.path("opencode-simulator"), after: fixture.gateway)
        try next.waitForLog("the instance is ready")

        // The instance has continued without an event.
        #expect(try Self.events(next) == before)
        #expect(try Self.since(next) == state)
    }

    @Test func `the state database contains no secret`() throws {
        let fixture = try SimulatorFixture()
        try fixture.start()
        let pid = try #require(try fixture.status().pid)
        let environment = String(decoding: try FileTree.contents("/proc/\(pid)/environ"), as: UTF8.self)
        let password = try #require(
            environment.split(separator: "\0").first { $0.hasPrefix("OPENCODE_SERVER_PASSWORD=") }?
                .split(separator: "=").last.map { String($0) })

        #expect(try Self.events(fixture.gateway).count == 2)

        let folder = fixture.gateway.stateFolder
        for name in ["state.db", "state.db-wal"] {
            let content = try FileTree.contents("\(folder)/\(name)")
            for secret in [password, GatewayUnderTest.key] {
                #expect(!Data(content).contains(Data(secret.utf8)), "\(name)")
            }
        }

        // Prove that the search works by finding a name that must be there.
        #expect(Data(try FileTree.contents("\(folder)/state.db-wal")).contains(Data("VIBE_AUTH_SECRET".utf8)))
    }
}

extension Data {
    fileprivate func contains(_ other: Data) -> Bool { range(of: other) != nil }
}
