// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

@Suite("Event streams", .onTestThreads)
struct EventTests {
    @Test func `the deltas of a text add up to the stored text`() throws {
        let simulator = try SimulatorProcess()
        let session = try simulator.newSession()
        let stream = try TestClient.events(port: simulator.port, "/event")
        _ = try stream.nextJSON()
        let prompt = Prompt.text("Say it [pieces=200]")
        let answer = try simulator.post("/session/\(session)/message", prompt).json
        let deltas = try stream.events(through: "session.idle")
            .filter { $0["type"]?.text == "message.part.delta" }.compactMap { $0["properties"]?["delta"]?.text }

        #expect(deltas.count == 200)

        let text = answer["parts"]?.elements?.first { $0["type"]?.text == "text" }?["text"]?.text

        #expect(text == deltas.joined())
        #expect(text?.contains("You said: “Say it”") == true)

        let listed = try simulator.get("/session/\(session)/message").json.elements?.last

        #expect(listed?["parts"]?.elements?[1]["text"]?.text == text)
    }

    /// Since 1.2, the server stores a text when the text is complete. 1.1 stores it with each delta.
    @Test(arguments: ["1.1.11", "1.2.27", "1.18.33"])
    func `a list shows a running text as its version stores it`(version: String) throws {
        let simulator = try SimulatorProcess(version)
        let session = try simulator.newSession()
        let log = try EventLog(simulator)
        let isStored = version == "1.1.11"

        _ = try simulator.post("/session/\(session)/prompt_async", Prompt.text("Say it [pieces=2000 interval=50ms]"))
        try log.next(isStored ? "message.part.updated" : "message.part.delta") { properties in
            !isStored || properties["delta"] != nil
        }
        let running = try simulator.get("/session/\(session)/message").json.elements?.last
        _ = try simulator.post("/session/\(session)/abort")

        let text = try #require(running?["parts"]?.elements?.last)

        #expect(text["type"] == "text")
        #expect(text["text"]?.text?.isEmpty == !isStored)
        #expect(text["time"]?["end"] == nil)
    }

    @Test func `a second prompt waits until the first one is answered`() throws {
        let simulator = try SimulatorProcess()
        let session = try simulator.newSession()
        let first = Prompt.text("one [pieces=50 interval=1ms]")
        _ = try simulator.post("/session/\(session)/prompt_async", first)
        let second = try simulator.post("/session/\(session)/message", Prompt.text("two ")).json
        let messages = try simulator.get("/session/\(session)/message").json.elements ?? []

        #expect(messages.count == 4)
        #expect(messages.allSatisfy { $0["info"]?["role"] == "user" || $0["info"]?["finish"] == "stop" })
        #expect(
            second["info"]?["parentID"]
                == messages.first { $0["parts"]?.elements?[0]["text"]?.text?.hasPrefix("two") == true }?["info"]?["id"])
    }

    @Test func `heartbeats follow server.connected on an idle stream`() throws {
        let simulator = try SimulatorProcess(environment: ["SIMULATOR_HEARTBEAT_MS": "10"])
        let stream = try TestClient.events(port: simulator.port, "/event")
        let types = try (0..<4).map { _ in try stream.nextJSON()["type"]?.text }

        #expect(types == ["server.connected"] + Array(repeating: "server.heartbeat", count: 3))
    }

    /// The recorded turn was silent for 75 seconds.
    @Test(arguments: Recording.all)
    func `the heartbeat interval of each profile matches the recording`(_ recording: Recording) throws {
        let beats = try recording.records("events/slow.jsonl")[0]["heartbeats"]?.elements ?? []
        let times = beats.compactMap { beat in if case .integer(let time) = beat { time } else { nil } }

        #expect(times.count == (recording.version == "1.1.11" ? 2 : 7))

        for (beat, next) in zip(times, times.dropFirst()) {
            let difference = Duration.milliseconds(next - beat) - recording.profile.heartbeat
            #expect(abs(difference / .milliseconds(1)) < 100)
        }
    }

    /// Counts the bytes of all events of a single turn. 1.1.11 sends the whole text again with every delta.
    @Test(arguments: [
        ("1.1.11", "fast", 10_420_881), ("1.2.27", "fast", 414_727), ("1.18.33", "fast", 487_406),
        ("1.1.11", "medium", 302_259), ("1.2.27", "medium", 67_945), ("1.18.33", "medium", 81_246),
        ("1.1.11", "big", 4_506_993), ("1.2.27", "big", 3_006_727), ("1.18.33", "big", 3_009_469),
    ])
    func `the events of a turn have about as many bytes as recorded`(version: String, model: String, bytes: Int) throws
    {
        let simulator = try SimulatorProcess(version)
        let session = try simulator.newSession()
        let stream = try TestClient.events(port: simulator.port, "/event")
        _ = try stream.nextJSON()
        try simulator.post("/session/\(session)/prompt_async", Prompt.text("Explain it", model: model))
        // Under a sanitizer, ten megabytes take longer.
        try stream.first("the turn's end", within: .seconds(60)) { $0.contains("session.idle") }

        #expect(stream.raw.count > bytes * 2 / 3)
        #expect(stream.raw.count < bytes * 3 / 2)
    }

    @Test func `an answer of 1.5 MB is sent as one delta event`() throws {
        let simulator = try SimulatorProcess()
        let session = try simulator.newSession()
        let stream = try TestClient.events(port: simulator.port, "/event")
        _ = try stream.nextJSON()
        _ = try simulator.post("/session/\(session)/prompt_async", Prompt.text("much [bytes=1500000]"))
        let events = try stream.events(through: "session.idle")
        let delta = events.first { $0["type"]?.text == "message.part.delta" }?["properties"]?["delta"]?.text

        #expect(delta?.utf8.count == 1_500_000)
    }

    @Test func `no byte of a prompt's response is sent while its turn is silent`() throws {
        let simulator = try SimulatorProcess()
        let session = try simulator.newSession()
        let connection = try TestClient.connect(port: simulator.port)
        let prompt = Prompt.text("wait [silent=300ms]")
        let start = ContinuousClock.now
        try connection.send("POST", "/session/\(session)/message", body: Array(prompt.utf8))
        connection.pushBack(try connection.read(upTo: 1)[...])

        #expect(ContinuousClock.now - start >= .milliseconds(300))
        #expect(try ResponseReader(connection, method: "POST").readAll().status == 200)
    }

    @Test(arguments: ["1.1.11", "1.2.27"])
    func `before 1.18, a prompt before the end of an aborted turn is stored but not answered`(version: String) throws {
        let simulator = try SimulatorProcess(version)
        let session = try simulator.newSession()
        let log = try EventLog(simulator)
        // At this pace, the end of the turn takes 2 to 6 s.
        try simulator.post(
            "/session/\(session)/prompt_async", Prompt.text("[long pace=10000 interval=10ms silent=1ms] first"))
        try log.next("message.part.updated") { $0["part"]?["type"] == "text" && $0["part"]?["time"] != nil }

        let abort = try simulator.post("/session/\(session)/abort")
        let status = try simulator.get("/session/status")
        let early = try simulator.post("/session/\(session)/prompt_async", Prompt.text("early"))
        try log.next("session.idle")
        let end = try log.next("message.updated") { $0["info"]?["error"]?["name"] == "MessageAbortedError" }
        let late = try simulator.post("/session/\(session)/message", Prompt.text("late"))

        #expect(abort.text == "true")
        #expect(status.text == "{}")
        #expect(early.status == 204)
        #expect(end["info"]?["time"]?["completed"] != nil)
        #expect(late.status == 200)

        let messages = try simulator.get("/session/\(session)/message").json.elements ?? []
        let users = messages.filter { $0["info"]?["role"] == "user" }
        let answered = messages.compactMap { $0["info"]?["parentID"]?.text }
        let texts = users.map { ($0["parts"]?.elements?[0]["text"]?.text ?? "", $0["info"]?["id"]?.text ?? "") }

        #expect(texts.map(\.0).suffix(2) == ["early", "late"])
        #expect(texts.filter { answered.contains($0.1) }.map(\.0).last == "late")
        #expect(answered.count == 2)
    }

    @Test func `SIGTERM truncates the event stream`() throws {
        let simulator = try SimulatorProcess(pace: 100)
        let session = try simulator.newSession()
        let stream = try TestClient.events(port: simulator.port, "/event")
        _ = try simulator.post("/session/\(session)/prompt_async", Prompt.text("hi", model: "long"))
        try stream.first("a piece") { $0.contains("message.part.delta") }
        simulator.process.terminate(SIGTERM)

        #expect(try simulator.process.waitForExit() == .signalled(SIGTERM))

        while try stream.next() != nil {}

        #expect(stream.response.ending == .truncated)
    }
}

@Suite(.onTestThreads) struct RequestedDirectoryTests {
    /// Returns the directory that `/path` reports for another spelling of the server's directory, and the directory
    /// itself.
    private func path(_ version: String, _ spelling: String) throws -> (received: String?, resolved: String) {
        let simulator = try SimulatorProcess(version)
        let own = try FileTree.resolve(simulator.directory)
        #expect(symlink(own, "\(own)/link") == 0)
        return (try simulator.get("/path?directory=\(own)\(spelling)").json["directory"]?.text, own)
    }

    @Test(arguments: ["1.2.27", "1.18.33"], ["/link", "/", "/.", "//link/"])
    func `a directory is made absolute and its links are followed`(version: String, spelling: String) throws {
        let (received, own) = try path(version, spelling)

        #expect(received == own)
    }

    @Test(arguments: ["/link", "/"])
    func `1.1.11 reports a directory exactly as the request spells it`(spelling: String) throws {
        let (received, own) = try path("1.1.11", spelling)

        #expect(received == own + spelling)
    }
}
