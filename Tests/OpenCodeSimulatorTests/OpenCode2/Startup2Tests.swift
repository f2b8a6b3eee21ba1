// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// A recorded run of an OpenCode 2 server from its start to its end.
struct RecordedLife: CustomTestStringConvertible, Sendable {
    let name: String
    let arguments: [String]
    let environment: [String: String]
    let output: [TestProcess.Line]
    let signal: String
    /// The exit status as Python reports it: the status, or the negative number of the signal.
    let exit: Int

    var testDescription: String { name }

    static let all: [RecordedLife] = ((try? Fixtures.lines("opencode/2.0.15/process.jsonl")) ?? []).compactMap { line in
        (try? JSONParser.parse(Array(line.utf8))).map(RecordedLife.init)
    }

    init(_ record: JSON) {
        name = record["name"]?.text ?? ""
        arguments = (record["args"]?.elements ?? []).compactMap(\.text)
        if case .object(let members)? = record["env"] {
            environment = Dictionary(members.map { ($0.name, $0.value.text ?? "") }, uniquingKeysWith: { $1 })
        } else {
            environment = [:]
        }
        output = (record["output"]?.elements ?? []).map {
            TestProcess.Line(stream: $0["stream"] == "stdout" ? .output : .error, text: $0["line"]?.text ?? "")
        }
        signal = record["stop"]?["signal"]?.text ?? ""
        if case .integer(let code)? = record["stop"]?["exit"] { exit = code } else { exit = 0 }
    }
}

@Suite("Starts and exits of OpenCode 2 match the recordings", .onTestThreads)
struct Startup2Tests {
    /// The runs that are not replayed, with the reasons.
    static let setAside = ["0.0.0.0": "the simulator listens on loopback addresses only"]

    @Test func `each run that is listed as an exception is one of the 27 recorded runs`() {
        #expect(RecordedLife.all.count == 27)
        #expect(RecordedLife.all.count { Self.setAside[$0.name] != nil } == Self.setAside.count)
    }

    @Test(arguments: RecordedLife.all.filter { setAside[$0.name] == nil })
    func `the output and the exit status of each recorded run match the recording`(_ life: RecordedLife) throws {
        // The recording program itself occupied the recorded port.
        let taken = life.name == "a named port that is taken" ? try TestServer { _ in } : nil
        let named = life.arguments.contains("14321") ? try FreePort.find() : taken?.port
        let arguments = life.arguments.map { named != nil && $0.hasPrefix("14") ? "\(named ?? 0)" : $0 }
        let home = try TemporaryDirectory()
        if life.name == "broken configuration" {
            try home.write("{ this is not json\n", to: ".config/opencode/opencode.json")
        }

        let process = try TestProcess(
            try BuiltProducts.path("opencode-simulator"), ["--profile", "2.0.15"] + arguments,
            environment: life.environment.merging(["HOME": home.path]) { $1 }, directory: home.path)
        try process.output.wait(forCount: life.output.count)

        if life.exit == 1 {
            #expect(try process.waitForExit() == .exited(1))
        } else {
            if life.name == "its folder is removed" { FileTree.remove(home.path) }
            let signals = ["SIGTERM": SIGTERM, "SIGINT": SIGINT, "SIGHUP": SIGHUP, "SIGKILL": SIGKILL]
            process.terminate(try #require(signals[life.signal]))
            let expected: TestProcess.ExitStatus =
                life.exit < 0 ? .signalled(Int32(-life.exit)) : .exited(Int32(life.exit))
            #expect(try process.waitForExit() == expected)
        }

        for stream in [TestProcess.Stream.output, .error] {
            let lines = process.lines(of: stream)
            #expect(lines.map(Self.form) == life.output.filter { $0.stream == stream }.map(\.text).map(Self.form))
        }

        let port = process.lines(of: .output).first.flatMap { UInt16($0.split(separator: ":").last ?? "") }
        // Port 4096 may be in use on this machine. In this case, the server tries the following ports.
        if !arguments.contains(where: { $0.hasPrefix("--port") }) { #expect((4096..<4196).contains(port ?? 0)) }
        if let named, taken == nil { #expect(port == named) }
    }

    /// Returns a line without the parts that differ between runs: the port and the generated password.
    private static func form(_ line: String) -> String {
        if line.hasPrefix("server password ") {
            let password = line.dropFirst("server password ".count)
            let isOne = password.count == 43 && password.allSatisfy { $0.isLetter || $0.isNumber || "-_".contains($0) }
            return isOne ? "server password" : line
        }
        return line.split(separator: " ", omittingEmptySubsequences: false)
            .map { word in
                word.allSatisfy(\.isNumber)
                    ? "N" : word.contains("://") ? word.prefix { $0 != "\n" }.portless : String(word)
            }
            .joined(separator: " ")
    }

    @Test func `the server listens on ::1 if --hostname names it`() throws {
        let process = try TestProcess(
            try BuiltProducts.path("opencode-simulator"),
            ["--profile", "2.0.15", "serve", "--port", "0", "--hostname", "::1"])
        let banner = try process.waitForLine { $0.contains("listening on http://::1:") }
        let port = try #require(UInt16(banner.split(separator: ":").last ?? ""))
        let connection = try TestClient.connect(port: port, on: .ipv6)

        #expect(try connection.exchange("GET", "/").status == 200)
    }

    @Test func `the password that a server generates and prints authenticates requests`() throws {
        let simulator = try Simulator2Process(password: nil)
        let line = try simulator.process.waitForLine { $0.hasPrefix("server password ") }
        let password = line.dropFirst("server password ".count)
        let right = "Basic " + Base64.encode(Array("opencode:\(password)".utf8))

        #expect(try simulator.get("/api/info", headers: [("Authorization", right)]).status == 200)
        #expect(try simulator.get("/api/info").status == 401)

        let other = try Simulator2Process(password: "")

        #expect(try other.process.waitForLine { $0.hasPrefix("server password ") } != line)
    }

    @Test func `OpenCode 1 ignores OPENCODE_PASSWORD`() throws {
        let simulator = try SimulatorProcess("1.18.33", environment: ["OPENCODE_PASSWORD": "of no use"])

        #expect(try simulator.get("/global/health").status == 200)
    }

    @Test func `SIGTERM truncates the event stream and exits with status 130`() throws {
        let simulator = try Simulator2Process()
        let stream = try simulator.events()
        simulator.process.terminate(SIGTERM)

        #expect(try simulator.process.waitForExit() == .exited(130))

        while try stream.next() != nil {}

        #expect(stream.response.ending == .truncated)
    }

    @Test(arguments: [["--profile", "2.0.15", "--version"], ["--profile=1.2.27", "--version"]])
    func `--profile is accepted before the command`(arguments: [String]) throws {
        let process = try TestProcess(try BuiltProducts.path("opencode-simulator"), arguments)

        #expect(try process.waitForExit() == .exited(0))
        #expect(process.lines(of: .output) == [arguments[0].hasSuffix("27") ? "1.2.27" : "2.0.15"])
    }

    @Test func `an unknown profile is rejected with the list of profiles`() throws {
        let process = try TestProcess(
            try BuiltProducts.path("opencode-simulator"), ["--profile", "3.0.0", "--version"])

        #expect(try process.waitForExit() == .exited(1))
        #expect(process.lines(of: .error).first?.contains("2.0.15") == true)
    }

    @Test func `sigterm-late exits with status 130, and ignore-sigterm keeps the server running`() throws {
        let busy = try Simulator2Process(misbehave: "sigterm-late=600000")
        busy.process.terminate(SIGTERM)

        #expect(try busy.get("/api/info").status == 200)

        let simulator = try Simulator2Process(misbehave: "sigterm-late=100")
        simulator.process.terminate(SIGTERM)

        #expect(try simulator.process.waitForExit() == .exited(130))

        let stubborn = try Simulator2Process(misbehave: "ignore-sigterm")
        stubborn.process.terminate(SIGTERM)

        #expect(try stubborn.get("/api/info").status == 200)
    }
}

extension Substring {
    /// The address without its port.
    fileprivate var portless: String { String(self[..<(lastIndex(of: ":") ?? endIndex)]) }
}
