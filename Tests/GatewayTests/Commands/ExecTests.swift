// SPDX-License-Identifier: Apache-2.0

import Glibc
import OpenCodeFamilies
import Projects
import Supervisors
import Systemd
import TestKit
import TestThreads
import Testing

/// Tests `viberemote-gateway exec %i`, which replaces a unit's process with the OpenCode server of its project.
@Suite(.onTestThreads) struct ExecTests {
    private let user: TemporaryDirectory
    private let runtime: TemporaryDirectory

    init() throws {
        user = try TemporaryDirectory()
        runtime = try TemporaryDirectory()
        // The program prints everything that the process received, one item on each line.
        try user.write(
            """
            #!/bin/sh
            echo "pid $$"
            echo "words $*"
            echo "folder $(pwd)"
            env | sed 's/^/env /'
            sed 's/^/signals /' /proc/$$/status
            for descriptor in /proc/$$/fd/*; do echo "descriptor ${descriptor##*/}"; done
            exit 7
            """, to: "bin/opencode", mode: 0o755)
    }

    private func run(_ instance: String, _ environment: [String: String] = [:]) throws -> ProgramRun {
        let base = [
            "HOME": user.path, "XDG_RUNTIME_DIR": runtime.path, "HOME_DIR": "\(user.path)/projects",
            "PATH": "\(user.path)/bin:/usr/bin:/bin", "INVOCATION_ID": "0123abcd",
        ]
        return try ProgramRun(["exec", instance], base.merging(environment) { $1 })
    }

    private func makeProject(_ name: String, variables: String? = nil, mode: UInt32 = 0o600) throws {
        try user.makeDirectory("projects/\(name)")
        if let variables { try user.write(variables, to: ".config/opencode/env.d/\(name).env", mode: mode) }
    }

    private func record(_ project: String) throws -> InstanceRecord {
        let store = InstanceRecordStore.units(
            environment: ["XDG_RUNTIME_DIR": runtime.path], userHome: user.path)
        let name = try #require(ProjectName(project))
        return try #require(store.read(name))
    }

    @Test func `the process becomes OpenCode in the project's folder`() throws {
        try makeProject("demo")
        let run = try run("demo")

        #expect(run.status == .exited(7))
        #expect(run.error.isEmpty)
        #expect(run.output.contains("pid \(run.pid)"))
        #expect(run.output.contains("words serve --port 0 --hostname 127.0.0.1"))
        #expect(run.output.contains("folder \(user.path)/projects/demo"))
        // The other open descriptors are the shell's script and the folder that the shell lists.
        #expect(run.output.filter { $0.hasPrefix("descriptor ") }.count <= 5)

        // glibc reserves the signals 32 and 33. posix_spawn leaves them ignored, and no program can change that.
        let ignored = try #require(run.output.first { $0.hasPrefix("signals SigIgn:") }?.split(separator: "\t").last)

        #expect(UInt64(ignored, radix: 16).map { $0 & ~0x1_8000_0000 } == 0)
    }

    /// The mark identifies the run to every gateway, so that no second server starts in the folder.
    @Test func `the process has its run's mark, and its record has the project folder's identity`() throws {
        try makeProject("demo")
        let run = try run("demo", ["VIBEREMOTE_PROJECTS": "of a gateway that runs children"])

        #expect(run.output.contains("env VIBEREMOTE_RUN=0123abcd"))
        #expect(!run.output.contains { $0.hasPrefix("env VIBEREMOTE_PROJECTS") })

        let folder = FolderIdentity(ofFolderAt: "\(user.path)/projects/demo")

        #expect(try record("demo").folder == folder)
        #expect(folder != nil)
    }

    @Test func `the password is in a record that only the owner can read`() throws {
        try makeProject("demo", variables: "OPENCODE_SERVER_PASSWORD=overruled")
        let run = try run("demo")
        let record = try record("demo")
        let password = try #require(record.credentials).password

        #expect(run.output.contains("env OPENCODE_SERVER_PASSWORD=\(password)"))
        #expect(password.utf8.count >= 32)
        #expect(record.run == "0123abcd")
        #expect(record.process?.number == run.pid)
        #expect(record.isOfThisBoot)

        let folder = "\(runtime.path)/viberemote-gateway/units"
        for (path, mode) in [(folder, 0o700), ("\(folder)/demo", 0o600)] as [(String, mode_t)] {
            var status = stat()
            let result = stat(path, &status)

            #expect(result == 0, "\(path)")
            #expect(status.st_mode & 0o777 == mode, "\(path)")
        }
        _ = try self.run("demo")

        #expect(try self.record("demo").credentials?.password != password)
    }

    @Test(arguments: [
        ("my.app", "my.app"), (#"my\x2dapp"#, "my-app"), (#"my\x20app"#, "my app"), (#"gr\xc3\xbcn"#, "grün"),
        (#"\x2a\x3f\x5b\x5c\x24\x25"#, "*?[\\$%"), (#"a\x40b"#, "a@b"), (#"\x7e"#, "~"),
    ])
    func `each legal project name uses its own environment file`(instance: String, name: String) throws {
        try user.write("COMMON=1\nWHOSE=common\n", to: ".config/opencode/env", mode: 0o600)
        try makeProject(name, variables: "WHOSE='\(name)'\n")
        try makeProject("other", variables: "WHOSE=other\n")
        let run = try run(instance)

        #expect(run.status == .exited(7), "\(run.error)")
        #expect(run.output.contains("env WHOSE=\(name)"))
        #expect(run.output.contains("env COMMON=1"))
        #expect(try record(name).environmentDigest != nil)
    }

    @Test func `no variable of the gateway or of its unit reaches OpenCode`() throws {
        try makeProject("demo")
        let run = try run(
            "demo", ["VIBE_AUTH_SECRET": GatewayUnderTest.key, "NOTIFY_SOCKET": "/none", "LISTEN_FDS": "1"])

        #expect(run.status == .exited(7))

        for name in ["VIBE_", "NOTIFY_SOCKET", "LISTEN_FDS", "INVOCATION_ID", "HOME_DIR"] {
            #expect(!run.output.contains { $0.hasPrefix("env \(name)") }, "\(name)")
        }
    }

    @Test func `the environment file sets the password when VIBE_INSTANCE_PASSWORD is off`() throws {
        try makeProject("demo", variables: "OPENCODE_SERVER_PASSWORD=from-the-file\n")
        let run = try run("demo", ["VIBE_INSTANCE_PASSWORD": "off"])

        #expect(run.output.contains("env OPENCODE_SERVER_PASSWORD=from-the-file"))
        #expect(try record("demo").credentials?.password == "from-the-file")
    }

    @Test func `with VIBE_ISOLATE_SESSIONS on, each unit has its own data directory below the state directory`() throws
    {
        try makeProject("demo")
        try makeProject("my app")
        try makeProject("own", variables: "XDG_DATA_HOME=/srv/own\n")
        let file = try user.write("VIBE_ISOLATE_SESSIONS=on\nVIBE_STATE_DIR=\(user.path)/state\n", to: "config")
        for (instance, folder) in [
            ("demo", "\(user.path)/state/data/demo"), (#"my\x20app"#, "\(user.path)/state/data/my app"),
            ("own", "/srv/own"),
        ] {
            let run = try run(instance, ["VIBE_CONFIG": file, "XDG_DATA_HOME": "/inherited"])

            #expect(run.status == .exited(7), "\(run.error)")
            #expect(run.output.contains("env XDG_DATA_HOME=\(folder)"))
        }

        #expect(try FileTree.names(in: "\(user.path)/state/data").sorted() == ["demo", "my app"])

        var status = stat()

        #expect(stat("\(user.path)/state/data/demo", &status) == 0)
        #expect(status.st_mode & 0o777 == 0o700)

        let shared = try run("demo", ["XDG_DATA_HOME": "/inherited"])

        #expect(shared.output.contains("env XDG_DATA_HOME=/inherited"))

        // The state directory of the system's unit (`StateDirectory=`).
        let unit = try run("demo", ["VIBE_ISOLATE_SESSIONS": "on", "STATE_DIRECTORY": "\(user.path)/unit"])

        #expect(unit.output.contains("env XDG_DATA_HOME=\(user.path)/unit/data/demo"))
    }

    @Test func `the configuration file sets OpenCode's command`() throws {
        try makeProject("demo")
        let shim = try user.write("#!/bin/sh\necho \"other $*\"\n", to: "other program", mode: 0o755)
        let file = try user.write("VIBE_OPENCODE=\"'\(shim)' --flag\"\nVIBE_THREADS=9999\n", to: "config")
        let run = try run("demo", ["VIBE_CONFIG": file])

        #expect(run.output == ["other --flag serve --port 0 --hostname 127.0.0.1"])
    }

    @Test func `each configuration error prints one sentence and exits with status 78`() throws {
        try makeProject("open", variables: "SECRET=x\n", mode: 0o644)
        try makeProject("unclosed", variables: "SECRET='x\n")
        try makeProject("my-app")
        try makeProject("demo")
        try user.write("", to: "projects/file")
        let cases: [(instance: String, environment: [String: String], sentence: String)] = [
            ("open", [:], "chmod 600 \(user.path)/.config/opencode/env.d/open.env"),
            ("unclosed", [:], "unclosed.env, line 1 opens a quote that is never closed"),
            ("none", [:], "There is no project none, "), ("file", [:], "There is no project file, "),
            ("my-app", [:], #"use the unit 'opencode@my\x2dapp.service'"#), ("..", [:], "is not a folder's name"),
            (#"a\x2fb"#, [:], "is not a folder's name"), (#"a\"#, [:], "is not a folder's name"),
            ("demo", ["VIBE_OPENCODE": "/none"], "Cannot run /none in \(user.path)/projects/demo: No such file"),
            ("demo", ["VIBE_OPENCODE": "/tmp"], "Cannot run /tmp"),
            ("demo", ["VIBE_INSTANCE_PASSWORD": "perhaps"], "VIBE_INSTANCE_PASSWORD \"perhaps\" is not a known choice"),
            ("demo", ["VIBE_CONFIG": "/none"], "/none does not exist"),
        ]
        for (instance, environment, sentence) in cases {
            let run = try run(instance, environment)
            #expect(run.status == .exited(78), "\(instance) \(environment)")
            #expect(run.output.isEmpty)
            #expect(run.error.count == 1, "\(run.error)")
            #expect(run.error.first?.contains(sentence) == true, "\(run.error)")
        }

        // Servers that never started leave no record.
        #expect(try FileTree.names(in: "\(runtime.path)/viberemote-gateway/units") == [])
    }

    @Test func `a second server for the same project folder is rejected`() throws {
        try makeProject("demo")
        let mayEnd = "\(user.path)/may-end"

        #expect(mkfifo(mayEnd, 0o600) == 0)

        let waiting = try user.write("#!/bin/sh\necho up\nread line <'\(mayEnd)'\n", to: "waiting", mode: 0o755)
        let first = try TestProcess(
            try BuiltProducts.path("viberemote-gateway"), ["exec", "demo"],
            environment: [
                "HOME": user.path, "XDG_RUNTIME_DIR": runtime.path, "HOME_DIR": "\(user.path)/projects",
                "VIBE_CONFIG": "none", "VIBE_OPENCODE": waiting,
            ])
        try first.waitForLine(on: .output) { $0 == "up" }
        let password = try record("demo").credentials?.password
        let second = try run("demo")

        #expect(second.status == .exited(75))
        #expect(
            second.error == [
                "viberemote-gateway: Process \(first.pid) already serves demo. Stop that process first."
            ])
        #expect(try record("demo").credentials?.password == password)

        first.terminate()
        _ = try first.waitForExit()

        #expect(try run("demo").status == .exited(7))
    }

    @Test func `exec with an unusable runtime directory exits with status 71`() throws {
        try makeProject("demo")
        let run = try run("demo", ["XDG_RUNTIME_DIR": "/proc/none"])

        #expect(run.status == .exited(71), "\(run.error)")
        #expect(run.error.count == 1)
    }
}
