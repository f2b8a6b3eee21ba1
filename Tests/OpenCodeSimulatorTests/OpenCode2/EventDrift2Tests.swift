// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Replays every recorded scenario of OpenCode 2 against the simulator. The same events with the same members must
/// arrive.
@Suite("OpenCode 2's events match the recordings", .onTestThreads)
struct EventDrift2Tests {
    /// The turns that end by themselves, each with the name of the model and whether the turn is the first use of its
    /// directory.
    @Test(arguments: [
        ("talk", "talk", true), ("slow", "slow", true), ("think", "think", false), ("edit", "edit", false),
        ("medium", "medium", false), ("fast", "fast", false), ("subagent", "subagent", false),
        ("children", "subagent", false), ("unauthorized", "unauthorized", false),
    ])
    func `the events of each turn match the recording, each in a chunk of its own`(
        _ recording: String, model: String, isFirst: Bool
    ) throws {
        let stage = try Stage2(isFirst: isFirst)
        let session = try stage.turn(model)
        let end = model == "unauthorized" ? "failed" : "succeeded"
        try stage.next("session.execution.\(end)") { $0["sessionID"]?.text == session }
        try stage.check(recording)

        // Each event and each comment is a separate chunk.
        #expect(stage.chunkSizes.count == stage.events.count + 1)
        #expect(String(decoding: stage.raw, as: UTF8.self).contains("\n\n: heartbeat\n\ndata: "))
    }

    @Test(arguments: [("tools-allowed-once", "tools", "once"), ("tools-rejected", "ask", "reject")])
    func `the events of a turn whose permission is granted or rejected match the recording`(
        _ recording: String, model: String, decision: String
    ) throws {
        let stage = try Stage2()
        _ = try stage.turn(model)
        try stage.decide(decision)
        try stage.next(decision == "once" ? "session.execution.succeeded" : "session.execution.interrupted")

        try stage.check(recording)
    }

    @Test func `the events of a permission that is always granted match the recording`() throws {
        let stage = try Stage2()
        _ = try stage.turn("tools")
        try stage.decide("always")
        try stage.next("session.execution.succeeded")
        _ = try stage.turn("tools")
        try stage.next("session.execution.succeeded")

        try stage.check("always")
    }

    @Test func `the events of a question that is answered through its form match the recording`() throws {
        let stage = try Stage2()
        let session = try stage.turn("question")
        let form = try stage.next("form.created")["form"] ?? .null

        #expect(try stage.simulator.get("/api/form").json["data"] == .array([form]))

        let answer = try stage.simulator.post(
            "/api/session/\(session)/form/\(form["id"]?.text ?? "")/reply", #"{"answer":{"q0":"Left"}}"#)

        #expect(answer.status == 204)

        try stage.next("session.execution.succeeded")
        try stage.check("question")
    }

    @Test func `the events of a cancelled question match the recording`() throws {
        let stage = try Stage2()
        let session = try stage.turn("question", "hi")
        let form = try stage.next("form.created")["form"]?["id"]?.text ?? ""

        #expect(try stage.simulator.request("DELETE", "/api/session/\(session)/form/\(form)").status == 204)

        try stage.next("session.execution.interrupted")
        try stage.check("question-cancelled")
    }

    @Test func `the events of rate-limited attempts until an interrupt match the recording`() throws {
        let stage = try Stage2(pace: 5)
        let session = try stage.turn("ratelimit", "hi")
        for _ in 0..<3 { try stage.next("session.retry.scheduled") }

        #expect(try stage.simulator.post("/api/session/\(session)/interrupt").text == #"{"interrupted":true}"#)

        try stage.next("session.execution.interrupted")
        try stage.check("ratelimit-interrupt")
    }

    @Test func `the events of a turn whose provider aborts its response match the recording`() throws {
        let stage = try Stage2(pace: 3)
        let session = try stage.turn("cutoff")
        for _ in 0..<4 { try stage.next("session.retry.scheduled") }
        try stage.simulator.post("/api/session/\(session)/interrupt")
        try stage.next("session.execution.interrupted")

        try stage.check("cutoff")
    }

    @Test func `the events of a steering prompt match the recording`() throws {
        let stage = try Stage2(pace: 60) { simulator in
            let earlier = try Stage2(simulator)
            _ = try earlier.turn("tools")
            try earlier.decide("always")
            try earlier.next("session.execution.succeeded")
        }

        let session = try stage.turn("ask", "first")
        try stage.next("session.tool.progress")
        try stage.prompt(session, "second", delivery: "steer")
        try stage.next("session.execution.succeeded")

        try stage.check("steer")
    }

    @Test func `the events of queued prompts match the recording`() throws {
        let stage = try Stage2()
        let session = try stage.session("medium")
        try stage.prompt(session, "number 1 [silent=1s]", delivery: "queue")
        try stage.prompt(session, "number 2", delivery: "queue")
        try stage.next("session.execution.succeeded")

        try stage.check("queue")
    }

    @Test func `the events of an interrupted turn and a deleted session match the recording`() throws {
        let stage = try Stage2(pace: 100)
        let session = try stage.turn("long", "hi")
        try stage.next("session.text.delta")
        try stage.prompt(session, "second", delivery: "queue")

        #expect(try stage.simulator.post("/api/session/\(session)/interrupt").text == #"{"interrupted":true}"#)
        #expect(try stage.simulator.post("/api/session/\(session)/interrupt").text == #"{"interrupted":false}"#)

        try stage.simulator.request("DELETE", "/api/session/\(session)")
        try stage.next("session.deleted")
        try stage.check("interrupt-remove")
    }

    @Test func `the events of a compaction match the recording`() throws {
        let stage = try Stage2()
        let session = try stage.turn("talk")
        try stage.next("session.execution.succeeded")
        try stage.simulator.post(
            "/api/session/\(session)/model", #"{"model":{"providerID":"mock","id":"compact"}}"#)
        try stage.simulator.post("/api/session/\(session)/compact", "{}")
        try stage.next("session.execution.succeeded")

        try stage.check("compaction")
    }

    @Test func `the events of staged, cleared and committed reverts match the recording`() throws {
        let stage = try Stage2()
        let session = try stage.session("edit")
        var messages: [String] = []
        for text in ["Explain the parser", "again 1", "again 2"] {
            messages.append(try stage.prompt(session, text))
            try stage.next("session.execution.succeeded")
        }

        let path = "/api/session/\(session)/revert"
        try stage.simulator.post("\(path)/stage", #"{"messageID":"\#(messages[2])"}"#)
        try stage.simulator.request("DELETE", path)
        try stage.simulator.post("\(path)/stage", #"{"messageID":"\#(messages[0])","files":true}"#)
        try stage.simulator.post("\(path)/commit")
        try stage.next("session.revert.committed")

        try stage.check("revert")
    }

    @Test func `the events of changes of the agent and the model match the recording`() throws {
        let stage = try Stage2()
        let session = try stage.session("talk")
        let path = "/api/session/\(session)"
        for agent in ["plan", "nobody"] { try stage.simulator.post("\(path)/agent", #"{"agent":"\#(agent)"}"#) }
        try stage.simulator.post("\(path)/model", #"{"model":{"providerID":"mock","id":"think"}}"#)
        try stage.simulator.post("\(path)/agent", #"{"agent":"build"}"#)
        let files = #"[{"uri":"data:text/plain;base64,aGVsbG8=","name":"note.txt"}]"#
        try stage.simulator.post("\(path)/prompt", #"{"text":"hi","files":\#(files)}"#)
        try stage.next("session.execution.succeeded")

        try stage.check("agent-and-model")
    }

    @Test func `malformed prompts are rejected, and the events of an unknown provider match the recording`() throws {
        let stage = try Stage2()
        let first = try stage.session("talk")

        for body in ["{}", #"{"parts":[{"type":"text","text":"hi"}]}"#] {
            #expect(try stage.simulator.post("/api/session/\(first)/prompt", body).status == 400)
        }

        try stage.prompt(try stage.session("nothing", provider: "nobody"), "hi")
        try stage.next("session.execution.failed")

        try stage.check("wrong-requests")
    }
}
