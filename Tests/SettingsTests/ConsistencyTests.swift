// SPDX-License-Identifier: Apache-2.0

import Settings
import Testing

@Suite("Contradictory and questionable settings")
struct ConsistencyTests {
    private static func check(
        _ flags: [String], _ environment: [String: String] = [:], file: String? = nil
    ) throws -> Resolution {
        let files = file.map { ["/etc/viberemote-gateway/config": CommandLineUnderTest.File(content: $0)] } ?? [:]
        let environment = ["VIBE_AUTH_SECRET": CommandLineUnderTest.key].merging(environment) { $1 }
        guard case .check(let resolution) = CommandLineUnderTest.parse(["check"] + flags, environment, files: files)
        else { throw CancellationError() }
        return resolution
    }

    @Test(
        arguments: [
            (
                ["--restart-delay", "90s"], [:],
                "--restart-delay 90s is longer than the default of --max-restart-delay 1min: "
                    + "shorten --restart-delay or raise --max-restart-delay."
            ),
            (
                ["--max-restart-delay=1s"], ["VIBE_RESTART_DELAY": "1500ms"],
                "VIBE_RESTART_DELAY 1500ms is longer than --max-restart-delay 1s: "
                    + "shorten --restart-delay or raise --max-restart-delay."
            ),
        ] as [([String], [String: String], String)])
    func `a --restart-delay longer than --max-restart-delay is an error`(
        flags: [String], environment: [String: String], sentence: String
    ) throws {
        #expect(try Self.check(flags, environment).errors.map(\.description) == [sentence])

        let key = ["VIBE_AUTH_SECRET": CommandLineUnderTest.key].merging(environment) { $1 }

        #expect(CommandLineUnderTest.message(["serve"] + flags, key) == sentence)
    }

    @Test func `equal restart delays are accepted, and an invalid delay is reported only once`() throws {
        #expect(try Self.check(["--restart-delay", "60s"]).errors.isEmpty)
        #expect(try Self.check(["--restart-delay", "2h", "--max-restart-delay", "long"]).errors.count == 1)
    }

    @Test(
        arguments: [
            ("0.0.0.0/0", ["0.0.0.0/0"]), ("10.0.0.0/8,::/0", ["::/0"]), ("::ffff:0.0.0.0/96", ["0.0.0.0/0"]),
            ("0.0.0.0/1", []), ("127.0.0.1", []), ("none", []),
        ])
    func `a --trust-proxy range causes a warning only if it covers all addresses`(list: String, expected: [String])
        throws
    {
        let resolution = try Self.check(["--trust-proxy", list])

        #expect(resolution.errors.isEmpty)
        #expect(
            resolution.configuration.notices
                == expected.map {
                    "--trust-proxy \($0) trusts every client, so every client can forge its address in the log and in the count of "
                        + "wrong keys: set it to the addresses of your proxies."
                })
    }

    @Test(arguments: ["chat-listen", "conversations-listen"])
    func `--chat-listen and --conversations-listen require the event hub`(name: String) throws {
        let sentence =
            "--\(name) 127.0.0.1:9200 needs the event hub, and VIBE_EVENT_HUB is off: set --event-hub to on, or remove --\(name)."
        let flags = ["--\(name)", "127.0.0.1:9200"]

        #expect(try Self.check(flags, ["VIBE_EVENT_HUB": "off"]).errors.map(\.description) == [sentence])
        #expect(try Self.check(flags).errors.isEmpty)
        #expect(try Self.check(["--event-hub", "off", "--\(name)", "none"]).errors.isEmpty)
    }

    @Test(
        arguments: [
            ([], ["has no effect without --chat-listen or --conversations-listen"]),
            (["--chat-listen", "127.0.0.1:0", "--conversations-listen", "[::1]:8000"], []),
            (["--conversations-listen", "localhost:8000"], []), (["--chat-listen", "127.9.9.9:1"], []),
        ] as [([String], [String])])
    func `--chat-open causes a warning only without --chat-listen and --conversations-listen`(
        flags: [String], expected: [String]
    ) throws {
        let resolution = try Self.check(flags + ["--chat-open", "on"])

        #expect(resolution.errors.isEmpty)

        let notices = resolution.configuration.notices

        #expect(notices.count == expected.count)
        #expect(zip(notices, expected).allSatisfy { $0.contains($1) }, "\(notices)")
        #expect(try Self.check(flags).configuration.notices.isEmpty)
    }

    @Test(
        arguments: [
            (["--chat-listen", "0.0.0.0:9200"], ["--chat-listen 0.0.0.0:9200 can be reached from other machines"]),
            (
                ["--chat-listen", "192.0.2.1:1", "--conversations-listen", "[::]:0"],
                ["--chat-listen 192.0.2.1:1 can be", "--conversations-listen [::]:0 can be"]
            ), (["--chat-listen", "127.0.0.1:0", "--conversations-listen", "192.0.2.1:2"], ["192.0.2.1:2 can be"]),
            (["--chat-listen", "127.0.0.1:0", "--conversations-listen", "[::1]:8000"], []),
        ] as [([String], [String])])
    func `an open chat that other machines can reach is an error`(flags: [String], expected: [String]) throws {
        let open = try Self.check(flags + ["--chat-open", "on"])
        let closed = try Self.check(flags)

        #expect(open.errors.count == expected.count)
        #expect(zip(open.errors, expected).allSatisfy { $0.description.contains($1) }, "\(open.errors)")
        #expect(closed.errors.isEmpty)
    }

    @Test func `an invalid value that another source overrides is reported and is not an error`() throws {
        let resolution = try Self.check(
            ["--threads", "2"], ["VIBE_THREADS": "many", "VIBE_MAX_HEAD": "32KiB"],
            file: "VIBE_THREADS=65\nVIBE_MAX_HEAD=1\nVIBE_AUTH_SECRET=hunter2\nVIBE_LOG_LEVEL=debug\n")

        #expect(resolution.errors.isEmpty)

        let place = "/etc/viberemote-gateway/config, line"

        #expect(
            resolution.overridden == [
                #"VIBE_THREADS "many" is not a whole number: write a number from 1 to 64. "#
                    + "It has no effect, because --threads overrides it.",
                #"\#(place) 1: VIBE_THREADS "65" is out of range: write a number from 1 to 64. "#
                    + "It has no effect, because --threads overrides it.",
                "\(place) 3: VIBE_AUTH_SECRET is shorter than 16 bytes: \(KeyTests.fix) "
                    + "It has no effect, because VIBE_AUTH_SECRET overrides it.",
                #"\#(place) 2: VIBE_MAX_HEAD "1" is out of range: write 1KiB to 1MiB. "#
                    + "It has no effect, because VIBE_MAX_HEAD overrides it.",
            ])
    }
}
