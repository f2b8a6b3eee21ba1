// SPDX-License-Identifier: Apache-2.0

import Logging
import Settings
import Testing

@Suite("The configuration file")
struct ConfigurationFileTests {
    typealias File = CommandLineUnderTest.File

    private static let usual = "/home/vibe/.config/viberemote-gateway/config"
    private static let machine = "/etc/viberemote-gateway/config"

    private static func message(
        _ content: String, mode: UInt32 = 0o600, environment: [String: String] = [:]
    ) -> String {
        CommandLineUnderTest.message(
            ["serve"], ["VIBE_AUTH_SECRET": CommandLineUnderTest.key].merging(environment) { $1 },
            files: [usual: File(content: content, mode: mode)])
    }

    @Test func `a flag overrides the environment, which overrides the file, which overrides the default`() throws {
        let files = [Self.usual: File(content: "VIBE_THREADS=3\nVIBE_MAX_HEAD='32KiB'\nVIBE_LOG_LEVEL=debug\n")]
        let configuration = try CommandLineUnderTest.serve(
            ["--log-level", "error"], ["VIBE_LOG_LEVEL": "info", "VIBE_MAX_HEAD": "64KiB"], files: files)

        #expect(configuration.threads == 3)
        #expect(configuration.limits.maxHead == 65_536)
        #expect(configuration.logLevel == .error)
        #expect(configuration.configurationFile == Self.usual)
    }

    @Test func `an empty value in the configuration file counts as unset`() throws {
        let files = [Self.usual: File(content: "VIBE_LISTEN=\n")]
        let configuration = try CommandLineUnderTest.serve(files: files)

        #expect(configuration.listen == ListenAddress(host: "0.0.0.0", port: 4000))
    }

    @Test func `the user's file replaces the machine's, a named file replaces both, and none reads no file`() throws {
        let threads = { (count: Int) in File(content: "VIBE_THREADS=\(count)") }
        var files = [Self.machine: threads(1)]

        #expect(try CommandLineUnderTest.serve(files: files).threads == 1)

        files[Self.usual] = threads(2)

        #expect(try CommandLineUnderTest.serve(files: files).threads == 2)

        files["/xdg/viberemote-gateway/config"] = threads(3)

        #expect(try CommandLineUnderTest.serve([], ["XDG_CONFIG_HOME": "/xdg"], files: files).threads == 3)

        files["/named"] = threads(5)

        #expect(try CommandLineUnderTest.serve([], ["VIBE_CONFIG": "/named"], files: files).threads == 5)

        files["/flag"] = threads(6)
        let flags = ["--config", "/flag"]

        #expect(try CommandLineUnderTest.serve(flags, ["VIBE_CONFIG": "/named"], files: files).threads == 6)

        let none = try CommandLineUnderTest.serve(["--config=none"], files: files)

        #expect(none.threads == 4)
        #expect(none.configurationFile == nil)
    }

    @Test func `a relative XDG_CONFIG_HOME is ignored (XDG Base Directory Specification)`() throws {
        let files = ["xdg/viberemote-gateway/config": File(content: "VIBE_THREADS=1")]

        #expect(try CommandLineUnderTest.serve([], ["XDG_CONFIG_HOME": "xdg"], files: files).threads == 4)
    }

    @Test func `a named configuration file that does not exist is an error`() {
        #expect(
            CommandLineUnderTest.message(["serve", "--config", "/none"]) == "--config: /none does not exist.")
    }

    @Test func `an unreadable default configuration file is ignored with a notice`() throws {
        let configuration = try CommandLineUnderTest.serve(files: [Self.machine: File(content: "", mode: 0)])

        #expect(configuration.notices == ["Cannot read \(Self.machine): Permission denied. The file has no effect."])
        #expect(configuration.configurationFile == nil)
    }

    @Test func `a configuration file that others can write, or read although it holds a key, is rejected`() throws {
        #expect(Self.message("VIBE_THREADS=1", mode: 0o644) == "")
        #expect(Self.message("VIBE_THREADS=1", mode: 0o664) == "\(Self.usual) can be changed by others.")

        let key = "VIBE_AUTH_SECRET=\(CommandLineUnderTest.key)"

        #expect(Self.message(key, mode: 0o644) == "\(Self.usual) is open.")

        let files = [Self.usual: File(content: key)]
        let command = CommandLineUnderTest.parse(["serve"], [:], files: files)
        guard case .serve(let configuration, _) = command else {
            Issue.record("the key in the file is not taken")
            return
        }

        #expect(configuration.keys.map(\.name) == ["VIBE_AUTH_SECRET"])
    }

    @Test(
        arguments: [
            (
                "\nVIBE_THREADS=65", #"FILE, line 2: VIBE_THREADS "65" is out of range: write a number from 1 to 64."#
            ),
            ("VIBE_THREAD=2", #"FILE, line 1: "VIBE_THREAD" is not a setting: did you mean VIBE_THREADS?"#),
            ("threads=2", #"FILE, line 1: "threads" is not a setting: see `viberemote-gateway help serve`."#),
            (
                "VIBE_CONFIG=/x",
                "FILE, line 1: VIBE_CONFIG cannot be set in the configuration file itself: use the environment or --config."
            ),
            ("VIBE_THREADS 2", #"FILE, line 1 has no "=": write NAME=VALUE, or # before a comment."#),
            (
                "export VIBE_THREADS=2",
                "FILE, line 1 begins with export: write NAME=VALUE alone, because no shell reads this file."
            ),
            (
                "VIBE_THREADS=3\n\nVIBE_THREADS=3",
                "FILE, line 3: VIBE_THREADS is already set on line 1: remove one of the two lines."
            ),
            ("VIBE_LISTEN='x", "FILE, line 1 opens a quote that is never closed: add the closing '."),
            (
                "VIBE_AUTH_SECRET=hunter2",
                "FILE, line 1: VIBE_AUTH_SECRET is shorter than 16 bytes: " + KeyTests.fix
            ),
        ])
    func `each error in the configuration file is reported in one sentence with its line`(
        content: String, sentence: String
    ) {
        #expect(
            Self.message(content, environment: ["VIBE_AUTH_SECRET": ""]).replacing(Self.usual, with: "FILE")
                == sentence)
    }

    @Test func `an unknown setting in the file is an error even if the environment sets the intended one`() {
        #expect(Self.message("VIBE_TREADS=1", environment: ["VIBE_THREADS": "1"]).hasPrefix("\(Self.usual), line 1: "))
    }
}
