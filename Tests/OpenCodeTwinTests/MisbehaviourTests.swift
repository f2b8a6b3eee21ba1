import Glibc
import TestKit
import Testing

@testable import opencode_twin

@Suite("Words of misbehaviour")
struct MisbehaviourWordTests {
    @Test func wordsAdd() throws {
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
    func whatIsWrongIsNamed(word: String) {
        #expect(throws: Misbehaviour.UnknownWord(word: word)) { try Misbehaviour("banner-twice,\(word)") }
    }

    @Test func theHelpNamesEveryWord() {
        for word in Misbehaviour.words { #expect(ServeOptions.help.contains("\n  \(word.name)")) }
    }
}

@Suite("The start goes wrong")
struct StartMisbehaviourTests {
    private func start(_ words: String) throws -> TestProcess {
        try TestProcess(
            try BuiltProducts.path("opencode-twin"), ["serve", "--port", "0"], environment: ["TWIN_MISBEHAVE": words])
    }

    private func waitForPort(_ process: TestProcess) throws -> UInt16 {
        let line = try process.waitForLine { $0.hasPrefix("opencode server listening on http://127.0.0.1:") }
        return UInt16(line.split(separator: ":").last ?? "") ?? 0
    }

    @Test func aBrokenConfigurationEndsIt() throws {
        let process = try start("exit-at-start=3")
        #expect(try process.waitForExit() == .exited(3))
        let lines = process.lines(of: .error)
        #expect(lines.first?.hasPrefix("\u{1b}[91m\u{1b}[1mError: \u{1b}[0mConfig file at ") == true)
        #expect(!process.output.values.contains { $0.text.contains("listening") })
    }

    @Test func aLateBanner() throws {
        let start = ContinuousClock.now
        let process = try self.start("banner-late=200")
        #expect(try waitForPort(process) > 0)
        #expect(ContinuousClock.now - start >= .milliseconds(200))
    }

    @Test func noBanner() throws {
        let process = try start("banner-never")
        try process.waitForLine { $0.hasPrefix("Warning") }
        #expect(throws: TestKitError.self) {
            try process.waitForLine(within: .milliseconds(100)) { $0.contains("listening") }
        }
        #expect(process.exitStatus == nil)
    }

    @Test func aSplitBannerIsWholeInTheEnd() throws {
        #expect(try waitForPort(try start("banner-split")) > 0)
    }

    @Test(arguments: [("banner-twice", nil), ("banner-followed=4242", UInt16(4242))] as [(String, UInt16?)])
    func aSecondBanner(word: String, other: UInt16?) throws {
        let process = try start(word)
        let port = try waitForPort(process)
        let second = "opencode server listening on http://127.0.0.1:\(other ?? port)"
        try process.output.wait("a second banner") { lines in
            lines.count { $0.text.contains("listening") } == 2 && lines.last?.text == second
        }
    }

    @Test func aRefusedConnection() throws {
        let port = try waitForPort(try start("refuse"))
        #expect { try TestClient.connect(port: port) } throws: { error in
            if case TestKitError.system(_, ECONNREFUSED) = error { true } else { false }
        }
    }

    @Test func anUnknownWordIsNamed() throws {
        let process = try start("banner-sideways")
        #expect(try process.waitForExit() == .exited(1))
        #expect(process.lines(of: .error).first?.contains("banner-sideways") == true)
    }

    @Test func aProjectHasItsOwnWords() throws {
        let twin = try TwinProcess(words: "health=404\n")
        #expect(try twin.get("/global/health").status == 404)
        #expect(try twin.has(Startup.wordsFile))
        let once = try TwinProcess(words: "once,health=404\n")
        #expect(try once.get("/global/health").status == 404)
        #expect(try !once.has(Startup.wordsFile))
    }
}

@Suite("Health goes wrong")
struct HealthMisbehaviourTests {
    @Test(arguments: [("500", 500), ("401", 401), ("404", 404), ("page", 200), ("unhealthy", 200)])
    func health(word: String, status: Int) throws {
        let twin = try TwinProcess(misbehave: "health=\(word)")
        let answer = try twin.get("/global/health")
        #expect(answer.status == status)
        #expect(answer.json["healthy"] == (word == "unhealthy" ? false : nil))
        #expect(try twin.get("/session").status == 200)
    }

    @Test func itHangs() throws {
        let twin = try TwinProcess(misbehave: "health=hang")
        let connection = try TestClient.connect(port: twin.port)
        try connection.send("GET", "/global/health")
        #expect(try connection.staysSilent(for: .milliseconds(100)))
        #expect(try twin.get("/session").status == 200)
    }

    @Test func itIsLate() throws {
        let twin = try TwinProcess(misbehave: "health-late=150")
        let start = ContinuousClock.now
        #expect(try twin.get("/global/health").status == 200)
        #expect(ContinuousClock.now - start >= .milliseconds(150))
    }

    @Test func everythingHangsUntilItIsToldNotTo() throws {
        let twin = try TwinProcess(environment: ["TWIN_HEARTBEAT_MS": "10"])
        let stream = try TestClient.events(twin.port, "/event")
        #expect(try stream.nextJSON()["type"] == "server.connected")
        #expect(try twin.post("/twin/misbehave", "wedge").text == "true")
        let connection = try TestClient.connect(port: twin.port)
        try connection.send("GET", "/global/health")
        #expect(try connection.staysSilent(for: .milliseconds(100)))
        #expect(try twin.post("/twin/misbehave", "").text == "true")
        #expect(try ResponseReader(connection).readAll().status == 200)
        #expect(try stream.nextJSON()["type"] == "server.heartbeat")
    }

    @Test func theSwitchIsGuardedAndNamesWhatItDoesNotKnow() throws {
        let twin = try TwinProcess(environment: ["OPENCODE_SERVER_PASSWORD": "pw"])
        #expect(try twin.post("/twin/misbehave", "wedge").status == 401)
        let open = try TwinProcess()
        let answer = try open.post("/twin/misbehave", "health=404,wege")
        #expect(answer.status == 400)
        #expect(answer.json["unknown"] == "wege")
        #expect(try open.get("/global/health").status == 200)
    }
}

@Suite("The end goes wrong")
struct EndMisbehaviourTests {
    @Test func aCrashAfterATime() throws {
        let twin = try TwinProcess(misbehave: "crash-after=1000")
        #expect(try twin.process.waitForExit() == .exited(1))
        #expect(twin.process.lines(of: .error).last?.contains("crashes") == true)
    }

    @Test func aCrashAtARequest() throws {
        let twin = try TwinProcess(misbehave: "crash-at=/config")
        #expect(try twin.get("/session").status == 200)
        #expect(throws: TestKitError.self) { try twin.get("/config/providers") }
        #expect(try twin.process.waitForExit() == .exited(1))
    }

    @Test func aKillMidFlight() throws {
        let twin = try TwinProcess()
        // The answer may come, or go with the process.
        _ = try? twin.post("/twin/misbehave", "killed-after=0")
        #expect(try twin.process.waitForExit() == .signalled(SIGKILL))
    }

    @Test func aChangeStopsTheTimer() throws {
        let twin = try TwinProcess(misbehave: "crash-after=60000")
        _ = try? twin.post("/twin/misbehave", "crash-after=0")
        #expect(try twin.process.waitForExit() == .exited(1))
    }

    @Test func connectionsAreRefusedFromNowOn() throws {
        let twin = try TwinProcess()
        let stream = try TestClient.events(twin.port, "/event")
        _ = try stream.nextJSON()
        // Its own connection goes with the others.
        _ = try? twin.post("/twin/misbehave", "refuse")
        while try stream.next() != nil {}
        #expect(throws: TestKitError.self) { try TestClient.connect(port: twin.port) }
        #expect(twin.process.exitStatus == nil)
    }

    @Test func ignoredTermination() throws {
        let twin = try TwinProcess(misbehave: "ignore-sigterm")
        twin.process.terminate(SIGTERM)
        #expect(try twin.get("/global/health").status == 200)
        twin.process.terminate(SIGKILL)
        #expect(try twin.process.waitForExit() == .signalled(SIGKILL))
    }

    @Test func aLateEnd() throws {
        let busy = try TwinProcess(misbehave: "sigterm-late=600000")
        busy.process.terminate(SIGTERM)
        #expect(try busy.get("/global/health").status == 200)
        let twin = try TwinProcess(misbehave: "sigterm-late=200")
        let start = ContinuousClock.now
        twin.process.terminate(SIGTERM)
        #expect(try twin.process.waitForExit() == .signalled(SIGTERM))
        #expect(ContinuousClock.now - start >= .milliseconds(200))
    }

    @Test(arguments: Misbehaviour.Grandchild.allCases)
    func aGrandchildOutlivesTheServer(kind: Misbehaviour.Grandchild) throws {
        let twin = try TwinProcess(misbehave: "grandchild=\(kind)")
        let line = try twin.process.waitForLine { $0.hasPrefix("twin grandchild ") }
        let grandchild = try #require(Int32(line.split(separator: " ")[2]))
        defer { kill(grandchild, SIGKILL) }
        #expect(getpgid(grandchild) == (kind == .escaped ? grandchild : twin.process.pid))
        let outputs = [grandchild, twin.process.pid].map { pid in
            var status = stat()
            return stat("/proc/\(pid)/fd/1", &status) == 0 ? status.st_ino : 0
        }
        #expect(outputs[0] == outputs[1] && outputs[0] != 0, "it holds the output open")
        let watch = try ProcessWatch(grandchild)
        kill(-twin.process.pid, SIGTERM)
        kill(grandchild, SIGTERM)
        #expect(try watch.hasEnded(within: .milliseconds(kind == .obedient ? 10_000 : 100)) == (kind == .obedient))
    }
}
