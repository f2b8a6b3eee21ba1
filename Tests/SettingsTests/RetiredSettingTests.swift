import Settings
import Testing

@Suite("Settings that there were once")
struct RetiredSettingTests {
    private static let sentence =
        "has no effect any more and can be removed: request bodies of up to 64KiB are held whole."

    @Test("They are accepted from everywhere, whatever their value, with one warning", arguments: ["1KiB", "nonsense"])
    func accepted(value: String) throws {
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

    @Test("check tells of them, too, as no error")
    func check() throws {
        let command = CommandLineUnderTest.parse(
            ["check", "--send-timeout", "1s"], ["VIBE_AUTH_SECRET": CommandLineUnderTest.key])
        guard case .check(let resolution) = command else { throw CancellationError() }
        #expect(resolution.errors.isEmpty)
        #expect(resolution.configuration.notices.count == 1)
        #expect(resolution.configuration.notices.first?.contains("--answer-timeout") == true)
    }

    @Test("They are neither in help nor suggested, and those that nobody sets are not mentioned")
    func unseen() throws {
        #expect(try CommandLineUnderTest.serve().notices.isEmpty)
        #expect(CommandLineUnderTest.message(["serve", "--held-bodi", "1"]).isEmpty == false)
        #expect(!CommandLineUnderTest.message(["serve", "--held-bodi", "1"]).contains("--held-body"))
        guard case .print(let help) = CommandLineUnderTest.parse(["help", "serve"]) else { throw CancellationError() }
        #expect(!help.contains("held-body") && !help.contains("send-timeout"))
    }

    @Test("A command without such settings takes none of them")
    func elsewhere() {
        let message = CommandLineUnderTest.message(["completion", "--held-body", "1", "bash"])
        #expect(message.contains("--held-body"))
    }
}
