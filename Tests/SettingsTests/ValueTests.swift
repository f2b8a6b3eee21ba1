// SPDX-License-Identifier: Apache-2.0

import Settings
import Testing

@Suite("Accepted values")
struct AcceptedValueTests {
    @Test(
        arguments: [
            ("127.0.0.1:0", "127.0.0.1", 0), ("0.0.0.0:65535", "0.0.0.0", 65_535), ("[::1]:4000", "::1", 4000),
            ("[::]:4000", "::", 4000), ("localhost:4000", "127.0.0.1", 4000),
            ("[::ffff:192.0.2.1]:1", "::ffff:192.0.2.1", 1),
        ] as [(String, String, UInt16)])
    func `each valid --listen address is parsed and survives a round trip`(text: String, host: String, port: UInt16)
        throws
    {
        let listen = try CommandLineUnderTest.serve(["--listen", text]).listen

        #expect(listen == ListenAddress(host: host, port: port))
        #expect(try CommandLineUnderTest.serve(["--listen", listen.description]).listen == listen)
    }

    @Test(
        arguments: [
            ("10s", 10_000, "10s"), ("500ms", 500, "500ms"), ("15min", 900_000, "15min"), ("24h", 86_400_000, "24h"),
            ("1d", 86_400_000, "24h"), ("48h", 172_800_000, "2d"), ("90", 90_000, "90s"), ("60", 60_000, "1min"),
            ("1500ms", 1_500, "1500ms"), ("007s", 7_000, "7s"), ("1ms", 1, "1ms"), ("30d", 2_592_000_000, "30d"),
        ])
    func `each valid duration is parsed and printed in the largest whole unit`(
        text: String, milliseconds: Int, printed: String
    ) throws {
        let configuration = try CommandLineUnderTest.serve(["--head-timeout", text])

        #expect(configuration.limits.headTimeout == .milliseconds(milliseconds))
        #expect(try PrecedenceTests.setting("head-timeout").text(in: configuration) == printed)
    }

    @Test(
        arguments: [
            ("64KiB", 65_536, "64KiB"), ("1MiB", 1_048_576, "1MiB"), ("2048KiB", 2_097_152, "2MiB"),
            ("100000", 100_000, "100000"), ("100000B", 100_000, "100000"), ("65536", 65_536, "64KiB"),
            ("64MiB", 67_108_864, "64MiB"),
        ])
    func `each valid size is parsed and printed in the largest whole unit`(text: String, bytes: Int, printed: String)
        throws
    {
        let configuration = try CommandLineUnderTest.serve(["--stream-backlog", text])

        #expect(configuration.limits.streamBacklog == bytes)
        #expect(try PrecedenceTests.setting("stream-backlog").text(in: configuration) == printed)
    }

    @Test(
        arguments: [
            ("opencode", ["opencode"]), ("  a   b\tc ", ["a", "b", "c"]), ("'a b' c", ["a b", "c"]),
            (#""a b" c"#, ["a b", "c"]), (#"a\ b"#, ["a b"]), (#"a'b'"c""#, ["abc"]), ("a ''", ["a", ""]),
            (#""\"\\\$\`\n""#, [#""\$`\n"#]), (#"'\n'"#, [#"\n"#]),
            ("$HOME/~/* `x` $(y)", ["$HOME/~/*", "`x`", "$(y)"]),
            (#"/opt/my\ code/bin --x='1 2'"#, ["/opt/my code/bin", "--x=1 2"]), ("a #b", ["a", "#b"]),
            ("a\\'\u{301}b", ["a'\u{301}b"]),
        ])
    func `a command is split into words as in a shell, without any expansion`(text: String, words: [String]) throws {
        let configuration = try CommandLineUnderTest.serve(["--opencode", text])

        #expect(configuration.opencode == words)

        let printed = try PrecedenceTests.setting("opencode").text(in: configuration)

        #expect(try CommandLineUnderTest.serve(["--opencode", printed]).opencode == words)
    }

    @Test(arguments: [("/srv/", "/srv"), ("/", "/"), ("/a//", "/a")])
    func `trailing slashes of --home are removed, except for the root directory`(text: String, path: String) throws {
        #expect(try CommandLineUnderTest.serve(["--home", text]).home == path)
    }
}

@Suite("Rejected values and their errors")
struct RefusedValueTests {
    @Test(
        arguments: [
            (["--threads", "0"], #"--threads "0" is out of range: write a number from 1 to 64."#),
            (["--threads", "many"], #"--threads "many" is not a whole number: write a number from 1 to 64."#),
            (
                ["--head-timeout=10x"],
                #"--head-timeout "10x" is not a duration: write, for example, 500ms, 10s, 15min, 24h or 1d."#
            ),
            (["--head-timeout", "0"], #"--head-timeout "0" is out of range: write 1ms to 30d."#),
            (["--max-head", "1"], #"--max-head "1" is out of range: write 1KiB to 1MiB."#),
            (["--max-head", "1K"], #"--max-head "1K" is not a size: write, for example, 16384, 64KiB, 4MiB or 1GiB."#),
            (["--access-log", "yes"], #"--access-log "yes" is not a known choice: use on or off."#),
            (["--log-format", "xml"], #"--log-format "xml" is not a known choice: use auto, text, json or journal."#),
            (
                ["--log-level", "Info"],
                #"--log-level "Info" is not a known choice: use debug, info, notice, warning or error."#
            ),
            (
                ["--supervisor", "docker"],
                #"--supervisor "docker" is not a known choice: use process, systemd or auto."#
            ),
            (
                ["--home", "projects"],
                #"--home "projects" is not an absolute path: write a path that begins with /, for example /home/vibe."#
            ),
            (
                ["--home", "/srv/\n"],
                #"--home "/srv/\u{a}" contains a control character: write a path that begins with /, for example /home/vibe."#
            ),
            (
                ["--key-file", "/srv/\0"],
                #"--key-file "/srv/\u{0}" contains a control character: write a path that begins with /, or none."#
            ),
            (
                ["--opencode", ""],
                #"--opencode "" names no program: write a command, for example opencode or /usr/bin/opencode."#
            ),
            (["--opencode", "'a"], #"--opencode "'a" has a quote that never ends: add the closing '."#),
            (["--opencode", "\"a"], #"--opencode ""a" has a quote that never ends: add the closing "."#),
            (["--opencode", "a\\"], #"--opencode "a\" ends in a backslash: write \\ for a backslash."#),
            (
                ["--listen", "4000"],
                #"--listen "4000" has no port: write HOST:PORT, for example 127.0.0.1:4000, 0.0.0.0:4000 or [::1]:4000."#
            ),
        ])
    func `each invalid value is rejected with a sentence that names the setting and the fix`(
        flags: [String], sentence: String
    ) {
        #expect(CommandLineUnderTest.message(["serve"] + flags) == sentence)
    }

    @Test func `an error about a value from the environment names the environment variable`() {
        let message = CommandLineUnderTest.message(
            ["serve"], ["VIBE_AUTH_SECRET": CommandLineUnderTest.key, "VIBE_THREADS": "65"])

        #expect(message == #"VIBE_THREADS "65" is out of range: write a number from 1 to 64."#)
    }

    @Test(
        arguments: [
            "", ":4000", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+1", "127.0.0.1:４",
            "256.0.0.1:1", "1.2.3:1", "example.com:80", "::1:4000", "[::1]", "[::1]:", "[::g]:1", "[127.0.0.1]:1",
            "*:4000",
            "[fe80::1%eth0]:1", "127.0.0.1\n:1", "127.0.0.1\0:1", "[::1\0]:1", "http://127.0.0.1:4000",
        ])
    func `each invalid --listen address is rejected with examples of valid ones`(text: String) {
        let message = CommandLineUnderTest.message(["serve", "--listen=\(text)"])

        #expect(message.hasPrefix("--listen \""))
        #expect(message.hasSuffix("0.0.0.0:4000 or [::1]:4000."))
    }

    @Test(
        arguments: [
            "", "-1", "1.5s", "s", "10 s", "10S", "10m", "1h30min", "99999999999999999999", "9223372036854775807d",
            "１０s", "+1s",
            "31d", "0ms",
        ])
    func `each invalid duration is rejected`(text: String) {
        #expect(CommandLineUnderTest.message(["serve", "--stop-timeout=\(text)"]).hasPrefix("--stop-timeout \""))
    }

    @Test func `control characters in a rejected value are escaped, and a long value is truncated`() {
        let message = CommandLineUnderTest.message(["serve", "--threads", "\u{1B}[2J\n"])

        #expect(message.hasPrefix(#"--threads "\u{1b}[2J\u{a}" "#))
        #expect(
            CommandLineUnderTest.message(["serve", "--threads", String(repeating: "9", count: 5_000)]).utf8.count < 200)
    }
}
