import Glibc
import TestKit
import Testing

@testable import opencode_twin

@Suite("The program starts and ends as recorded")
struct StartupTests {
    /// The lines that a recorded process printed, the port in them replaced.
    private static func recorded(_ name: String, port: UInt16) throws -> [TestProcess.Line] {
        let record = try Recording.records("process.jsonl").first { $0["name"]?.text == name }
        return (record?["output"]?.elements ?? []).map { line in
            TestProcess.Line(
                stream: line["stream"] == "stdout" ? .output : .error,
                text: (line["line"]?.text ?? "").replacing(":4096", with: ":\(port)"))
        }
    }

    @Test func theBannerAndItsWarning() throws {
        let open = try TwinProcess()
        #expect(open.process.output.values == (try Self.recorded("first start", port: open.port)))
        let guarded = try TwinProcess(environment: ["OPENCODE_SERVER_PASSWORD": "correct horse"])
        #expect(guarded.process.output.values == (try Self.recorded("password set", port: guarded.port)))
    }

    @Test func aTakenPortEndsTheProcess() throws {
        let taken = try TestServer { _ in }
        let process = try TestProcess(try BuiltProducts.path("opencode-twin"), ["serve", "--port", "\(taken.port)"])
        #expect(try process.waitForExit() == .exited(1))
        let recorded = try Self.recorded("a named port that is taken", port: taken.port)
        #expect(process.lines(of: .output) == recorded.filter { $0.stream == .output }.map(\.text))
        #expect(process.lines(of: .error) == recorded.filter { $0.stream == .error }.map(\.text))
    }

    @Test func port0Means4096AndThenAnyFreeOne() throws {
        #expect(ServeOptions().ports == [4096, 0])
        #expect(ServeOptions(port: 14321).ports == [14321])
        let taken = try TestServer { _ in }
        let second = try #require(Startup.listen(on: [taken.port, 0]) { _ in })
        #expect(second.port != taken.port)
        #expect(Startup.listen(on: [taken.port]) { _ in } == nil)
    }

    @Test func versionAndHelp() throws {
        let program = try BuiltProducts.path("opencode-twin")
        let version = try TestProcess(program, ["--version"])
        #expect(try version.waitForExit() == .exited(0))
        #expect(version.lines(of: .output) == ["1.18.33"])
        let help = try TestProcess(program, ["--help"])
        #expect(try help.waitForExit() == .exited(0))
        #expect(help.lines(of: .output).contains { $0.contains("TWIN_MISBEHAVE") })
        let wrong = try TestProcess(program, ["serve", "--port", "many"])
        #expect(try wrong.waitForExit() == .exited(1))
        #expect(wrong.lines(of: .error).first?.contains("--port many") == true)
    }
}

@Suite("The program misbehaves when it is told to")
struct MisbehaviourTests {
    private func start(_ words: String) throws -> TestProcess {
        try TestProcess(
            try BuiltProducts.path("opencode-twin"), ["serve", "--port", "0"], environment: ["TWIN_MISBEHAVE": words])
    }

    private func wait(forBanner process: TestProcess) throws -> UInt16 {
        let line = try process.waitForLine { $0.hasPrefix("opencode server listening on http://127.0.0.1:") }
        return UInt16(line.split(separator: ":").last ?? "") ?? 0
    }

    @Test func refusedHealth() throws {
        let twin = try TwinProcess(environment: ["TWIN_MISBEHAVE": "refuse-health"])
        #expect(try twin.get("/global/health").status == 500)
        #expect(try twin.get("/session").status == 200)
    }

    @Test func aLateBanner() throws {
        let start = ContinuousClock.now
        let process = try self.start("banner-late=200")
        #expect(try wait(forBanner: process) > 0)
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
        #expect(try wait(forBanner: try start("banner-split")) > 0)
    }

    @Test func ignoredTermination() throws {
        let process = try start("ignore-sigterm")
        let port = try wait(forBanner: process)
        process.terminate(SIGTERM)
        #expect(try TestClient.request(port, "GET", "/global/health").status == 200)
        process.terminate(SIGKILL)
        #expect(try process.waitForExit() == .signalled(SIGKILL))
    }

    @Test func aGrandchildOutlivesTheServer() throws {
        let process = try start("leave-grandchildren")
        let line = try process.waitForLine { $0.hasPrefix("twin grandchild ") }
        let grandchild = try #require(Int32(line.split(separator: " ")[2]))
        #expect(getpgid(grandchild) == process.pid)
        _ = try wait(forBanner: process)
        kill(-process.pid, SIGTERM)
        #expect(try process.waitForExit() == .signalled(SIGTERM))
        #expect(ProcessMeasures.isAlive(grandchild))
    }

    @Test func anUnknownWordIsNamed() throws {
        let process = try start("banner-sideways")
        #expect(try process.waitForExit() == .exited(1))
        #expect(process.lines(of: .error).first?.contains("banner-sideways") == true)
    }
}
