// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

@Suite("Response faults", .onTestThreads)
struct FaultTests {
    private func connect(_ simulator: SimulatorProcess, _ target: String) throws -> TestConnection {
        let connection = try TestClient.connect(port: simulator.port)
        try connection.send("GET", target)
        return connection
    }

    @Test func `hang-before-head leaves requests for its path unanswered`() throws {
        let simulator = try SimulatorProcess(misbehave: "hang-before-head=/path")

        #expect(try connect(simulator, "/path").staysSilent(for: .milliseconds(100)))
        #expect(try simulator.get("/session").status == 200)
    }

    @Test func `close-before-head closes the connection without a response`() throws {
        let simulator = try SimulatorProcess(misbehave: "close-before-head")

        #expect(try connect(simulator, "/path").readUntilClose().isEmpty)
        #expect(try simulator.get("/global/health").status == 200)
    }

    @Test(arguments: ["/path", "/event"])
    func `hang-after-head sends a head and no body`(target: String) throws {
        let simulator = try SimulatorProcess(misbehave: "hang-after-head")
        let connection = try connect(simulator, target)

        #expect(try connection.readResponseHead().status == 200)
        #expect(try connection.staysSilent(for: .milliseconds(100)))
    }

    @Test(arguments: [
        ("close-in-body", TestResponse.Ending.truncated), ("reset-in-body", .reset), ("body-too-short", .truncated),
    ])
    func `each body fault ends a response before its body is complete`(word: String, ending: TestResponse.Ending) throws
    {
        let simulator = try SimulatorProcess(misbehave: word)
        let answer = try simulator.get("/path")

        #expect(answer.status == 200)
        #expect(answer.ending == ending)
    }

    @Test(arguments: [("close-in-body", TestResponse.Ending.truncated), ("reset-in-body", .reset)])
    func `close-in-body and reset-in-body end an event stream after its first event`(
        word: String, ending: TestResponse.Ending
    ) throws {
        let simulator = try SimulatorProcess(misbehave: word)
        let stream = try TestClient.events(port: simulator.port, "/event")

        #expect(try stream.nextJSON()["type"] == "server.connected")
        #expect(try stream.next() == nil)
        #expect(stream.response.ending == ending)
    }

    @Test func `body-too-long sends ten bytes after the complete response`() throws {
        let simulator = try SimulatorProcess(misbehave: "body-too-long=/path")
        let connection = try connect(simulator, "/path")
        let answer = try ResponseReader(connection).readAll()

        #expect(answer.ending == .complete)
        #expect(try connection.readUntilClose().count == 10)
    }

    @Test func `body-too-short truncates the response to a prompt`() throws {
        let simulator = try SimulatorProcess(misbehave: "body-too-short=/session")

        #expect(try simulator.post("/session").ending == .truncated)

        _ = try simulator.post("/simulator/misbehave", "")
        let session = try simulator.newSession()
        _ = try simulator.post("/simulator/misbehave", "body-too-short=/session")
        let answer = try simulator.post("/session/\(session)/message", Prompt.text("hi"))

        #expect(answer.ending == .truncated)
        #expect(!answer.body.isEmpty)
    }

    @Test func `cut-streams truncates the running event streams and leaves the next one intact`() throws {
        let simulator = try SimulatorProcess()
        let log = try EventLog(simulator)

        #expect(try simulator.post("/simulator/misbehave", "cut-streams").text == "true")

        try log.readToEnd()

        #expect(log.ending == .truncated)
        // The next stream is intact.
        #expect(try EventLog(simulator).events.count == 1)
    }
}
