// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

/// Tests `viberemote-gateway check`, which prints the values of the settings, their sources, and whether the gateway
/// would work with them.
@Suite(.onTestThreads) struct CheckTests {
    private let user: TemporaryDirectory

    init() throws {
        user = try TemporaryDirectory()
        try user.makeDirectory("projects/alpha")
        try user.makeDirectory("projects/beta")
        try user.write("#!/bin/sh\n[ \"$1\" = --version ] && echo 1.18.33\n", to: "bin/opencode", mode: 0o755)
    }

    private func check(_ flags: [String] = [], _ environment: [String: String] = [:]) throws -> ProgramRun {
        let base = [
            "HOME": user.path, "HOME_DIR": "\(user.path)/projects", "PATH": "\(user.path)/bin:/usr/bin:/bin",
            "VIBE_AUTH_SECRET": GatewayUnderTest.key, "VIBE_LISTEN": "127.0.0.1:0", "VIBE_SUPERVISOR": "process",
        ]
        return try ProgramRun(["check"] + flags, base.merging(environment) { $1 })
    }

    /// Returns the output line of the setting.
    private func line(_ name: String, of run: ProgramRun) -> String? {
        run.output.first { $0.split(separator: " ").first.map { String($0) } == name }
            .map { $0.split(separator: " ").dropFirst().joined(separator: " ") }
    }

    private func wrong(_ run: ProgramRun) -> [String] { run.output.filter { $0.hasPrefix("  WRONG  ") } }

    @Test func `each setting is printed with its value and its source`() throws {
        let keys = try user.write("another-key-0123456789\n", to: "keys", mode: 0o600)
        let file = try user.write("VIBE_MAX_HEAD=32KiB\nVIBE_KEY_FILE=\(keys)\n", to: "config")
        let run = try check(["--threads", "3", "--config=\(file)"])

        #expect(run.status == .exited(0), "\(wrong(run))")
        #expect(run.error.isEmpty)
        #expect(line("--threads", of: run) == "3 flag --threads")
        #expect(line("--max-head", of: run) == "32KiB file \(file), line 1")
        #expect(line("--home", of: run) == "\(user.path)/projects environment HOME_DIR")
        #expect(line("--idle-timeout", of: run) == "75s default")
        #expect(line("VIBE_AUTH_SECRET", of: run) == "******** environment VIBE_AUTH_SECRET")
        #expect(!run.output.contains { $0.contains(GatewayUnderTest.key) || $0.contains("another-key") })

        for good in [
            "2 keys are configured", "\(user.path)/projects has 2 projects", "opencode is version 1.18.33",
            "the environment of every project is readable", "127.0.0.1:0: the system selects a free port",
            "instances run as child processes of the gateway",
        ] {
            #expect(run.output.contains { $0.hasPrefix("  ok     ") && $0.contains(good) }, "\(good)")
        }

        #expect(run.output.last == "No problems found.")
    }

    @Test func `all problems are reported in one run`() throws {
        try user.write("TOKEN=x\n", to: ".config/opencode/env", mode: 0o644)
        try user.write("A='\n", to: ".config/opencode/env.d/beta.env", mode: 0o600)
        let run = try check(
            ["--threads", "99"],
            [
                "VIBE_AUTH_SECRET": "short", "VIBE_OPENCODE": "/none/opencode", "VIBE_LISTEN": "192.0.2.1:1",
                "VIBE_MAX_HED": "1",
            ])

        #expect(run.status == .exited(1))

        for sentence in [
            #"--threads "99" is out of range"#, "VIBE_AUTH_SECRET is shorter than 16 bytes",
            "Cannot run /none/opencode: No such file or directory", "chmod 600 \(user.path)/.config/opencode/env",
            "192.0.2.1:1",
        ] {
            #expect(wrong(run).count { $0.contains(sentence) } == 1, "\(sentence)")
        }

        // The common file is invalid, so the check does not read the project's own file.
        #expect(wrong(run).count == 5)
        #expect(run.output.contains { $0.hasPrefix("  note   ") && $0.contains("did you mean VIBE_MAX_HEAD?") })
        #expect(run.output.last == "5 problems found.")
    }

    @Test func `the environment files of all projects are checked`() throws {
        try user.write("A='\n", to: ".config/opencode/env.d/beta.env", mode: 0o600)
        try user.write("nonsense\n", to: ".config/opencode/env", mode: 0o600)
        let run = try check()

        #expect(wrong(run).count == 1)
        #expect(wrong(run).first?.contains("beta.env, line 1 opens a quote") == true)
        #expect(run.output.count { $0.contains("/env, line 1 has no \"=\"") } == 1)
    }

    @Test func `a missing home directory is reported`() throws {
        let run = try check([], ["HOME_DIR": "\(user.path)/none"])

        #expect(run.status == .exited(1))
        #expect(
            wrong(run).first?.contains("Cannot read the home directory \(user.path)/none (--home, HOME_DIR)")
                == true)
    }

    @Test func `a running gateway on the address is accepted, and another program is reported as a problem`() throws {
        let gateway = try GatewayUnderTest()
        let good = try check(["--listen", "127.0.0.1:\(gateway.port)"])

        #expect(good.status == .exited(0))
        #expect(good.output.contains { $0.contains("127.0.0.1:\(gateway.port): a gateway responds there") })

        let other = try TestServer { connection in
            while try connection.readRequestHead(within: .seconds(60)) != nil {
                try connection.respond(200, text: "hello")
            }
        }
        let bad = try check(["--listen", "127.0.0.1:\(other.port)"])

        #expect(bad.status == .exited(1))
        #expect(wrong(bad).first?.contains("Another program, not a gateway, listens on") == true)
    }

    @Test func `an OpenCode that reports no version is noted`() throws {
        for command in ["/bin/false", "/bin/sh -c true"] {
            let run = try check(["--opencode", command])
            #expect(run.status == .exited(0))
            #expect(
                run.output.contains { $0.hasPrefix("  note   The version of /bin/") && $0.contains("is unknown") },
                "\(command)")
        }
    }

    @Test func `a program that is not OpenCode is noted`() throws {
        let run = try check(["--opencode", "/bin/sleep"])

        #expect(run.status == .exited(0))
        #expect(
            run.output.contains {
                $0.hasPrefix("  note   /bin/sleep --version printed sleep")
            }, "\(run.output)")
    }

    @Test func `an overridden setting and a questionable one are noted`() throws {
        let run = try check(["--threads", "2", "--trust-proxy", "0.0.0.0/0"], ["VIBE_THREADS": "many"])

        #expect(run.status == .exited(0), "\(wrong(run))")

        for note in [
            "  note   VIBE_THREADS \"many\" is not", "  note   --trust-proxy 0.0.0.0/0 trusts every client",
        ] {
            #expect(run.output.count { $0.hasPrefix(note) } == 1, "\(note)")
        }
    }

    @Test func `the systemd supervisor without a service manager is reported as a problem`() throws {
        let run = try check(
            ["--supervisor", "systemd"], ["XDG_RUNTIME_DIR": user.path, "DBUS_SESSION_BUS_ADDRESS": ""])

        #expect(run.status == .exited(1))
        #expect(wrong(run).count == 1)
    }

    @Test func `an unknown flag exits with status 2 and a suggestion`() throws {
        let run = try check(["--thread", "3"])

        #expect(run.status == .exited(2))
        #expect(run.error == [#""--thread" is not a flag of check: did you mean --threads?"#])
    }

    // MARK: Data of projects

    private func notes(_ run: ProgramRun) -> [String] { run.output.filter { $0.hasPrefix("  note   ") } }

    @Test func `with isolated sessions, the data directory and the files that override it are reported`() throws {
        try user.write("XDG_DATA_HOME=/srv/shared\n", to: ".config/opencode/env", mode: 0o600)
        try user.write("XDG_DATA_HOME=/srv/alpha\n", to: ".config/opencode/env.d/alpha.env", mode: 0o600)
        let run = try check(["--isolate-sessions", "on", "--state-dir", "\(user.path)/state"])

        #expect(
            run.output.contains("  ok     each project has its own OpenCode data below \(user.path)/state/data"))
        #expect(
            notes(run).contains {
                $0.contains("opencode/env, line 1 sets XDG_DATA_HOME, which has no effect with --isolate-sessions on")
            })
        #expect(
            notes(run).contains(
                "  note   The environment file of alpha sets XDG_DATA_HOME, so --isolate-sessions has no effect on this project."
            ))
        #expect(!notes(run).contains { $0.contains("beta") })
        // The command changes nothing.
        #expect((try? FileTree.names(in: "\(user.path)/state")) == nil)
        #expect(try !check().output.contains { $0.contains("OpenCode data") })
    }

    @Test func `keys for some projects are reported while the projects share their data`() throws {
        let gateway = try GatewayUnderTest()
        let environment = ["VIBE_LISTEN": "127.0.0.1:\(gateway.port)"]

        #expect(try !notes(check([], environment)).contains { $0.contains("limited to projects") })

        _ = try gateway.createKey("all")
        _ = try gateway.createKey("dora", #""projects":["alpha"]"#)

        #expect(
            try notes(check([], environment)).contains {
                $0.contains(
                    "Some keys are limited to projects (dora), but all projects share OpenCode's database and logins.")
            })
        #expect(
            try !notes(check(["--isolate-sessions", "on"], environment)).contains { $0.contains("limited to projects") }
        )
    }
}
