import Glibc
import TestKit
import Testing

@testable import opencode_twin

@Suite("Event streams")
struct EventTests {
    @Test func piecesAddUpToTheText() throws {
        let twin = try TwinProcess()
        let session = try twin.newSession()
        let stream = try TestClient.events(twin.port, "/event")
        _ = try stream.nextJSON()
        let prompt = Prompt.text("Say it [pieces=200]")
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

    @Test func aSecondPromptWaitsForTheFirst() throws {
        let twin = try TwinProcess()
        let session = try twin.newSession()
        let first = Prompt.text("one [pieces=50 interval=1ms]")
        _ = try twin.post("/session/\(session)/prompt_async", first)
        let second = try twin.post("/session/\(session)/message", Prompt.text("two ")).json
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
        let prompt = Prompt.text("wait [silent=300ms]")
        let start = ContinuousClock.now
        try connection.send("POST", "/session/\(session)/message", body: Array(prompt.utf8))
        connection.giveBack(try connection.read(upTo: 1)[...])
        #expect(ContinuousClock.now - start >= .milliseconds(300))
        #expect(try ResponseReader(connection, method: "POST").readAll().status == 200)
    }

    @Test func aSignalBreaksTheStreamOff() throws {
        let twin = try TwinProcess(pace: 100)
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
