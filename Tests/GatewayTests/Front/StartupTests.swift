// SPDX-License-Identifier: Apache-2.0

import TestKit
import TestThreads
import Testing

/// Tests the start of the program, and its error messages when the start fails.
@Suite(.onTestThreads) struct StartupTests {
    private static let fix =
        "create a key with `openssl rand -hex 32` and pass it in the environment or with --key-file."
    private static let key = ["VIBE_AUTH_SECRET": GatewayUnderTest.key]

    @Test(arguments: [
        (nil, "is not set"), ("", "is not set"), ("fifteen-bytes-0", "is shorter than 16 bytes"),
        ("change-me-in-production", "is the published example key"),
    ]) func `serve refuses to start without a secure key`(key: String?, problem: String) throws {
        let run = try ProgramRun(["serve", "--listen", "127.0.0.1:0"], key.map { ["VIBE_AUTH_SECRET": $0] } ?? [:])

        #expect(run.status == .exited(2))
        #expect(run.output.isEmpty)
        #expect(run.error == ["VIBE_AUTH_SECRET \(problem): \(Self.fix)"])
    }

    @Test func `serve rejects the key as a flag and does not print it`() throws {
        let run = try ProgramRun(["serve", "--auth-secret", GatewayUnderTest.key])

        #expect(run.status == .exited(2))
        #expect(run.error.count == 1)
        #expect(run.error.first?.contains("VIBE_AUTH_SECRET") == true)
        #expect(run.error.first?.contains(GatewayUnderTest.key) == false)
    }

    @Test(arguments: [
        (["--listen", "nonsense"], "--listen \"nonsense\""), (["--listen", "127.0.0.1:70000"], "--listen"),
        (["--threads", "0"], "--threads \"0\""), (["--threads=65"], "--threads \"65\""),
        (["--head-timeout", "soon"], "--head-timeout \"soon\""), (["--head-timeout", "0"], "--head-timeout \"0\""),
        (["--access-log", "maybe"], "--access-log \"maybe\""),
        (["--supervisor", "docker"], "--supervisor \"docker\""),
        (["--max-head", "1"], "--max-head \"1\""), (["--lisen", "x"], "\"--lisen\""), (["extra"], "\"extra\""),
    ]) func `an invalid argument is reported in one sentence that names it`(flags: [String], name: String) throws {
        let run = try ProgramRun(["serve"] + flags, Self.key)

        #expect(run.status == .exited(2))
        #expect(run.output.isEmpty)
        #expect(run.error.count == 1)
        #expect(run.error.first?.hasPrefix(name) == true, "\(run.error)")
    }

    @Test func `an invalid value in the environment is reported under its variable's name`() throws {
        let run = try ProgramRun(["serve"], Self.key.merging(["VIBE_THREADS": "99"]) { $1 })

        #expect(run.status == .exited(2))
        #expect(run.error == [#"VIBE_THREADS "99" is out of range: write a number from 1 to 64."#])
    }

    @Test func `help and version are printed with exit status 0`() throws {
        for arguments in [["--help"], ["help"], ["help", "serve"], ["serve", "--help"]] {
            let run = try ProgramRun(arguments)
            #expect(run.status == .exited(0), "\(arguments)")
            #expect(run.error.isEmpty)
            let settings = arguments.contains("serve") ? ["--listen HOST:PORT", "VIBE_MAX_HEAD"] : ["Commands:"]
            for word in settings + ["VIBE_AUTH_SECRET", "Examples:", "openssl rand -hex 32"] {
                #expect(run.output.contains { $0.contains(word) }, "\(arguments) \(word)")
            }
        }
        let version = try ProgramRun(["--version"])

        #expect(version.status == .exited(0))
        #expect(version.output.count == 1)
        #expect(version.output.first?.wholeMatch(of: /viberemote-gateway [0-9]+\.[0-9]+\.[0-9]+/) != nil)

        let bare = try ProgramRun([])

        #expect(bare.status == .exited(2))
        #expect(bare.output.isEmpty)
        #expect(bare.error.contains { $0.contains("Usage:") })
    }

    @Test func `serve prints its address in one line`() throws {
        let gateway = try GatewayUnderTest()

        #expect(
            gateway.process.lines(of: .output) == ["viberemote-gateway listening on http://127.0.0.1:\(gateway.port)"])
        #expect(gateway.port != 0)
        #expect(try TestClient.request(port: gateway.port, "GET", "/health").status == 200)
    }

    @Test func `serve refuses to start on another gateway's port`() throws {
        let first = try GatewayUnderTest()
        let run = try ProgramRun(["serve", "--listen", "127.0.0.1:\(first.port)", "--home", first.home.path], Self.key)

        #expect(run.status == .exited(1))
        #expect(run.output.isEmpty)

        let sentence = try #require(run.error.last)

        #expect(sentence.contains("cannot listen on 127.0.0.1:\(first.port) (--listen)"))
        #expect(try first.request("GET", "/health").status == 200)
    }

    @Test func `serve refuses to start on another program's port`() throws {
        let other = try TestServer { _ in }
        let run = try ProgramRun(["serve", "--listen", "127.0.0.1:\(other.port)"], Self.key)

        #expect(run.status == .exited(1))
        #expect(run.error.last?.contains("cannot listen on 127.0.0.1:\(other.port) (--listen)") == true)
    }

    @Test func `serve refuses to start on another machine's address`() throws {
        let run = try ProgramRun(["serve", "--listen", "192.0.2.1:0"], Self.key)

        #expect(run.status == .exited(1))
        #expect(run.error.last?.contains("192.0.2.1") == true)
    }

    @Test func `the key is neither in the instance's arguments nor in its environment`() throws {
        let tools = try TemporaryDirectory()
        let nosy = try tools.write(
            """
            #!/bin/sh
            env > environment.new
            mv environment.new environment
            echo "$@" > arguments
            echo "opencode server listening on http://127.0.0.1:$(cat upstream-port)"
            exec tail -f --pid=$PPID /dev/null
            """, to: "opencode", mode: 0o755)
        let instance = try FakeOpenCode().start { connection, _ in try connection.respond(200) }
        let gateway = try GatewayUnderTest(opencode: nosy)
        try gateway.start(instance)
        let environment = try gateway.readFile("demo/environment")

        #expect(environment.contains("OPENCODE_SERVER_PASSWORD="))
        #expect(!environment.contains(GatewayUnderTest.key))
        #expect(!environment.contains("VIBE_"))
        #expect(try gateway.readFile("demo/arguments") == "serve --port 0 --hostname 127.0.0.1\n")
    }
}
