// SPDX-License-Identifier: Apache-2.0

import Settings
import Testing

@Suite("The key")
struct KeyTests {
    static let fix = "create a key with `openssl rand -hex 32` and pass it in the environment or with --key-file."

    @Test(
        arguments: [
            (nil, "VIBE_AUTH_SECRET is not set: "), ("", "VIBE_AUTH_SECRET is not set: "),
            ("change-me-in-production", "VIBE_AUTH_SECRET is the published example key: "),
            ("0123456789abcde", "VIBE_AUTH_SECRET is shorter than 16 bytes: "),
            ("0123456789abcdef\n", "VIBE_AUTH_SECRET contains a control character, or begins or ends with a space: "),
            (" 0123456789abcdef", "VIBE_AUTH_SECRET contains a control character, or begins or ends with a space: "),
        ] as [(String?, String)])
    func `a missing or weak key is rejected with an error that shows how to create a key`(
        key: String?, sentence: String
    ) {
        let environment = key.map { ["VIBE_AUTH_SECRET": $0] } ?? [:]

        #expect(CommandLineUnderTest.message(["serve"], environment) == sentence + Self.fix)
    }

    @Test func `a key of 16 bytes is accepted even if it has fewer than 16 characters`() throws {
        #expect(try CommandLineUnderTest.serve([], ["VIBE_AUTH_SECRET": "éééééééé"]).authSecret?.bytes.count == 16)
    }

    @Test(
        arguments: [
            ["--auth-secret", "hunter2hunter2hunter2"], ["--auth-secret=hunter2hunter2hunter2"],
            ["--auth-secrets=hunter2hunter2hunter2"], ["--key=hunter2hunter2hunter2"],
        ])
    func `a key passed as a flag is rejected, and the error omits the key`(flags: [String]) {
        let message = CommandLineUnderTest.message(["serve"] + flags)

        #expect(!message.isEmpty)
        #expect(!message.contains("hunter2"))
    }

    @Test func `the error for --auth-secret names VIBE_AUTH_SECRET and --key-file`() {
        let sentence =
            "--auth-secret is not a flag, because every local user can read command lines: set VIBE_AUTH_SECRET in the "
            + "environment, or use --key-file."

        #expect(CommandLineUnderTest.message(["serve", "--auth-secret", "x"]) == sentence)
    }

    @Test func `no textual form of a configuration contains the key`() throws {
        let configuration = try CommandLineUnderTest.serve()
        var dumped = ""
        dump(configuration, to: &dumped)
        let texts = [
            "\(configuration)", String(reflecting: configuration), dumped,
            "\(try #require(configuration.authSecret))", "\(try #require(configuration.keys.first).secret)",
            try PrecedenceTests.setting("auth-secret").text(in: configuration),
        ]
        for text in texts {
            #expect(!text.contains(CommandLineUnderTest.key))
            #expect(!text.contains("48, 49, 50"), "the key's bytes as numbers")
        }

        #expect(texts[3...].allSatisfy { $0 == Secret.mask })
    }
}
