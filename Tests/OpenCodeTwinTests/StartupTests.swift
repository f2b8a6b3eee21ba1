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
