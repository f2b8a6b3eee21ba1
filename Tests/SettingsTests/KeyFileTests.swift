// SPDX-License-Identifier: Apache-2.0

import Settings
import Testing

@Suite("The key file")
struct KeyFileTests {
    private static let path = "/home/vibe/keys"
    private static let good = "fedcba9876543210"
    private static let fix = "write one key on each line, created with `openssl rand -hex 32`."

    private static func parse(_ content: String, mode: UInt32 = 0o600, key: String? = nil) -> Command {
        CommandLineUnderTest.parse(
            ["serve", "--key-file", path], key.map { ["VIBE_AUTH_SECRET": $0] } ?? [:],
            files: [path: CommandLineUnderTest.File(content: content, mode: mode)])
    }

    private static func keys(_ content: String, key: String? = nil) throws -> [NamedKey] {
        guard case .serve(let configuration, _) = parse(content, key: key) else {
            Issue.record("the key file is refused")
            throw CancellationError()
        }
        return configuration.keys
    }

    private static func message(_ content: String, mode: UInt32 = 0o600, key: String? = nil) -> String {
        guard case .usageError(let text) = parse(content, mode: mode, key: key) else { return "" }
        return text
    }

    @Test func `each line except empty lines and comments is a key, and the last one needs no newline`() throws {
        let keys = try Self.keys(
            "# for the phone\n\(Self.good)\n\n  \r\n#x\n0123456789abcdef\r\néééééééé".replacing("  ", with: ""))

        #expect(keys.map(\.name) == [2, 6, 7].map { "\(Self.path), line \($0)" })
        #expect(keys.map(\.secret.bytes) == [Self.good, "0123456789abcdef", "éééééééé"].map { Array($0.utf8) })
    }

    @Test func `a line of white space counts as empty`() throws {
        let keys = try Self.keys("  \n\(Self.good)\n\t \r\n")

        #expect(keys.map(\.name) == ["\(Self.path), line 2"])
    }

    @Test func `the keys of the file and VIBE_AUTH_SECRET are accepted together`() throws {
        let keys = try Self.keys(Self.good, key: CommandLineUnderTest.key)

        #expect(keys.map(\.name) == ["VIBE_AUTH_SECRET", "\(Self.path), line 1"])
    }

    @Test(
        arguments: [
            ("hunter2", ", line 1 is shorter than 16 bytes: "),
            ("\n\n123456789012345", ", line 3 is shorter than 16 bytes: "),
            ("change-me-in-production\n", ", line 1 is the published example key: "),
            (
                " 0123456789abcdef",
                ", line 1 contains a control character, or begins or ends with a space: "
            ),
            ("0123456789\tabcdef", ", line 1 contains a control character, or begins or ends with a space: "),
            ("", " contains no key: "), ("# x\n\n", " contains no key: "), ("  \n \t\n", " contains no key: "),
        ])
    func `a key file without keys or with an invalid key is rejected, and the error omits the key`(
        content: String, sentence: String
    ) {
        #expect(Self.message(content) == Self.path + sentence + Self.fix)
        // A valid key from another source does not make an invalid file acceptable.
        #expect(Self.message(content, key: CommandLineUnderTest.key) == Self.path + sentence + Self.fix)
    }

    @Test func `a key file that begins with a byte order mark is rejected`() {
        #expect(
            Self.message("\u{FEFF}\(Self.good)")
                == "\(Self.path) begins with a byte order mark: save it as UTF-8 without one.")
    }

    @Test func `a key file can hold 100 keys and no more`() throws {
        #expect(try Self.keys(String(repeating: "\(Self.good)\n", count: 100)).count == 100)
        #expect(
            Self.message(String(repeating: "\(Self.good)\n", count: 101))
                == "\(Self.path) contains more than 100 keys: remove unused keys.")
    }

    @Test func `the key file must be private, must exist and must have an absolute path`() {
        #expect(Self.message(Self.good, mode: 0o640) == "--key-file: \(Self.path) is open.")
        #expect(
            CommandLineUnderTest.message(["serve"], ["VIBE_KEY_FILE": "/none"])
                == "VIBE_KEY_FILE: /none does not exist.")
        #expect(
            CommandLineUnderTest.message(["serve", "--key-file", "keys"])
                == #"--key-file "keys" is not an absolute path: write a path that begins with /, or none."#)
    }
}
