// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Replays every recorded scenario against the simulator. The same events with the same members must arrive in the same
/// order.
@Suite("Events match the recordings", .onTestThreads)
struct EventDriftTests {
    /// The operations of a scenario after its prompt, up to the last event.
    typealias Play =
        @Sendable (_ simulator: SimulatorProcess, _ log: EventLog, _ session: String, _ profile: Profile) throws -> Void

    /// The turns that end by themselves, each with the name of the scenario and of the model.
    static let turns: [(scenario: String, model: String)] = [
        ("talk", "talk"), ("think", "think"), ("edit", "edit"), ("todo", "todo"), ("slow", "slow"),
    ]

    @Test(arguments: Recording.all, turns)
    func `the events of each turn that ends by itself match the recording`(
        _ recording: Recording, _ turn: (scenario: String, model: String)
    ) throws {
        try expect(recording, turn.scenario, model: turn.model) { _, log, _, profile in
            try log.next("session.idle")
            try log.readSummary(profile)
        }
    }

    @Test(arguments: Recording.all)
    func `the events of a turn with a subagent match the recording`(_ recording: Recording) throws {
        try expect(recording, "subagent", model: "subagent") { _, log, session, profile in
            try log.next("session.idle") { $0["sessionID"]?.text == session }
            try log.readSummary(profile)
        }
    }

    @Test(arguments: Recording.all)
    func `the events of a turn whose permission is granted once match the recording`(_ recording: Recording) throws {
        try expect(recording, "tools-allowed-once", model: "tools") { simulator, log, session, profile in
            let asked = try log.next("permission.asked")
            #expect(try simulator.get("/permission").json == .array([asked]))
            let answer = try simulator.post(
                "/session/\(session)/permissions/\(asked["id"]?.text ?? "")", #"{"response":"once"}"#)
            #expect(answer.text == "true")
            try log.next("session.idle")
            try log.readSummary(profile)
        }
    }

    @Test(arguments: Recording.all)
    func `the events of a turn whose permission is rejected match the recording`(_ recording: Recording) throws {
        try expect(recording, "tools-rejected", model: "ask") { simulator, log, session, profile in
            let asked = try log.next("permission.asked")
            try simulator.post("/session/\(session)/permissions/\(asked["id"]?.text ?? "")", #"{"response":"reject"}"#)
            try log.next("session.idle")
            try log.readSummary(profile)
        }
    }

    @Test(arguments: Recording.all)
    func `the events of a turn with an answered question match the recording`(_ recording: Recording) throws {
        try expect(recording, "question", model: "question") { simulator, log, _, profile in
            let asked = try log.next("question.asked")
            #expect(try simulator.get("/question").json == .array([asked]))
            try simulator.post("/question/\(asked["id"]?.text ?? "")/reply", #"{"answers":[["Left"]]}"#)
            try log.next("session.idle")
            try log.readSummary(profile)
        }
    }

    @Test(arguments: Recording.all)
    func `the events of a turn that ends with a provider's error match the recording`(_ recording: Recording) throws {
        try expect(recording, "unauthorized", model: "unauthorized") { _, log, _, profile in
            try log.next("session.idle")
            if profile.turns.errorPrecedesMessage { try log.next("session.idle") }
        }
    }

    @Test(arguments: Recording.all)
    func `the events of rate-limited attempts until an abort match the recording`(_ recording: Recording) throws {
        // The time between two attempts must be long enough for a request for the status.
        try expect(recording, "ratelimit-abort", model: "ratelimit", pace: 20) { simulator, log, session, profile in
            for _ in 0..<5 { try log.next("session.status") { $0["status"]?["type"] == "retry" } }
            #expect(try simulator.get("/session/status").json[session]?["message"] == "Rate limit reached")
            try simulator.post("/session/\(session)/abort")
            try log.next("session.idle")
        }
    }

    @Test(arguments: Recording.all)
    func `the events of an aborted turn and a deleted session match the recording`(_ recording: Recording) throws {
        try expect(recording, "abort-delete", model: "long", pace: 100) { simulator, log, session, _ in
            try log.next("message.part.updated") { $0["part"]?["type"] == "text" && $0["part"]?["time"] != nil }
            try simulator.post("/session/\(session)/prompt_async", Prompt.text("second"))
            #expect(try simulator.post("/session/\(session)/abort").text == "true")
            // Before 1.18, the server responds to the abort before it sends this event.
            try log.next("message.updated") { $0["info"]?["error"]?["name"] == "MessageAbortedError" }
            // Since 1.2, the end of the turn and a further abort each report that the session is idle.
            let reportsIdle = recording.version != "1.1.11"
            if reportsIdle { try log.next("session.idle") }
            try simulator.post("/session/\(session)/abort")
            if reportsIdle { try log.next("session.idle") }
            try simulator.delete("/session/\(session)")
            try log.next("session.deleted")
            #expect(try simulator.get("/session/status").text == "{}")
        }
    }

    /// The test must abort the turn, which would otherwise never end.
    @Test(arguments: Recording.all)
    func `the events of a turn whose provider aborts its response match the recording`(_ recording: Recording) throws {
        try expect(recording, "cutoff", model: "cutoff") { _, log, _, _ in
            for _ in 0..<2 { try log.next("message.part.updated") { $0["part"]?["type"] == "step-finish" } }
            try log.next("session.status")
        }
    }

    @Test(arguments: Recording.all)
    func `the events of a renaming, a fork, a shell call and a command match the recording`(_ recording: Recording)
        throws
    {
        try expect(recording, "session-calls", model: nil) { simulator, log, session, profile in
            try simulator.post("/session/\(session)/message", Prompt.text("hi"))
            _ = try TestClient.request(
                port: simulator.port, "PATCH", "/session/\(session)", text: #"{"title":"Renamed"}"#)
            try simulator.post("/session/\(session)/fork")
            try simulator.post("/session/\(session)/shell", #"{"agent":"build","command":"echo from the shell"}"#)
            try simulator.post(
                "/session/\(session)/command", #"{"command":"init","arguments":"","model":"simulator/talk"}"#)
            try log.next("command.executed")
        }
    }

    @Test(arguments: Recording.all)
    func `the events of another directory appear in the global stream only, as recorded`(_ recording: Recording) throws
    {
        let simulator = try SimulatorProcess(recording.version)
        let own = try EventLog(simulator)
        let log = try EventLog(simulator, "/global/event")
        let session = try simulator.post("/session?directory=/elsewhere").json["id"]?.text ?? ""
        try simulator.post("/session/\(session)/prompt_async?directory=/elsewhere", Prompt.text("hi"))
        try log.next("session.idle")
        try log.readSummary(recording.profile)

        try check(log, recording, "global-other-directory")

        // The stream of the server's own directory has received none of these events.
        try simulator.post("/instance/dispose")
        try own.readToEnd()

        #expect(own.events.compactMap { $0["type"]?.text }.last == "server.instance.disposed")
        #expect(!own.events.contains { $0["type"]?.text?.hasPrefix("session") == true })
    }

    @Test(arguments: Recording.all)
    func `/instance/dispose completes the directory's stream, and the global stream continues`(_ recording: Recording)
        throws
    {
        let simulator = try SimulatorProcess(recording.version)
        let own = try EventLog(simulator)
        let all = try EventLog(simulator, "/global/event")

        #expect(try simulator.post("/instance/dispose").text == "true")

        try own.readToEnd()

        #expect(own.ending == .complete)
        try check(own, recording, "dispose")

        try all.next("server.instance.disposed")

        try check(all, recording, "dispose-global")

        // The wrapped stream continues.
        _ = try simulator.newSession()
        try all.next("session.created")
    }

    /// Replays a scenario, starting with a new session, and compares the events.
    private func expect(
        _ recording: Recording, _ scenario: String, model: String?, pace: Int = 0, _ play: Play
    ) throws {
        let simulator = try SimulatorProcess(recording.version, pace: pace)
        // Only the first turn in a directory loads the catalogue.
        let isFirst = try recording.events(scenario).contains { $0["type"] == "plugin.added" }
        if !isFirst { _ = try simulator.usedSession() }
        let log = try EventLog(simulator)
        let session = try simulator.newSession()
        if let model {
            // The first word would select the course of the turn if it were the name of a course.
            let answer = try simulator.post(
                "/session/\(session)/prompt_async", Prompt.text("Explain the parser", model: model))
            #expect(answer.status == 204)
        }
        try play(simulator, log, session, recording.profile)
        try check(log, recording, scenario)
    }

    private func check(_ log: EventLog, _ recording: Recording, _ scenario: String) throws {
        let expected = Outline(try recording.events(scenario))
        #expect(!expected.others.isEmpty || scenario.hasPrefix("dispose"))
        #expect(Outline(log.events).differences(from: expected) == [])
        let head = try recording.streamHead(scenario).filter { !$0.hasPrefix("Date") }
        #expect(log.head.map { "\($0.version) \($0.status) \($0.reason)" } == head.first)
        #expect(log.head?.fields.map(\.description).filter { !$0.hasPrefix("Date") } == Array(head.dropFirst()))
        #expect(log.chunkSizes.count == log.events.count, "each event is a chunk of its own")
    }
}

extension EventLog {
    /// Reads the events that summarize a turn's changes after the session has become idle.
    fileprivate func readSummary(_ profile: Profile) throws {
        if profile.turns.summaryPrecedesIdle { return }
        let isWrapped = profile.events.areSynchronized && events.contains { $0["payload"] != nil }
        let stored = profile.turns.summaryAtEnd.count { $0 != .changes }
        try readEvents(profile.turns.summaryAtEnd.count + (isWrapped ? stored : 0))
    }
}
