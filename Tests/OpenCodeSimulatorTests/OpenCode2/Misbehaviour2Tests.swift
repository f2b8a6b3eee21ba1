// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

@Suite("Misbehaviour of the OpenCode 2 simulator", .onTestThreads)
struct Misbehaviour2Tests {
    private func connect(_ simulator: Simulator2Process, _ target: String) throws -> TestConnection {
        let connection = try TestClient.connect(port: simulator.port)
        try connection.send("GET", target, headers: [("Authorization", Simulator2Process.authorization)])
        return connection
    }

    @Test(arguments: [("500", 500), ("401", 401), ("404", 404), ("page", 200), ("unhealthy", 200), ("no-pid", 200)])
    func `each health word changes the response of /api/info only`(word: String, status: Int) throws {
        let simulator = try Simulator2Process(misbehave: "health=\(word)")
        let answer = try simulator.get("/api/info")

        #expect(answer.status == status)

        let type = word == "page" ? "text/html" : status == 200 ? "application/json" : nil

        #expect(answer.value(of: "content-type") == type)

        switch word {
        case "unhealthy": #expect(answer.json["pid"] == 4_194_305)
        case "no-pid":
            #expect(answer.json["pid"] == nil)
            #expect(answer.json["version"] == "2.0.15")
        default: #expect(answer.json["version"] == nil)
        }

        #expect(try simulator.get("/api/session").status == 200)
        #expect(try simulator.get("/global/health").value(of: "content-type") == "text/html")
    }

    @Test func `health=hang leaves the health check unanswered, and health-late delays it`() throws {
        let hanging = try Simulator2Process(misbehave: "health=hang")

        #expect(try connect(hanging, "/api/info").staysSilent(for: .milliseconds(100)))

        let late = try Simulator2Process(misbehave: "health-late=150")
        let start = ContinuousClock.now

        #expect(try late.get("/api/info").status == 200)
        #expect(ContinuousClock.now - start >= .milliseconds(150))
    }

    @Test func `wedge holds all responses until it is cleared`() throws {
        let simulator = try Simulator2Process()

        #expect(try simulator.post("/simulator/misbehave", "wedge").text == "true")

        let connection = try connect(simulator, "/api/session")

        #expect(try connection.staysSilent(for: .milliseconds(100)))
        #expect(try simulator.post("/simulator/misbehave", "").text == "true")
        #expect(try ResponseReader(connection).readAll().status == 200)
    }

    @Test(arguments: [
        ("close-in-body", TestResponse.Ending.truncated), ("reset-in-body", .reset), ("body-too-short", .truncated),
    ])
    func `each body fault ends a response early, except that of the health check`(
        word: String, ending: TestResponse.Ending
    ) throws {
        let simulator = try Simulator2Process(misbehave: word)

        #expect(try simulator.get("/api/session").ending == ending)
        // The health check is exempt unless the misbehaviour names it.
        #expect(try simulator.get("/api/info").ending == .complete)
    }

    /// A response without a body is also chunked.
    @Test func `body-too-short truncates a response with an empty body`() throws {
        let simulator = try Simulator2Process(misbehave: "body-too-short=/api/no")
        let answer = try simulator.get("/api/no/such/path")

        #expect(answer.status == 404)
        #expect(answer.ending == .truncated)
    }

    @Test func `close-in-body truncates an event stream after its first event`() throws {
        let simulator = try Simulator2Process(misbehave: "close-in-body=/api/event")
        let stream = try simulator.events()

        #expect(try stream.next() == nil)
        #expect(stream.response.ending == .truncated)
    }

    @Test func `cut-streams truncates the running event streams`() throws {
        let simulator = try Simulator2Process()
        let stream = try simulator.events()

        #expect(try simulator.post("/simulator/misbehave", "cut-streams").text == "true")
        #expect(try stream.next() == nil)
        #expect(stream.response.ending == .truncated)
    }

    @Test func `crash-at ends the process with exit code 1 at a request for its path`() throws {
        let simulator = try Simulator2Process(misbehave: "crash-at=/api/config")

        #expect(try simulator.get("/api/session").status == 200)
        #expect(throws: TestKitError.self) { try simulator.get("/api/config") }
        #expect(try simulator.process.waitForExit() == .exited(1))
    }

    @Test(arguments: [Misbehaviour.Grandchild.stubborn, .obedient])
    func `a grandchild outlives the server, and only the obedient one ends at SIGTERM`(kind: Misbehaviour.Grandchild)
        throws
    {
        let simulator = try Simulator2Process(misbehave: "grandchild=\(kind)")
        let line = try simulator.process.waitForLine { $0.hasPrefix("simulator grandchild ") }
        let grandchild = try #require(Int32(line.split(separator: " ")[2]))
        defer { kill(grandchild, SIGKILL) }
        let watch = try ProcessWatch(grandchild)
        simulator.process.terminate(SIGTERM)

        #expect(try simulator.process.waitForExit() == .exited(130))

        kill(grandchild, SIGTERM)

        #expect(try watch.hasEnded(within: .milliseconds(kind == .obedient ? 10_000 : 100)) == (kind == .obedient))
    }
}
