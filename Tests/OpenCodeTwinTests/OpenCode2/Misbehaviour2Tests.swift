import Glibc
import TestKit
import Testing

@testable import opencode_twin

@Suite("OpenCode 2 goes wrong when the twin is told to")
struct Misbehaviour2Tests {
    private func connect(_ twin: Twin2Process, _ target: String) throws -> TestConnection {
        let connection = try TestClient.connect(port: twin.port)
        try connection.send("GET", target, headers: [("Authorization", Twin2Process.authorization)])
        return connection
    }

    @Test(arguments: [("500", 500), ("401", 401), ("404", 404), ("page", 200), ("unhealthy", 200), ("no-pid", 200)])
    func health(word: String, status: Int) throws {
        let twin = try Twin2Process(misbehave: "health=\(word)")
        let answer = try twin.get("/api/info")
        #expect(answer.status == status)
        let type = word == "page" ? "text/html" : status == 200 ? "application/json" : nil
        #expect(answer.value(of: "content-type") == type)
        switch word {
        case "unhealthy": #expect(answer.json["pid"] == 4_194_305)
        case "no-pid": #expect(answer.json["pid"] == nil && answer.json["version"] == "2.0.15")
        default: #expect(answer.json["version"] == nil)
        }
        #expect(try twin.get("/api/session").status == 200)
        #expect(try twin.get("/global/health").value(of: "content-type") == "text/html")
    }

    @Test func healthHangsOrIsLate() throws {
        let hanging = try Twin2Process(misbehave: "health=hang")
        #expect(try connect(hanging, "/api/info").staysSilent(for: .milliseconds(100)))
        let late = try Twin2Process(misbehave: "health-late=150")
        let start = ContinuousClock.now
        #expect(try late.get("/api/info").status == 200)
        #expect(ContinuousClock.now - start >= .milliseconds(150))
    }

    @Test func everythingHangsUntilItIsToldNotTo() throws {
        let twin = try Twin2Process()
        #expect(try twin.post("/twin/misbehave", "wedge").text == "true")
        let connection = try connect(twin, "/api/session")
        #expect(try connection.staysSilent(for: .milliseconds(100)))
        #expect(try twin.post("/twin/misbehave", "").text == "true")
        #expect(try ResponseReader(connection).readAll().status == 200)
    }

    @Test(arguments: [
        ("close-in-body", TestResponse.Ending.truncated), ("reset-in-body", .reset), ("body-too-short", .truncated),
    ])
    func aBodyEndsEarly(word: String, ending: TestResponse.Ending) throws {
        let twin = try Twin2Process(misbehave: word)
        #expect(try twin.get("/api/session").ending == ending)
        // Health is spared unless it is named.
        #expect(try twin.get("/api/info").ending == .complete)
    }

    /// An answer without a body is chunked, too.
    @Test func anEmptyBodyEndsEarly() throws {
        let twin = try Twin2Process(misbehave: "body-too-short=/api/no")
        let answer = try twin.get("/api/no/such/path")
        #expect(answer.status == 404)
        #expect(answer.ending == .truncated)
    }

    @Test func aStreamIsClosedBehindItsFirstEvent() throws {
        let twin = try Twin2Process(misbehave: "close-in-body=/api/event")
        let stream = try twin.events()
        #expect(try stream.next() == nil)
        #expect(stream.response.ending == .truncated)
    }

    @Test func allStreamsAreCut() throws {
        let twin = try Twin2Process()
        let stream = try twin.events()
        #expect(try twin.post("/twin/misbehave", "cut-streams").text == "true")
        #expect(try stream.next() == nil)
        #expect(stream.response.ending == .truncated)
    }

    @Test func aCrashAtARequest() throws {
        let twin = try Twin2Process(misbehave: "crash-at=/api/config")
        #expect(try twin.get("/api/session").status == 200)
        #expect(throws: TestKitError.self) { try twin.get("/api/config") }
        #expect(try twin.process.waitForExit() == .exited(1))
    }

    @Test(arguments: [Misbehaviour.Grandchild.stubborn, .obedient])
    func aGrandchildStays(kind: Misbehaviour.Grandchild) throws {
        let twin = try Twin2Process(misbehave: "grandchild=\(kind)")
        let line = try twin.process.waitForLine { $0.hasPrefix("twin grandchild ") }
        let grandchild = try #require(Int32(line.split(separator: " ")[2]))
        defer { kill(grandchild, SIGKILL) }
        let watch = try ProcessWatch(grandchild)
        twin.process.terminate(SIGTERM)
        #expect(try twin.process.waitForExit() == .exited(130))
        kill(grandchild, SIGTERM)
        #expect(try watch.hasEnded(within: .milliseconds(kind == .obedient ? 10_000 : 100)) == (kind == .obedient))
    }
}
