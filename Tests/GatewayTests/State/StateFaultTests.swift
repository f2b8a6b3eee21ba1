// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import TestThreads
import Testing

/// Tests that if no state can be stored, the log and `check` report the reason, and the gateway still serves requests.
@Suite(.onTestThreads) struct StateFaultTests {
    private let directory: TemporaryDirectory
    private var folder: String { "\(directory.path)/state" }
    private var flags: [String] { ["--state-dir", folder] }

    init() throws { directory = try TemporaryDirectory() }

    private func check(_ environment: [String: String] = [:]) throws -> ProgramRun {
        try directory.makeDirectory("projects")
        return try ProgramRun(
            ["check"] + flags,
            [
                "HOME": directory.path, "HOME_DIR": "\(directory.path)/projects", "VIBE_OPENCODE": "true",
                "VIBE_AUTH_SECRET": GatewayUnderTest.key, "VIBE_LISTEN": "127.0.0.1:0", "VIBE_SUPERVISOR": "process",
            ].merging(environment) { $1 })
    }

    /// Expects that a gateway that cannot keep state reports the reason and serves requests.
    private func expectWork(_ gateway: GatewayUnderTest, without sentence: String) throws {
        let message = "cannot open the state file, so history is not kept and events are kept in memory"
        try gateway.process.waitForLine(on: .error) { $0.contains(message) && $0.contains(sentence) }
        let instance = try FakeOpenCode().start { connection, _ in try connection.respond(200, text: "carried") }
        try gateway.start(instance)
        #expect(try gateway.request("GET", "/projects/demo/api/path").text == "carried")
        let history = try gateway.request("GET", "/projects/demo/history")
        #expect(history.status == 503)
        #expect(history.text.contains("The history of instances cannot be read: "), "\(history.text)")
        #expect(try gateway.request("DELETE", "/projects/demo/stop").status == 200)
        #expect(try gateway.terminate() == .exited(0))
    }

    @Test func `a gateway with a damaged state.db reports the damage and serves requests`() throws {
        try directory.makeDirectory("state")
        chmod(folder, 0o700)
        let path = try directory.write(String(repeating: "no database ", count: 500), to: "state/state.db", mode: 0o600)
        let sentence = "\(path) is damaged (file is not a database). Stop the gateway, move the file away"

        try expectWork(try GatewayUnderTest(flags: flags), without: sentence)

        let run = try check()

        #expect(run.status == .exited(1))
        #expect(run.output.contains { $0.hasPrefix("  WRONG  \(sentence)") }, "\(run.output)")
    }

    @Test func `a second gateway with the same state directory reports the conflict and serves requests`() throws {
        let first = try GatewayUnderTest(flags: flags)
        let sentence = "Another gateway (process \(first.process.pid)) uses \(folder)/state.db."

        try expectWork(try GatewayUnderTest(flags: flags), without: sentence)

        // The first gateway's state is not affected.
        try first.makeProject("demo")

        #expect(try first.request("GET", "/projects/demo/history").status == 200)

        let other = try check()

        #expect(other.output.contains { $0.hasPrefix("  WRONG  \(sentence)") }, "\(other.output)")

        let own = try check(["VIBE_LISTEN": "127.0.0.1:\(first.port)"])

        #expect(
            own.output.contains(
                "  ok     \(folder)/state.db is in use by the running gateway (process \(first.process.pid))"),
            "\(own.output)")
        #expect(try first.terminate() == .exited(0))
        #expect(try check().output.contains("  ok     \(folder)/state.db is usable"))
    }

    @Test func `a gateway with a newer gateway's state.db reports the version and serves requests`() throws {
        try GatewayUnderTest(flags: flags).terminate()
        // The schema version, as PRAGMA user_version stores it (SQLite's file format, 1.3.17).
        let file = open("\(folder)/state.db", O_WRONLY | O_CLOEXEC)

        #expect(pwrite(file, [UInt8]([0, 0, 0x03, 0xE8]), 4, 60) == 4)

        close(file)
        let sentence = "\(folder)/state.db was written by a newer gateway: its schema version is 1000,"

        try expectWork(try GatewayUnderTest(flags: flags), without: sentence)

        let run = try check()

        #expect(run.output.contains { $0.hasPrefix("  WRONG  \(sentence)") }, "\(run.output)")
    }

    @Test(.enabled(if: geteuid() == 0, "mounting takes root"))
    func `a gateway with a full disk reports the problem and serves requests`() throws {
        let sentence = "\(folder)/state.db cannot be written: the disk is full."

        try expectWork(
            mounting: "-o size=64k", "head -c 1m /dev/zero >'\(directory.path)/ballast' 2>/dev/null", without: sentence,
            whichCheckSays: sentence)
    }

    @Test(.enabled(if: geteuid() == 0, "mounting takes root"))
    func `a gateway with a read-only file system reports the problem and serves requests`() throws {
        try expectWork(
            mounting: "-o ro", without: "\(folder) cannot be written: its file system is read-only.",
            whichCheckSays: "\(directory.path) cannot be written: its file system is read-only.")
    }

    /// Expects that a gateway serves requests, and that `check` finds the fault. Both run after `preparation` with a
    /// disk in memory, mounted with these options, that only they see.
    private func expectWork(
        mounting options: String, _ preparation: String = "true", without sentence: String,
        whichCheckSays finding: String
    ) throws {
        let script = "mount -t tmpfs \(options) none '\(directory.path)' || exit; \(preparation); exec \"$@\""
        let launcher = ["/usr/bin/unshare", "-m", "sh", "-c", script, "sh"]
        try expectWork(try GatewayUnderTest(flags: flags, launcher: launcher), without: sentence)
        let program = try BuiltProducts.path("viberemote-gateway")
        let run = try TestProcess(
            launcher[0], Array(launcher.dropFirst()) + [program, "check"] + flags,
            environment: [
                "VIBE_AUTH_SECRET": GatewayUnderTest.key, "VIBE_CONFIG": "none", "VIBE_SUPERVISOR": "process",
            ])
        try run.waitForExit()
        #expect(run.lines(of: .output).contains { $0.hasPrefix("  WRONG  \(finding)") }, "\(run.lines(of: .output))")
    }

    @Test func `a missing state directory is created by serve and not by check`() throws {
        #expect(try check().output.contains("  ok     \(folder)/state.db does not exist and can be created"))
        #expect(access(folder, F_OK) != 0)

        let gateway = try GatewayUnderTest(flags: flags)
        var status = stat()

        #expect(stat(folder, &status) == 0)
        #expect(status.st_mode & 0o7777 == 0o700)
        let result = stat("\(folder)/state.db", &status)

        #expect(result == 0)
        #expect(status.st_mode & 0o7777 == 0o600)

        try gateway.terminate()
    }

    @Test func `the default state directory belongs to the user or to the systemd unit`() throws {
        let home = try TemporaryDirectory()
        func line(_ environment: [String: String]) throws -> String? {
            try ProgramRun(
                ["check"], ["HOME": home.path, "VIBE_AUTH_SECRET": GatewayUnderTest.key].merging(environment) { $1 }
            )
            .output.first { $0.hasPrefix("  --state-dir ") }?.split(separator: " ").dropFirst().first.map { String($0) }
        }

        #expect(try line([:]) == "\(home.path)/.local/state/viberemote-gateway")
        #expect(try line(["XDG_STATE_HOME": "/srv/state"]) == "/srv/state/viberemote-gateway")
        #expect(try line(["STATE_DIRECTORY": "/var/lib/viberemote-gateway"]) == "/var/lib/viberemote-gateway")
        #expect(try line(["STATE_DIRECTORY": "/var/lib/a:/var/lib/b"]) == "/var/lib/a")
        // The directory belongs to another service, whose shell started this program.
        #expect(
            try line(["STATE_DIRECTORY": "/var/lib/other", "SYSTEMD_EXEC_PID": "1"])
                == "\(home.path)/.local/state/viberemote-gateway")
        #expect(try line(["STATE_DIRECTORY": "/var/lib/other", "VIBE_STATE_DIR": "/srv/mine"]) == "/srv/mine")
    }
}
