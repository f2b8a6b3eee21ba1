// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import TestThreads
import Testing

@testable import opencode_simulator

/// Tests the environment files `~/.config/opencode/env` and `~/.config/opencode/env.d/NAME.env`.
@Suite(.onTestThreads) struct EnvironmentFileTests {
    /// Returns a command that writes its environment to a file, and announces the port that the folder names.
    private static func opencode(_ tools: TemporaryDirectory) throws -> String {
        try tools.write(
            """
            #!/bin/sh
            env >environment
            echo "opencode server listening on http://127.0.0.1:$(cat upstream-port)"
            exec tail -f --pid=$PPID /dev/null
            """, to: "opencode", mode: 0o755)
    }

    private let tools: TemporaryDirectory
    private let gateway: GatewayUnderTest
    private let instance: FakeOpenCode.Server

    init() throws {
        tools = try TemporaryDirectory()
        gateway = try GatewayUnderTest(
            environment: ["FROM_GATEWAY": "1", "OVERRIDDEN": "by nobody"], opencode: try Self.opencode(tools))
        instance = try FakeOpenCode().start { connection, _ in try connection.respond(200) }
    }

    private func write(_ text: String, to name: String, mode: UInt32 = 0o600) throws {
        try gateway.home.write(text, to: ".config/opencode/\(name)", mode: mode)
    }

    @Test(arguments: ["demo", "my app", "a-b", "gr\u{fc}n", "[x]*?", "a\\b", "$HOME"])
    func `each project receives the common environment file and its own`(name: String) throws {
        try write("# keys\nPROVIDER_KEY='common key'\nOVERRIDDEN=common\n", to: "env")
        try write("OVERRIDDEN=\"own \\\"value\\\"\"\nLONG=one\\\n two\n", to: "env.d/\(name).env")
        try write("OVERRIDDEN=wrong\n", to: "env.d/x.env")
        let path = name.utf8.map { "%" + String($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        try gateway.makeProject(name)
        try gateway.home.write("\(instance.port)\n", to: "\(name)/upstream-port")
        let answer = try gateway.request("POST", "/projects/\(path)/start")

        #expect(answer.status == 200, "\(answer.text)")

        let lines = try gateway.readFile("\(name)/environment").split(separator: "\n")
        for line in ["FROM_GATEWAY=1", "PROVIDER_KEY=common key", #"OVERRIDDEN=own "value""#, "LONG=one two"] {
            #expect(lines.contains(Substring(line)), "\(line)")
        }
        try gateway.terminate()
    }

    /// Returns the data directories of simulators for the projects, as the kernel reports them.
    private func dataFolders(
        _ projects: [String], isolated: Bool, _ change: (GatewayUnderTest) throws -> Void = { _ in }
    ) throws -> [String?] {
        let gateway = try GatewayUnderTest(
            flags: isolated ? ["--isolate-sessions", "on"] : [],
            environment: [
                "XDG_DATA_HOME": tools.path, "SIMULATOR_PROFILE": "2.0.15", "SIMULATOR_ENDS_WITH_PARENT": "1",
            ], opencode: try BuiltProducts.path("opencode-simulator"))
        try change(gateway)
        return try projects.map { project in
            try gateway.makeProject(project)
            let answer = try gateway.request("POST", "/projects/\(project)/start", within: .seconds(60))
            guard answer.status == 200 else { throw TestFailure("start answered \(answer.text)") }
            let status = try gateway.request("GET", "/projects/\(project)/status")
            guard case .integer(let process)? = status.json["pid"] else { throw TestFailure("status \(status.text)") }
            // The gateway expects the environment with which it has started the instance.
            guard !status.text.contains("restart to apply") else { throw TestFailure("status \(status.text)") }
            let variables = try FileTree.contents("/proc/\(process)/environ").split(separator: 0).map {
                String(decoding: $0, as: UTF8.self)
            }
            return variables.first { $0.hasPrefix("XDG_DATA_HOME=") }.map {
                String($0.dropFirst("XDG_DATA_HOME=".count)).replacing(gateway.stateFolder, with: "STATE")
            }
        }
    }

    @Test func `each instance has its own data directory only with --isolate-sessions on`() throws {
        #expect(
            try dataFolders(["one", "two"], isolated: true) == ["STATE/data/one", "STATE/data/two"])
        #expect(try dataFolders(["one", "two"], isolated: false) == [tools.path, tools.path])
    }

    @Test func `a project's own environment file overrides its isolated data directory`() throws {
        let folders = try dataFolders(["one", "two"], isolated: true) { gateway in
            try gateway.home.write(
                "XDG_DATA_HOME=\(tools.path)/own\n", to: ".config/opencode/env.d/two.env", mode: 0o600)
        }

        #expect(folders == ["STATE/data/one", "\(tools.path)/own"])
    }

    @Test func `an environment file that others can read is rejected with the chmod command that fixes it`() throws {
        try write("PROVIDER_KEY=hidden\n", to: "env", mode: 0o644)
        try gateway.makeProject("demo")
        try gateway.home.write("\(instance.port)\n", to: "demo/upstream-port")
        let answer = try gateway.request("POST", "/projects/demo/start")

        #expect(answer.status == 500)

        let path = "\(gateway.home.path)/.config/opencode/env"

        #expect(
            answer.text.hasPrefix(#"{"detail":"Failed to start service: Other users can access \#(path), "#),
            "\(answer.text)")
        #expect(answer.text.contains("`chmod 600 \(path)`"))
        #expect(!gateway.log.contains { $0.contains("hidden") })

        chmod(path, 0o600)

        #expect(try gateway.request("POST", "/projects/demo/start").status == 200)

        try gateway.terminate()
    }

    @Test func `an invalid line of an environment file is reported with its file and line number`() throws {
        try write("A=1\n\nPROVIDER_KEY='hidden\n", to: "env.d/demo.env")
        try gateway.makeProject("demo")
        let answer = try gateway.request("POST", "/projects/demo/start")

        #expect(answer.status == 500)
        #expect(answer.text.contains("\(gateway.home.path)/.config/opencode/env.d/demo.env, line 3 "), "\(answer.text)")
        #expect(!answer.text.contains("hidden"))

        try gateway.terminate()
    }

    @Test func `a line of an environment file without effect is reported in the log`() throws {
        try write("A=1\nexport PROVIDER_KEY=hidden\n", to: "env")
        try gateway.start(instance)
        let line = try gateway.process.waitForLine(on: .error) { $0.contains("opencode/env, line 2 ") }

        #expect(line.contains(#""project":"demo""#))
        #expect(!line.contains("hidden"))

        try gateway.terminate()
    }

    @Test func `a change to an environment file takes effect at the next start`() throws {
        try write("VALUE=first\n", to: "env")
        try gateway.start(instance)

        #expect(try gateway.readFile("demo/environment").contains("VALUE=first\n"))
        #expect(try !gateway.request("GET", "/projects/demo/status").text.contains("environment files"))

        try write("VALUE=second\n", to: "env")

        // Until then, the status reports that the instance runs with older values.
        #expect(try gateway.request("GET", "/projects/demo/status").text.contains("environment files"))
        #expect(try gateway.request("DELETE", "/projects/demo/stop").status == 200)

        try gateway.start(instance)

        #expect(try gateway.readFile("demo/environment").contains("VALUE=second\n"))
        #expect(try !gateway.request("GET", "/projects/demo/status").text.contains("environment files"))

        try gateway.terminate()
    }
}
