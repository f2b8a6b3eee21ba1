import Settings
import Testing

@Suite("The key")
struct KeyTests {
    static let fix = "make a key with `openssl rand -hex 32` and pass it in the environment or by --key-file."

    @Test(
        "A key that guards nothing is refused with one sentence that says how to make one",
        arguments: [
            (nil, "VIBE_AUTH_SECRET is not set: "), ("", "VIBE_AUTH_SECRET is not set: "),
            ("change-me-in-production", "VIBE_AUTH_SECRET is the published example: "),
            ("0123456789abcde", "VIBE_AUTH_SECRET is shorter than 16 bytes: "),
            ("0123456789abcdef\n", "VIBE_AUTH_SECRET holds a control character or begins or ends with a space: "),
            (" 0123456789abcdef", "VIBE_AUTH_SECRET holds a control character or begins or ends with a space: "),
        ] as [(String?, String)])
    func refused(key: String?, sentence: String) {
        let environment = key.map { ["VIBE_AUTH_SECRET": $0] } ?? [:]
        #expect(CommandLineUnderTest.message(["serve"], environment) == sentence + Self.fix)
    }

    @Test("16 bytes are enough, and bytes are counted, not characters")
    func accepted() throws {
        #expect(try CommandLineUnderTest.serve([], ["VIBE_AUTH_SECRET": "éééééééé"]).authSecret?.bytes.count == 16)
    }

    @Test(
        "It is never a flag, and what was tried is not repeated",
        arguments: [
            ["--auth-secret", "hunter2hunter2hunter2"], ["--auth-secret=hunter2hunter2hunter2"],
            ["--auth-secrets=hunter2hunter2hunter2"], ["--key=hunter2hunter2hunter2"],
        ])
    func neverAFlag(flags: [String]) {
        let message = CommandLineUnderTest.message(["serve"] + flags)
        #expect(!message.isEmpty && !message.contains("hunter2"))
    }

    @Test("The sentence for the flag that somebody would try first names the way")
    func flagSentence() {
        let sentence =
            "--auth-secret is no flag, because every local user can read command lines: set VIBE_AUTH_SECRET in the "
            + "environment, or use --key-file."
        #expect(CommandLineUnderTest.message(["serve", "--auth-secret", "x"]) == sentence)
    }

    @Test("No way of printing a configuration shows it")
    func masked() throws {
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
