// SPDX-License-Identifier: Apache-2.0

import Settings
import Testing

@Suite("Retired settings")
struct RetiredSettingTests {
    private static let sentence =
        "no longer has an effect, so remove it: request bodies of up to 64KiB are always buffered as a whole."

    @Test(arguments: ["1KiB", "nonsense"])
    func `a retired setting is accepted from each source with any value and causes one warning`(value: String) throws {
        for flags in [["--held-body", value], ["--held-body=\(value)"]] {
            #expect(try CommandLineUnderTest.serve(flags).notices == ["--held-body \(Self.sentence)"])
        }
        let environment = ["VIBE_HELD_BODY": value]

        #expect(try CommandLineUnderTest.serve([], environment).notices == ["VIBE_HELD_BODY \(Self.sentence)"])

        let path = "/etc/viberemote-gateway/config"
        let files = [path: CommandLineUnderTest.File(content: "\nVIBE_HELD_BODY=\(value)\n")]

        #expect(
            try CommandLineUnderTest.serve(files: files).notices == ["\(path), line 2: VIBE_HELD_BODY \(Self.sentence)"]
        )
        #expect(
            try CommandLineUnderTest.serve(["--held-body", value], environment, files: files).notices
                == ["--held-body \(Self.sentence)"])
    }

    @Test func `check reports a retired setting as a notice and not as an error`() throws {
        let command = CommandLineUnderTest.parse(
            ["check", "--send-timeout", "1s"], ["VIBE_AUTH_SECRET": CommandLineUnderTest.key])
        guard case .check(let resolution) = command else { throw CancellationError() }

        #expect(resolution.errors.isEmpty)
        #expect(resolution.configuration.notices.count == 1)
        #expect(resolution.configuration.notices.first?.contains("--answer-timeout") == true)
    }

    @Test func `a retired setting is not in help or suggestions, and causes no notice unless it is set`() throws {
        #expect(try CommandLineUnderTest.serve().notices.isEmpty)
        #expect(CommandLineUnderTest.message(["serve", "--held-bodi", "1"]).isEmpty == false)
        #expect(!CommandLineUnderTest.message(["serve", "--held-bodi", "1"]).contains("--held-body"))

        guard case .print(let help) = CommandLineUnderTest.parse(["help", "serve"]) else { throw CancellationError() }

        #expect(!help.contains("held-body"))
        #expect(!help.contains("send-timeout"))
    }

    @Test func `a command without settings rejects a retired setting`() {
        let message = CommandLineUnderTest.message(["completion", "--held-body", "1", "bash"])

        #expect(message.contains("--held-body"))
    }
}
