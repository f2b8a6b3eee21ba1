import Glibc
import TestKit
import Testing

@testable import opencode_twin

/// Scenarios in which directories, servers and other calls of a session play a part.
@Suite("OpenCode 2's events of more than one place do not drift from the recordings")
struct EventPlace2Tests {
    @Test func anotherDirectory() throws {
        let stage = try Stage2()
        let session = try stage.session("talk", in: "\(stage.twin.home.path)/other.app")
        try stage.prompt(session, "hi")
        try stage.next("session.execution.succeeded")
        try stage.check("other-location")
    }

    @Test func reloading() throws {
        let stage = try Stage2 { twin in
            _ = try twin.get("/api/location?location[directory]=\(twin.home.path)/other.app")
        }
        #expect(try stage.twin.post("/api/location/reload").status == 204)
        for _ in 0..<2 { try stage.next("plugin.updated") }
        #expect(try stage.twin.request("DELETE", "/api/debug/location").status == 204)
        try stage.next("location.shutdown") { _ in stage.events.count { $0["type"] == "location.shutdown" } == 3 }
        try stage.check("reload")
    }

    @Test func aWorktree() throws {
        let stage = try Stage2(pace: 100) { try $0.request("DELETE", "/api/debug/location") }
        let project = try stage.twin.get("/api/location").json["project"]?["id"]?.text ?? ""
        try stage.next("plugin.updated")
        let body = #"{"projectID":"\#(project)","name":"try"}"#
        let worktree = try stage.twin.post("/api/worktree", body).json["directory"]?.text ?? ""
        let session = try stage.session("talk")
        _ = try stage.twin.get("/api/location?location[directory]=\(worktree)")
        try stage.next("plugin.updated")
        #expect(try stage.twin.post("/api/session/\(session)/move", #"{"directory":"\#(worktree)"}"#).status == 204)
        let moved = try stage.twin.get("/api/session/\(session)").json["data"]
        #expect(moved?["location"]?["directory"]?.text == worktree)
        try stage.next("session.execution.succeeded")
        try stage.prompt(session, "hi")
        try stage.next("session.text.delta")
        try stage.twin.post("/api/session/\(session)/move", #"{"directory":"\#(stage.twin.directory)"}"#)
        try stage.twin.post("/api/worktree/refresh", #"{"projectID":"\#(project)"}"#)
        let removal = #"{"projectID":"\#(project)","directory":"\#(worktree)","force":true}"#
        #expect(try stage.twin.request("DELETE", "/api/worktree", removal).status == 204)
        try stage.next("session.execution.succeeded")
        try stage.check("worktree")
    }

    @Test func killedInATurn() throws {
        let stage = try Stage2(pace: 100) { try $0.request("DELETE", "/api/debug/location") }
        _ = try stage.turn("long", "hi")
        try stage.next("session.text.delta")
        stage.twin.process.terminate(SIGTERM)
        try stage.readToEnd()
        #expect(stage.ending == .truncated || stage.ending == .reset)
        try stage.check("killed-mid-turn")
    }

    @Test func otherCallsOfASession() throws {
        // The recorded server told in the middle that its project is used, after a minute.
        let stage = try Stage2(environment: ["TWIN_QUIET_MS": "1500"], pace: 50)
        let session = try stage.turn("talk")
        try stage.next("session.execution.succeeded")
        let path = "/api/session/\(session)"
        try stage.twin.request("PATCH", path, #"{"title":"Renamed"}"#)
        try stage.twin.post("\(path)/fork", "{}")
        try stage.twin.post("\(path)/shell", #"{"command":"echo from the shell"}"#)
        try stage.twin.post("\(path)/command", #"{"name":"init","text":""}"#)
        try stage.twin.post("\(path)/compact", "{}")
        try stage.next("session.step.started")
        try stage.twin.post("\(path)/view", #"{"idle":1}"#)
        for _ in 0..<60 { try stage.next("session.compaction.delta") }
        let busy = try stage.turn("long", "hi")
        try stage.next("session.text.delta") { $0["sessionID"]?.text == busy }
        try stage.twin.post("/api/session/\(busy)/interrupt")
        try stage.wait(session)
        try stage.next("session.execution.succeeded") { $0["sessionID"]?.text == session }
        try stage.check("session-calls", isCut: true)
    }

    /// The log tells how far it goes, and that is all.
    @Test(arguments: [
        ("log-after-talk", ""), ("log-after-talk-after-0", "?after=0"), ("log-after-talk-after-5", "?after=5"),
        ("log-follow", "?follow=true"),
    ])
    func theLog(_ recording: String, query: String) throws {
        let stage = try Stage2()
        let session = try query.contains("follow") ? stage.session("talk") : stage.turn("talk")
        try stage.wait(session)
        let log = try TestClient.events(
            stage.twin.port, "/api/experimental/session/\(session)/log\(query)",
            headers: [("Authorization", Twin2Process.authorization)])
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

    /// Bytes of all events of one turn, as recorded.
    @Test(arguments: [("medium", 8_783), ("fast", 28_700), ("big", 3_005_538), ("talk", 10_381)])
    func aTurnHasAboutAsManyBytesAsRecorded(model: String, bytes: Int) throws {
        let stage = try Stage2()
        let start = stage.raw.count
        _ = try stage.turn(model)
        try stage.next("session.execution.succeeded")
        let count = stage.raw.count - start
        #expect(count > bytes * 2 / 3 && count < bytes * 3 / 2, "\(count)")
    }

    /// The recorded turn was silent for 75 seconds.
    @Test func commentsHaveTheRecordedInterval() throws {
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
