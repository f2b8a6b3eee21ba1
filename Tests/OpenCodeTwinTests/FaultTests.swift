import TestKit
import Testing

@testable import opencode_twin

@Suite("Answers are broken when the twin is told to")
struct FaultTests {
    private func connect(_ twin: TwinProcess, _ target: String) throws -> TestConnection {
        let connection = try TestClient.connect(port: twin.port)
        try connection.send("GET", target)
        return connection
    }

    @Test func nothingIsAnswered() throws {
        let twin = try TwinProcess(misbehave: "hang-before-head=/path")
        #expect(try connect(twin, "/path").staysSilent(for: .milliseconds(100)))
        #expect(try twin.get("/session").status == 200)
    }

    @Test func theConnectionIsClosed() throws {
        let twin = try TwinProcess(misbehave: "close-before-head")
        #expect(try connect(twin, "/path").readUntilClose().isEmpty)
        #expect(try twin.get("/global/health").status == 200)
    }

    @Test(arguments: ["/path", "/event"])
    func aHeadComesAlone(target: String) throws {
        let twin = try TwinProcess(misbehave: "hang-after-head")
        let connection = try connect(twin, target)
        #expect(try connection.readResponseHead().status == 200)
        #expect(try connection.staysSilent(for: .milliseconds(100)))
    }

    @Test(arguments: [
        ("close-in-body", TestResponse.Ending.truncated), ("reset-in-body", .reset), ("body-too-short", .truncated),
    ])
    func aBodyEndsEarly(word: String, ending: TestResponse.Ending) throws {
        let twin = try TwinProcess(misbehave: word)
        let answer = try twin.get("/path")
        #expect(answer.status == 200)
        #expect(answer.ending == ending)
    }

    @Test(arguments: [("close-in-body", TestResponse.Ending.truncated), ("reset-in-body", .reset)])
    func aStreamEndsAfterItsFirstEvent(word: String, ending: TestResponse.Ending) throws {
        let twin = try TwinProcess(misbehave: word)
        let stream = try TestClient.events(twin.port, "/event")
        #expect(try stream.nextJSON()["type"] == "server.connected")
        #expect(try stream.next() == nil)
        #expect(stream.response.ending == ending)
    }

    @Test func moreComesThanIsPromised() throws {
        let twin = try TwinProcess(misbehave: "body-too-long=/path")
        let connection = try connect(twin, "/path")
        let answer = try ResponseReader(connection).readAll()
        #expect(answer.ending == .complete)
        #expect(try connection.readUntilClose().count == 10)
    }

    @Test func aTurnsAnswerBreaksToo() throws {
        let twin = try TwinProcess(misbehave: "body-too-short=/session")
        #expect(try twin.post("/session").ending == .truncated)
        _ = try twin.post("/twin/misbehave", "")
        let session = try twin.newSession()
        _ = try twin.post("/twin/misbehave", "body-too-short=/session")
        let answer = try twin.post("/session/\(session)/message", Prompt.text("hi"))
        #expect(answer.ending == .truncated)
        #expect(!answer.body.isEmpty)
    }

    @Test func streamsAreCutWhileTheyRun() throws {
        let twin = try TwinProcess()
        let log = try EventLog(twin)
        #expect(try twin.post("/twin/misbehave", "cut-streams").text == "true")
        try log.readToEnd()
        #expect(log.ending == .truncated)
        // The next one is whole.
        #expect(try EventLog(twin).events.count == 1)
    }
}
