// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests scenarios that involve several directories or servers, or further operations on a session.
@Suite("OpenCode 2's events of several directories match the recordings", .onTestThreads)
struct EventPosition2Tests {
    @Test func `the events of a turn in another directory match the recording`() throws {
        let stage = try Stage2()
        let session = try stage.session("talk", in: "\(stage.simulator.home.path)/other.app")
        try stage.prompt(session, "hi")
        try stage.next("session.execution.succeeded")

        try stage.check("other-location")
    }

    @Test func `the events of a reload and a shutdown of locations match the recording`() throws {
        let stage = try Stage2 { simulator in
            _ = try simulator.get("/api/location?location[directory]=\(simulator.home.path)/other.app")
        }

        #expect(try stage.simulator.post("/api/location/reload").status == 204)

        for _ in 0..<2 { try stage.next("plugin.updated") }

        #expect(try stage.simulator.request("DELETE", "/api/debug/location").status == 204)

        try stage.next("location.shutdown") { _ in stage.events.count { $0["type"] == "location.shutdown" } == 3 }
        try stage.check("reload")
    }

    @Test func `the events of a session that moves to a worktree and back match the recording`() throws {
        let stage = try Stage2(pace: 100) { try $0.request("DELETE", "/api/debug/location") }
        let project = try stage.simulator.get("/api/location").json["project"]?["id"]?.text ?? ""
        try stage.next("plugin.updated")
        let body = #"{"projectID":"\#(project)","name":"try"}"#
        let worktree = try stage.simulator.post("/api/worktree", body).json["directory"]?.text ?? ""
        let session = try stage.session("talk")
        _ = try stage.simulator.get("/api/location?location[directory]=\(worktree)")
        try stage.next("plugin.updated")

        #expect(
            try stage.simulator.post("/api/session/\(session)/move", #"{"directory":"\#(worktree)"}"#).status == 204)

        let moved = try stage.simulator.get("/api/session/\(session)").json["data"]

        #expect(moved?["location"]?["directory"]?.text == worktree)

        try stage.next("session.execution.succeeded")
        try stage.prompt(session, "hi [interval=60ms]")
        try stage.next("session.text.delta")
        try stage.simulator.post("/api/session/\(session)/move", #"{"directory":"\#(stage.simulator.directory)"}"#)
        try stage.simulator.post("/api/worktree/refresh", #"{"projectID":"\#(project)"}"#)
        let removal = #"{"projectID":"\#(project)","directory":"\#(worktree)","force":true}"#

        #expect(try stage.simulator.request("DELETE", "/api/worktree", removal).status == 204)

        try stage.next("session.execution.succeeded")
        try stage.check("worktree")
    }

    @Test func `SIGTERM during a turn aborts the stream after the recorded events`() throws {
        let stage = try Stage2(pace: 100) { try $0.request("DELETE", "/api/debug/location") }
        _ = try stage.turn("long", "hi")
        try stage.next("session.text.delta")
        stage.simulator.process.terminate(SIGTERM)
        try stage.readToEnd()

        #expect(stage.ending == .truncated || stage.ending == .reset)

        try stage.check("killed-mid-turn")
    }

    /// Several servers of a user share the sessions, but a turn is visible only on the server that runs it.
    @Test func `two servers share sessions, and only the server of a turn sends its events`() throws {
        let state = try TemporaryDirectory()
        let environment = ["SIMULATOR_STATE": state.path]
        let first = try Stage2(environment: environment)
        let folder = "\(first.simulator.home.path)/other.app"
        let session = try first.session("talk", in: folder)
        try first.prompt(session, "hi")
        try first.next("session.execution.succeeded")
        let second = try Stage2(Simulator2Process(home: first.simulator.home, environment: environment))
        let known = try second.simulator.get("/api/session/\(session)").json

        #expect(try known == first.simulator.get("/api/session/\(session)").json)

        try second.prompt(session, "hi")
        try second.next("session.execution.succeeded")
        try second.check("second-server")

        #expect(try first.simulator.get("/api/session/\(session)").json["data"]?["tokens"]?["input"] == 360)
        #expect(first.events.last?["type"] == "session.execution.succeeded")

        try second.simulator.request("DELETE", "/api/session/\(session)")

        #expect(try first.simulator.get("/api/session/\(session)").status == 404)
    }

    /// A turn that a stop has ended does not continue by itself.
    @Test func `a turn that SIGTERM ended does not continue at the next start`() throws {
        let state = try TemporaryDirectory()
        let environment = ["SIMULATOR_STATE": state.path]
        let first = try Stage2(environment: environment, pace: 100)
        let session = try first.turn("long", "hi")
        try first.next("session.text.delta")
        first.simulator.process.terminate(SIGTERM)
        _ = try first.simulator.process.waitForExit()
        let second = try Stage2(Simulator2Process(home: first.simulator.home, environment: environment))

        #expect(try second.simulator.get("/api/session/active").text == #"{"data":{}}"#)

        let data = try second.simulator.get("/api/session/\(session)").json["data"]

        #expect(data?["title"] == "hi")
        #expect(data?["outcome"] == nil)

        let messages = try second.simulator.get("/api/session/\(session)/message").json["data"]?.elements

        #expect(messages?.map { $0["type"] } == ["assistant", "user"])
        #expect(messages?[0]["finish"] == "error")
        #expect(messages?[0]["content"]?.elements?.first?["text"]?.text?.isEmpty == false)

        try second.wait(session)
        try second.prompt(session, "again")
        try second.next("session.inbox.enqueued") { $0["item"]?["payload"]?["text"] == "again" }

        #expect(!second.events.contains { $0["type"]?.text?.contains("execution") == true })
    }

    @Test func `the events of a renaming, fork, shell call, command and compaction match the recording`() throws {
        // The recorded server announced the use of the project a second time after a minute, in the middle of the
        // scenario.
        let stage = try Stage2(environment: ["SIMULATOR_QUIET_MS": "3000"], pace: 100)
        let session = try stage.turn("talk")
        try stage.next("session.execution.succeeded")

        let path = "/api/session/\(session)"
        try stage.simulator.request("PATCH", path, #"{"title":"Renamed"}"#)
        try stage.simulator.post("\(path)/fork", "{}")
        try stage.simulator.post("\(path)/shell", #"{"command":"echo from the shell"}"#)
        try stage.simulator.post("\(path)/command", #"{"name":"init","text":"[interval=100ms]"}"#)
        // A prompt that is sent before the server takes up the command would be processed before the command.
        try stage.next("session.step.started")
        try stage.simulator.post("\(path)/compact", "{}")
        try stage.simulator.post("\(path)/view", #"{"idle":1}"#)
        for _ in 0..<70 { try stage.next("session.compaction.delta") }

        let busy = try stage.turn("long", "hi")
        try stage.next("session.text.delta") { $0["sessionID"]?.text == busy }
        try stage.simulator.post("/api/session/\(busy)/interrupt")
        try stage.readEvents(2, "session.execution.succeeded", of: session)

        try stage.check("session-calls", isTruncated: true)
    }

    /// The log reports only its last sequence number.
    @Test(arguments: [
        ("log-after-talk", ""), ("log-after-talk-after-0", "?after=0"), ("log-after-talk-after-5", "?after=5"),
        ("log-follow", "?follow=true"),
    ])
    func `the log of a session reports its last sequence number as recorded`(_ recording: String, query: String) throws
    {
        let stage = try Stage2()
        let session = try query.contains("follow") ? stage.session("talk") : stage.turn("talk")
        try stage.wait(session)
        let log = try TestClient.events(
            port: stage.simulator.port, "/api/experimental/session/\(session)/log\(query)",
            headers: [("Authorization", Simulator2Process.authorization)])
        let records = try Fixtures.lines("opencode/2.0.15/events/\(recording).jsonl").map {
            try JSONParser.parse(Array($0.utf8))
        }
        let synced = try log.nextJSON()

        #expect(synced.shape == records[1].shape)
        #expect(synced["type"] == "log.synced")
        #expect(synced["aggregateID"]?.text == session)

        let recorded = records[0]["head"]?.text?.split(separator: "\r\n").dropFirst().map(String.init) ?? []

        #expect(
            log.response.head?.fields.map(\.description).filter { !$0.hasPrefix("Date") }
                == recorded.filter { !$0.hasPrefix("Date") })

        if records[0]["ended"] == "last chunk" {
            #expect(try log.next() == nil)
            #expect(log.response.ending == .complete)
            #expect(synced["seq"] == records[1]["seq"])
        }
    }

    /// Counts the bytes of all events of a single turn.
    @Test(arguments: [("medium", 8_783), ("fast", 28_700), ("big", 3_005_538), ("talk", 10_381)])
    func `the events of a turn have about as many bytes as recorded`(model: String, bytes: Int) throws {
        let stage = try Stage2()
        let start = stage.raw.count
        _ = try stage.turn(model)
        try stage.next("session.execution.succeeded")
        let count = stage.raw.count - start

        #expect(count > bytes * 2 / 3, "\(count)")
        #expect(count < bytes * 3 / 2, "\(count)")
    }

    /// The recorded turn was silent for 75 seconds.
    @Test func `the heartbeat interval of the profile matches the recording`() throws {
        let record = try JSONParser.parse(Array(Fixtures.lines("opencode/2.0.15/events/slow.jsonl")[0].utf8))
        let times = (record["heartbeats"]?.elements ?? []).compactMap { beat in
            if case .integer(let time) = beat { time } else { nil }
        }

        #expect(times.count == 6)

        for (beat, next) in zip(times, times.dropFirst()) {
            let difference = Duration.milliseconds(next - beat) - Profile2.recorded.heartbeat
            #expect(abs(difference / .milliseconds(1)) < 100)
        }
    }
}
