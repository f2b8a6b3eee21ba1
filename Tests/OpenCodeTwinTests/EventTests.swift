import Glibc
import TestKit
import Testing

@testable import opencode_twin

@Suite("Event streams go as recorded")
struct EventTests {
    @Test func aTurnHasTheRecordedEventsInOrder() throws {
        let twin = try TwinProcess()
        let stream = try TestClient.events(twin.port, "/event")
        let head = try stream.response.readHead()
        let recorded = try Recording.streamHead("events-talk.jsonl")
        #expect("\(head.version) \(head.status) \(head.reason)" == recorded.first)
        let lines = head.fields.map(\.description).filter { !$0.hasPrefix("Date") }
        #expect(lines == recorded.dropFirst().filter { !$0.hasPrefix("Date") })

        var events = [try stream.nextJSON()]
        let session = try twin.newSession()
        let prompt = try twin.post("/session/\(session)/prompt_async", Prompt.text("Explain [interval=1ms silent=0s]"))
        #expect(prompt.status == 204)
        events += try stream.events(through: "session.idle", then: 3)
        #expect(events.outline == (try Recording.events("events-talk.jsonl").outline))
        #expect(stream.response.chunkSizes.count == events.count)
    }

    @Test func piecesAddUpToTheText() throws {
        let twin = try TwinProcess()
        let session = try twin.newSession()
        let stream = try TestClient.events(twin.port, "/event")
        _ = try stream.nextJSON()
        let prompt = Prompt.text("Say it [pieces=200 interval=0ms]")
        let answer = try twin.post("/session/\(session)/message", prompt).json
        let deltas = try stream.events(through: "session.idle")
            .filter { $0["type"]?.text == "message.part.delta" }.compactMap { $0["properties"]?["delta"]?.text }
        #expect(deltas.count == 200)
        let text = answer["parts"]?.elements?.first { $0["type"]?.text == "text" }?["text"]?.text
        #expect(text == deltas.joined())
        #expect(text?.contains("You said: “Say it”") == true)
        let listed = try twin.get("/session/\(session)/message").json.elements?.last
        #expect(listed?["parts"]?.elements?[1]["text"]?.text == text)
    }

    @Test func wrappedEventsNameTheirDirectory() throws {
        let twin = try TwinProcess(environment: ["TWIN_HEARTBEAT_MS": "300"])
        let session = try twin.post("/session?directory=/elsewhere").json["id"]?.text ?? ""
        let own = try TestClient.events(twin.port, "/event")
        #expect(try own.nextJSON()["type"] == "server.connected")
        let all = try TestClient.events(twin.port, "/global/event")
        var events = [try all.nextJSON()]
        _ = try twin.post("/session/\(session)/prompt_async", Prompt.text("hi [interval=0ms silent=0s]"))
        let expected = try Recording.events("events-global.jsonl").outline
        for type in ["session.idle", "server.heartbeat"] {
            while !events.contains(where: { $0["payload"]?["type"]?.text == type }) {
                events.append(try all.nextJSON())
            }
        }
        // The beginning comes in order, the rest of the recording is an excerpt. A heartbeat may stand anywhere.
        let turn = events.filter { $0["payload"]?["type"] != "server.heartbeat" }
        #expect(Array(turn.outline.prefix(12)) == Array(expected.prefix(12)))
        for line in expected { #expect(events.outline.contains(line)) }
        #expect(events.filter { $0["directory"] != nil }.allSatisfy { $0["directory"] == "/elsewhere" })
        // The stream of the server's own directory has seen nothing of it.
        #expect(try own.nextJSON()["type"] == "server.heartbeat")
    }

    @Test func anAbortedTurnEndsAsRecorded() throws {
        let twin = try TwinProcess()
        let stream = try TestClient.events(twin.port, "/event")
        var events = [try stream.nextJSON()]
        let session = try twin.newSession()
        _ = try twin.post("/session/\(session)/prompt_async", Prompt.text("hi", model: "long"))
        events += try stream.events(through: "message.part.delta")
        #expect(try twin.post("/session/\(session)/abort").text == "true")
        events += try stream.events(through: "session.idle", count: 2)
        _ = try TestClient.request(twin.port, "DELETE", "/session/\(session)")
        events += try stream.events(through: "session.deleted")
        #expect(events.outline == (try Recording.events("events-abort-delete.jsonl").outline))
        #expect(try twin.get("/session/status").text == "{}")
    }

    @Test func aSecondPromptWaitsForTheFirst() throws {
        let twin = try TwinProcess()
        let session = try twin.newSession()
        let first = Prompt.text("one [pieces=50 interval=1ms]")
        _ = try twin.post("/session/\(session)/prompt_async", first)
        let second = try twin.post("/session/\(session)/message", Prompt.text("two [interval=0ms silent=0s]")).json
        let messages = try twin.get("/session/\(session)/message").json.elements ?? []
        #expect(messages.count == 4)
        #expect(messages.allSatisfy { $0["info"]?["role"] == "user" || $0["info"]?["finish"] == "stop" })
        #expect(
            second["info"]?["parentID"]
                == messages.first { $0["parts"]?.elements?[0]["text"]?.text?.hasPrefix("two") == true }?["info"]?["id"])
    }

    @Test func heartbeatsComeBetweenEvents() throws {
        let twin = try TwinProcess(environment: ["TWIN_HEARTBEAT_MS": "10"])
        let stream = try TestClient.events(twin.port, "/event")
        let types = try (0..<4).map { _ in try stream.nextJSON()["type"]?.text }
        #expect(types == ["server.connected"] + Array(repeating: "server.heartbeat", count: 3))
    }

    @Test func disposingEndsTheDirectorysStreamOnly() throws {
        let twin = try TwinProcess()
        let own = try TestClient.events(twin.port, "/event")
        let all = try TestClient.events(twin.port, "/global/event")
        _ = (try own.nextJSON(), try all.nextJSON())
        #expect(try twin.post("/instance/dispose").text == "true")
        let disposed = try own.nextJSON()
        #expect(try Recording.events("events-dispose.jsonl").outline.last == [disposed].outline.last)
        #expect(try own.next() == nil)
        #expect(own.response.ending == .complete)
        #expect(try all.nextJSON()["payload"]?["type"] == "server.instance.disposed")
        _ = try twin.newSession()
        #expect(try all.nextJSON()["payload"]?["type"] == "session.created")
    }

    @Test func aBigAnswerIsOneBigEvent() throws {
        let twin = try TwinProcess()
        let session = try twin.newSession()
        let stream = try TestClient.events(twin.port, "/event")
        _ = try stream.nextJSON()
        _ = try twin.post("/session/\(session)/prompt_async", Prompt.text("much [bytes=1500000]"))
        let events = try stream.events(through: "session.idle")
        let delta = events.first { $0["type"]?.text == "message.part.delta" }?["properties"]?["delta"]?.text
        #expect(delta?.utf8.count == 1_500_000)
    }

    @Test func aSilentTurnSendsNotAByte() throws {
        let twin = try TwinProcess()
        let session = try twin.newSession()
        let connection = try TestClient.connect(port: twin.port)
        let prompt = Prompt.text("wait [silent=300ms interval=0ms]")
        let start = ContinuousClock.now
        try connection.send("POST", "/session/\(session)/message", body: Array(prompt.utf8))
        connection.giveBack(try connection.read(upTo: 1)[...])
        #expect(ContinuousClock.now - start >= .milliseconds(300))
        #expect(try ResponseReader(connection, method: "POST").readAll().status == 200)
    }

    @Test func aSignalBreaksTheStreamOff() throws {
        let twin = try TwinProcess()
        let session = try twin.newSession()
        let stream = try TestClient.events(twin.port, "/event")
        _ = try twin.post("/session/\(session)/prompt_async", Prompt.text("hi", model: "long"))
        try stream.first("a piece") { $0.contains("message.part.delta") }
        twin.process.terminate(SIGTERM)
        #expect(try twin.process.waitForExit() == .signalled(SIGTERM))
        while try stream.next() != nil {}
        #expect(stream.response.ending == .truncated)
    }
}
