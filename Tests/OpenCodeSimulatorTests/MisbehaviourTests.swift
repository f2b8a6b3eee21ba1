// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

@Suite("Misbehaviour words", .onTestThreads)
struct MisbehaviourWordTests {
    @Test func `all misbehaviour words of a list take effect together`() throws {
        let all = try Misbehaviour("health=500, health-late=20,ignore-sigterm\ngrandchild=escaped,grandchild=obedient")
        var expected = try Misbehaviour("")
        expected.health = .serverError
        expected.healthDelay = .milliseconds(20)
        expected.ignoresTermination = true
        expected.grandchildren = [.escaped, .obedient]

        #expect(all == expected)
        #expect(try Misbehaviour("banner-late=5").banner == .late(.milliseconds(5)))
        #expect(try Misbehaviour("crash-at=/config").crashPath == "/config")
    }

    @Test(arguments: [
        "banner-late", "banner-late=soon", "banner-late=-1", "banner-never=1", "health", "health=502",
        "grandchild=lost",
        "crash-at", "crash-at=config", "banner-sideways", "=",
    ])
    func `each invalid misbehaviour word is reported by name`(word: String) {
        #expect(throws: Misbehaviour.UnknownWord(word: word)) { try Misbehaviour("banner-twice,\(word)") }
    }

    @Test func `the help lists every misbehaviour word`() {
        for word in Misbehaviour.words { #expect(ServeOptions.help.contains("\n  \(word.name)")) }
    }
}

@Suite("Misbehaviour at startup", .onTestThreads)
struct StartMisbehaviourTests {
    private func start(_ words: String) throws -> TestProcess {
        try TestProcess(
            try BuiltProducts.path("opencode-simulator"), ["serve", "--port", "0"],
            environment: ["SIMULATOR_MISBEHAVE": words])
    }

    private func waitForPort(_ process: TestProcess) throws -> UInt16 {
        let line = try process.waitForLine { $0.hasPrefix("opencode server listening on http://127.0.0.1:") }
        return UInt16(line.split(separator: ":").last ?? "") ?? 0
    }

    @Test func `exit-at-start prints a configuration error instead of the banner and exits with its code`() throws {
        let process = try start("exit-at-start=3")

        #expect(try process.waitForExit() == .exited(3))

        let lines = process.lines(of: .error)

        #expect(lines.first?.hasPrefix("\u{1b}[91m\u{1b}[1mError: \u{1b}[0mConfig file at ") == true)
        #expect(!process.output.values.contains { $0.text.contains("listening") })
    }

    @Test func `banner-late delays the banner`() throws {
        let start = ContinuousClock.now
        let process = try self.start("banner-late=200")

        #expect(try waitForPort(process) > 0)
        #expect(ContinuousClock.now - start >= .milliseconds(200))
    }

    @Test func `banner-never suppresses the banner, and the process keeps running`() throws {
        let process = try start("banner-never")
        try process.waitForLine { $0.hasPrefix("Warning") }

        #expect(throws: TestKitError.self) {
            try process.waitForLine(within: .milliseconds(100)) { $0.contains("listening") }
        }
        #expect(process.exitStatus == nil)
    }

    @Test func `banner-split prints a complete banner`() throws {
        #expect(try waitForPort(try start("banner-split")) > 0)
    }

    @Test(arguments: [("banner-twice", nil), ("banner-followed=4242", UInt16(4242))] as [(String, UInt16?)])
    func `banner-twice and banner-followed print a second banner`(word: String, other: UInt16?) throws {
        let process = try start(word)
        let port = try waitForPort(process)
        let second = "opencode server listening on http://127.0.0.1:\(other ?? port)"

        try process.output.wait("a second banner") { lines in
            lines.count { $0.text.contains("listening") } == 2 && lines.last?.text == second
        }
    }

    @Test func `refuse makes connections fail with ECONNREFUSED`() throws {
        let process = try start("refuse")
        // Another process could get the port if the simulator ended.
        defer { withExtendedLifetime(process) {} }
        let port = try waitForPort(process)

        #expect { try TestClient.connect(port: port) } throws: { error in
            if case TestKitError.system(_, ECONNREFUSED) = error { true } else { false }
        }
    }

    @Test func `an unknown word in SIMULATOR_MISBEHAVE ends the process with an error that names it`() throws {
        let process = try start("banner-sideways")

        #expect(try process.waitForExit() == .exited(1))
        #expect(process.lines(of: .error).first?.contains("banner-sideways") == true)
    }

    @Test func `the words file in a project's folder takes effect and is removed if it contains once`() throws {
        let simulator = try SimulatorProcess(words: "health=404\n")

        #expect(try simulator.get("/global/health").status == 404)
        #expect(try simulator.has(Startup.wordsFile))

        let once = try SimulatorProcess(words: "once,health=404\n")

        #expect(try once.get("/global/health").status == 404)
        #expect(try !once.has(Startup.wordsFile))
    }
}

@Suite("Misbehaviour of health checks", .onTestThreads)
struct HealthMisbehaviourTests {
    @Test(arguments: [("500", 500), ("401", 401), ("404", 404), ("page", 200), ("unhealthy", 200)])
    func `each health word changes the response to the health check only`(word: String, status: Int) throws {
        let simulator = try SimulatorProcess(misbehave: "health=\(word)")
        let answer = try simulator.get("/global/health")

        #expect(answer.status == status)
        #expect(answer.json["healthy"] == (word == "unhealthy" ? false : nil))
        #expect(try simulator.get("/session").status == 200)
    }

    @Test func `health=hang leaves the health check unanswered`() throws {
        let simulator = try SimulatorProcess(misbehave: "health=hang")
        let connection = try TestClient.connect(port: simulator.port)
        try connection.send("GET", "/global/health")

        #expect(try connection.staysSilent(for: .milliseconds(100)))
        #expect(try simulator.get("/session").status == 200)
    }

    @Test func `health-late delays the response to the health check`() throws {
        let simulator = try SimulatorProcess(misbehave: "health-late=150")
        let start = ContinuousClock.now

        #expect(try simulator.get("/global/health").status == 200)
        #expect(ContinuousClock.now - start >= .milliseconds(150))
    }

    @Test func `wedge holds all responses until it is cleared, and event streams survive it`() throws {
        let simulator = try SimulatorProcess(environment: ["SIMULATOR_HEARTBEAT_MS": "10"])
        let stream = try TestClient.events(port: simulator.port, "/event")

        #expect(try stream.nextJSON()["type"] == "server.connected")
        #expect(try simulator.post("/simulator/misbehave", "wedge").text == "true")

        let connection = try TestClient.connect(port: simulator.port)
        try connection.send("GET", "/global/health")

        #expect(try connection.staysSilent(for: .milliseconds(100)))
        #expect(try simulator.post("/simulator/misbehave", "").text == "true")
        #expect(try ResponseReader(connection).readAll().status == 200)
        #expect(try stream.nextJSON()["type"] == "server.heartbeat")
    }

    @Test func `/simulator/misbehave requires the password and rejects an unknown word by name`() throws {
        let simulator = try SimulatorProcess(environment: ["OPENCODE_SERVER_PASSWORD": "pw"])

        #expect(try simulator.post("/simulator/misbehave", "wedge").status == 401)

        let open = try SimulatorProcess()
        let answer = try open.post("/simulator/misbehave", "health=404,wege")

        #expect(answer.status == 400)
        #expect(answer.json["unknown"] == "wege")
        #expect(try open.get("/global/health").status == 200)
    }
}

@Suite("Misbehaviour at exit", .onTestThreads)
struct EndMisbehaviourTests {
    @Test func `crash-after ends the process with exit code 1 after its time`() throws {
        let simulator = try SimulatorProcess(misbehave: "crash-after=1000")

        #expect(try simulator.process.waitForExit() == .exited(1))
        #expect(simulator.process.lines(of: .error).last?.contains("crashes") == true)
    }

    @Test func `crash-at ends the process with exit code 1 at a request below its path`() throws {
        let simulator = try SimulatorProcess(misbehave: "crash-at=/config")

        #expect(try simulator.get("/session").status == 200)
        #expect(throws: TestKitError.self) { try simulator.get("/config/providers") }
        #expect(try simulator.process.waitForExit() == .exited(1))
    }

    @Test func `killed-after ends the process by SIGKILL`() throws {
        let simulator = try SimulatorProcess()
        // The response may arrive, or be lost when the process ends.
        _ = try? simulator.post("/simulator/misbehave", "killed-after=0")

        #expect(try simulator.process.waitForExit() == .signalled(SIGKILL))
    }

    @Test func `a new crash-after replaces the running timer`() throws {
        let simulator = try SimulatorProcess(misbehave: "crash-after=60000")
        _ = try? simulator.post("/simulator/misbehave", "crash-after=0")

        #expect(try simulator.process.waitForExit() == .exited(1))
    }

    @Test func `the word refuse ends open streams and refuses new connections if it is set at run time`() throws {
        let simulator = try SimulatorProcess()
        let stream = try TestClient.events(port: simulator.port, "/event")
        _ = try stream.nextJSON()
        // The connection of this request is closed together with the other connections.
        _ = try? simulator.post("/simulator/misbehave", "refuse")
        while try stream.next() != nil {}

        #expect(throws: TestKitError.self) { try TestClient.connect(port: simulator.port) }
        #expect(simulator.process.exitStatus == nil)
    }

    @Test func `a process with ignore-sigterm continues after SIGTERM and ends at SIGKILL`() throws {
        let simulator = try SimulatorProcess(misbehave: "ignore-sigterm")
        simulator.process.terminate(SIGTERM)

        #expect(try simulator.get("/global/health").status == 200)

        simulator.process.terminate(SIGKILL)

        #expect(try simulator.process.waitForExit() == .signalled(SIGKILL))
    }

    @Test func `a process with sigterm-late serves requests after SIGTERM and ends after its time`() throws {
        let busy = try SimulatorProcess(misbehave: "sigterm-late=600000")
        busy.process.terminate(SIGTERM)

        #expect(try busy.get("/global/health").status == 200)

        let simulator = try SimulatorProcess(misbehave: "sigterm-late=200")
        let start = ContinuousClock.now
        simulator.process.terminate(SIGTERM)

        #expect(try simulator.process.waitForExit() == .signalled(SIGTERM))
        #expect(ContinuousClock.now - start >= .milliseconds(200))
    }

    @Test(arguments: Misbehaviour.Grandchild.allCases)
    func `each grandchild holds the output open, and only the obedient one ends at SIGTERM`(
        kind: Misbehaviour.Grandchild
    ) throws {
        let simulator = try SimulatorProcess(misbehave: "grandchild=\(kind)")
        let line = try simulator.process.waitForLine { $0.hasPrefix("simulator grandchild ") }
        let grandchild = try #require(Int32(line.split(separator: " ")[2]))
        defer { kill(grandchild, SIGKILL) }

        #expect(getpgid(grandchild) == (kind == .escaped ? grandchild : simulator.process.pid))

        let outputs = [grandchild, simulator.process.pid].map { pid in
            var status = stat()
            return stat("/proc/\(pid)/fd/1", &status) == 0 ? status.st_ino : 0
        }

        #expect(outputs[0] == outputs[1], "it holds the output open")
        #expect(outputs[0] != 0, "it holds the output open")

        let watch = try ProcessWatch(grandchild)
        kill(-simulator.process.pid, SIGTERM)
        kill(grandchild, SIGTERM)

        #expect(try watch.hasEnded(within: .milliseconds(kind == .obedient ? 10_000 : 100)) == (kind == .obedient))
    }
}
