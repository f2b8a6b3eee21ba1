// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

@Suite("Starts and exits of the program match the recordings", .onTestThreads)
struct StartupTests {
    /// Returns the lines that a recorded process printed, with the port and the home directory of this run.
    private static func recorded(_ recording: Recording, _ name: String, port: UInt16) throws -> [TestProcess.Line] {
        let record = try recording.records("process.jsonl").first { $0["name"]?.text == name }
        return (record?["output"]?.elements ?? []).map { line in
            let text = (line["line"]?.text ?? "").replacing(":4096", with: ":\(port)")
                .replacing("port 14322", with: "port \(port)")
            return TestProcess.Line(stream: line["stream"] == "stdout" ? .output : .error, text: text)
        }
    }

    /// Returns the lines of a stream, without the parts that name a file of this user.
    private static func lines(_ lines: [TestProcess.Line], of stream: TestProcess.Stream) -> [String] {
        lines.filter { $0.stream == stream }.map { line in
            let words = line.text.split(separator: " ", omittingEmptySubsequences: false)
            return words.map { $0.hasPrefix("/") ? "FILE" : String($0) }.joined(separator: " ")
        }
    }

    @Test(arguments: Recording.all)
    func `the banner and the lines before it match the recording`(_ recording: Recording) throws {
        let first = try SimulatorProcess(recording.version, misbehave: "first-run")
        let expected = try Self.recorded(recording, "first start", port: first.port)
        // The two streams are read by two threads.
        try first.process.output.wait(forCount: expected.count)
        for stream in [TestProcess.Stream.output, .error] {
            #expect(first.process.lines(of: stream) == Self.lines(expected, of: stream))
        }
        let guarded = try SimulatorProcess(
            recording.version, environment: ["OPENCODE_SERVER_PASSWORD": "correct horse"])

        #expect(
            guarded.process.output.values == (try Self.recorded(recording, "password set", port: guarded.port)))
    }

    @Test(arguments: Recording.all)
    func `a port in use ends the process with the recorded output`(_ recording: Recording) throws {
        let taken = try TestServer { _ in }
        let process = try TestProcess(
            try BuiltProducts.path("opencode-simulator"),
            ["serve", "--port", "\(taken.port)", "--profile", recording.version])

        #expect(try process.waitForExit() == .exited(1))

        let expected = try Self.recorded(recording, "a named port that is taken", port: taken.port)
        for stream in [TestProcess.Stream.output, .error] {
            #expect(Self.lines(process.output.values, of: stream) == Self.lines(expected, of: stream))
        }
    }

    @Test(arguments: Recording.all)
    func `a broken configuration ends the process with the recorded output`(_ recording: Recording) throws {
        let process = try TestProcess(
            try BuiltProducts.path("opencode-simulator"), ["serve", "--port", "0", "--profile", recording.version],
            environment: ["SIMULATOR_MISBEHAVE": "exit-at-start=1"])

        #expect(try process.waitForExit() == .exited(1))

        let expected = try Self.recorded(recording, "broken configuration", port: 0)

        #expect(process.lines(of: .output) == Self.lines(expected, of: .output))

        // The recorded list of the file's errors is longer.
        let lines = Self.lines(process.output.values, of: .error)

        #expect(lines == Array(Self.lines(expected, of: .error).prefix(lines.count)))
        #expect(lines.count == 7)
    }

    @Test(arguments: Recording.all)
    func `--print-logs writes log lines in the recorded format`(_ recording: Recording) throws {
        let process = try TestProcess(
            try BuiltProducts.path("opencode-simulator"),
            ["serve", "--port=0", "--print-logs", "--profile", recording.version])
        try process.waitForLine(on: .output) { $0.contains("listening on") }
        let recorded = Self.lines(try Self.recorded(recording, "--print-logs", port: 0), of: .error)
        let line = try process.waitForLine(on: .error) { !$0.isEmpty }

        #expect(line.split(separator: " ")[0].prefix(5) == recorded[0].split(separator: " ")[0].prefix(5))
        #expect(line.contains("level=INFO") || line.hasPrefix("INFO"))
    }

    @Test func `a simulator with SIMULATOR_ENDS_WITH_PARENT=1 ends when its parent is killed`() throws {
        let simulator = try BuiltProducts.path("opencode-simulator")
        let parent = try TestProcess(
            "/bin/sh", ["-c", "'\(simulator)' serve & echo $!; wait"], environment: ["SIMULATOR_ENDS_WITH_PARENT": "1"])
        try parent.waitForLine { $0.contains("listening on") }
        let child = try #require(Int32(try parent.waitForLine(on: .output) { Int32($0) != nil }))
        let watch = try ProcessWatch(child)
        parent.terminate(SIGKILL)

        #expect(try watch.hasEnded())
    }

    @Test(arguments: [("1", true), ("", false), ("0", false), ("yes", false), (nil, false)] as [(String?, Bool)])
    func `only the value 1 of SIMULATOR_ENDS_WITH_PARENT ends the simulator with its parent`(value: String?, ends: Bool)
    {
        let startup = Startup(options: ServeOptions()) { $0 == "SIMULATOR_ENDS_WITH_PARENT" ? value : nil }

        #expect(startup.endsWithParent == ends)
    }

    @Test func `port 0 selects port 4096, or a free port if 4096 is in use`() throws {
        #expect(ServeOptions().ports == [4096, 0])
        #expect(ServeOptions(port: 14321).ports == [14321])

        let taken = try TestServer { _ in }
        let second = try #require(Startup.listen(on: [taken.port, 0]) { _ in })

        #expect(second.port != taken.port)
        #expect(Startup.listen(on: [taken.port]) { _ in } == nil)
    }

    @Test func `--version and --help print their text, and an invalid port is an error`() throws {
        let program = try BuiltProducts.path("opencode-simulator")
        let version = try TestProcess(program, ["--version"])

        #expect(try version.waitForExit() == .exited(0))
        #expect(version.lines(of: .output) == ["1.18.33"])

        let help = try TestProcess(program, ["--help"])

        #expect(try help.waitForExit() == .exited(0))
        #expect(help.lines(of: .output).contains { $0.contains("SIMULATOR_MISBEHAVE") })

        let wrong = try TestProcess(program, ["serve", "--port", "many"])

        #expect(try wrong.waitForExit() == .exited(1))
        #expect(wrong.lines(of: .error).first?.contains("--port many") == true)
    }
}
