// SPDX-License-Identifier: Apache-2.0

import EnvironmentFiles
import Testing

/// Tests systemd.exec(5), EnvironmentFile=, and the cases that its text leaves open, according to systemd's behaviour.
@Suite("Environment files in systemd's syntax")
struct EnvironmentFileTests {
    private static func parse(_ text: String) throws -> EnvironmentFile {
        try EnvironmentFile(parsing: Array(text.utf8), path: "/etc/env")
    }

    @Test(
        arguments: [
            // In plain text, surrounding white space is removed and inner white space is kept.
            ("A=b", "b"), ("A=", ""), ("A =  b c\t d  ", "b c\t d"), (" \t A\t=b", "b"), ("A=b\r\n", "b"),
            ("A=b=c", "b=c"), ("A==", "="), ("A=b # no comment", "b # no comment"), ("A=#b", "#b"), ("A=;b", ";b"),
            ("A=$HOME `x` ${y}", "$HOME `x` ${y}"), ("A=grün", "grün"), ("A=a\u{1}b", "a\u{1}b"),
            // A backslash keeps the next character and joins lines.
            (#"A=\\"#, #"\"#), (#"A=a\b"#, "ab"), (#"A=\ b\ "#, " b "), (#"A=b \ "#, "b  "), (#"A=\"b\""#, #""b""#),
            ("A=b\\\nc", "bc"), ("A=b \\\n  c", "b   c"), ("A=\\\nb", "b"), ("A=b  \\\n", "b  "), (#"A=b\"#, "b"),
            ("A=b\\\r\nB=c", "b"), ("A=b\\\n\nB=c", "b"),
            // Quotes are kept if they are not the first character.
            (#"A=a"b""#, #"a"b""#), ("A=it's", "it's"), ("A=b 'c d'", "b 'c d'"),
            // '…' keeps everything, even across lines.
            ("A='b  c '", "b  c "), (#"A='a\n\'"#, #"a\n\"#), ("A='a\nb\r\nc'", "a\nb\r\nc"), ("A=''", ""),
            (#"A='a"b'"#, #"a"b"#), ("A= 'b' ", "b"),
            // "…" resolves \" \\ \` \$ and joins lines; other backslashes are kept.
            (#"A="b c""#, "b c"), (#"A="\"\\\`\$""#, #""\`$"#), (#"A="a\nb\'""#, #"a\nb\'"#),
            ("A=\"a\\\nb\"", "ab"), ("A=\"a\nb\"", "a\nb"), ("A=\"a\\\r\nb\"", "a\\\r\nb"), (#"A="it's""#, "it's"),
            ("A=\"\"", ""), (#"A="b " "#, "b "), ("A=\"#b\"", "#b"),
            // Quoted parts are joined. Text after them is read as plain text, and white space between parts is dropped.
            (#"A='a'"b"'c'"#, "abc"), (#"A="a" 'b'"#, "ab"), (#"A="a" b"#, "ab"), (#"A="a"b"c""#, #"ab"c""#),
            (#"A='a'\ b"#, "a b"),
        ])
    func `a value is parsed by systemd's rules for quotes, backslashes and white space`(text: String, value: String)
        throws
    {
        let file = try Self.parse(text)

        #expect(file.assignments.first == EnvironmentFile.Assignment(name: "A", value: value, line: 1))
        #expect(file.ignoredLines.isEmpty)

        // The following line is neither lost nor added to the value, unless the text ends with a backslash.
        guard !text.hasSuffix("\\"), !text.hasSuffix("\\\n") else { return }
        let longer = try Self.parse(text + "\nZ=1\n")

        #expect(longer.assignments.first?.value == value)
        #expect(longer.assignments.last?.name == "Z")
    }

    @Test func `assignments keep their order and line numbers, and comments and empty lines count`() throws {
        let file = try Self.parse(
            """
            # a comment
            ; another = one
              # and one with 'a quote

            FIRST=1
            SECOND="a
            b"
            THIRD=c\\
            d
            FIRST=2
            _4=x
            """)

        #expect(
            file.assignments.map { "\($0.line) \($0.name)=\($0.value)" } == [
                "5 FIRST=1", "6 SECOND=a\nb", "8 THIRD=cd", "10 FIRST=2", "11 _4=x",
            ])
        #expect(file.values == ["FIRST": "2", "SECOND": "a\nb", "THIRD": "cd", "_4": "x"])
        #expect(file.ignoredLines.isEmpty)
    }

    @Test func `a comment ends with its line, even after a backslash`() throws {
        #expect(try Self.parse("# a \\\nB=1").assignments.map(\.name) == ["B"])
        #expect(try Self.parse("# a \\\r\nB=1").assignments.map(\.line) == [2])
    }

    @Test(arguments: ["\n", "\r\n", "\r"])
    func `lines end with LF, CRLF or CR`(end: String) throws {
        let file = try Self.parse(["# x", "A=1", "", "B=2 ", "wrong", "C='3'"].joined(separator: end))

        #expect(file.assignments.map { "\($0.line) \($0.name)=\($0.value)" } == ["2 A=1", "4 B=2", "6 C=3"])
        #expect(file.ignoredLines.map(\.line) == [5])
    }

    @Test(arguments: ["", "\n", " \t\r\n ", "#", "# x", ";x\n\n"])
    func `a file with only blank lines and comments has no assignments and no ignored lines`(text: String) throws {
        let file = try Self.parse(text)

        #expect(file.assignments.isEmpty)
        #expect(file.ignoredLines.isEmpty)
    }

    @Test(
        arguments: [
            ("secret", #"has no "=": write NAME=VALUE, or # before a comment"#),
            ("=secret", #"has no name before "=": write NAME=VALUE"#),
            ("  =secret", #"has no name before "=": write NAME=VALUE"#),
            ("='secret", #"has no name before "=": write NAME=VALUE"#),
            (
                "=A=secret",
                #"has no valid name before "=": use letters, digits and _, and begin with a letter or _"#
            ),
            (
                "export A=secret",
                "begins with export: write NAME=VALUE alone, because no shell reads this file"
            ),
            (
                "1A=secret",
                #"has no valid name before "=": use letters, digits and _, and begin with a letter or _"#
            ),
            (
                "A-secret=x",
                #"has no valid name before "=": use letters, digits and _, and begin with a letter or _"#
            ),
            ("A B=x", #"has no valid name before "=": use letters, digits and _, and begin with a letter or _"#),
            ("Ä=x", #"has no valid name before "=": use letters, digits and _, and begin with a letter or _"#),
        ])
    func `a line that is not an assignment is ignored and reported without its text`(text: String, problem: String)
        throws
    {
        let file = try Self.parse("A=1\n\n\(text)\nB=2\n")

        #expect(file.assignments.map(\.name) == ["A", "B"])
        #expect(file.ignoredLines == [EnvironmentFileProblem(path: "/etc/env", line: 3, problem: problem)])
        #expect(file.ignoredLines.map(\.description) == ["/etc/env, line 3 \(problem)."])
    }

    @Test func `an invalid name is ignored together with its whole multi-line value`() throws {
        let file = try Self.parse("1A='x\nB=1\n'\nC=2")

        #expect(file.assignments.map(\.name) == ["C"])
        #expect(file.ignoredLines.map(\.line) == [1])
    }

    @Test func `a byte order mark makes only the first line invalid`() throws {
        let problem = "begins with a byte order mark: save the file as UTF-8 without one"
        let file = try Self.parse("\u{FEFF}A=1\nB=2")

        #expect(file.assignments.map(\.name) == ["B"])
        #expect(file.ignoredLines.map(\.problem) == [problem])
    }

    @Test(
        arguments: [
            ("A=1\nB='x\nC=2\n", 2, "opens a quote that is never closed: add the closing '"),
            ("A=1\nB=\"x\nC=2\\\"\n", 2, "opens a quote that is never closed: add the closing \""),
            ("A='1\n2' \"3\n\n", 2, "opens a quote that is never closed: add the closing \""),
            ("A=1\n#\0\n", 2, "contains a NUL byte: remove the byte"),
            ("A=1\n\nB='\nx\0'", 4, "contains a NUL byte: remove the byte"),
            ("A=1\nB='\n\u{FFFF}'\n", 2, "is not UTF-8 text: save the file as UTF-8"),
        ])
    func `each unclosed quote, NUL byte and noncharacter is rejected with its line number`(
        text: String, line: Int, problem: String
    ) {
        #expect(throws: EnvironmentFileProblem(path: "/etc/env", line: line, problem: problem)) { try Self.parse(text) }
    }

    @Test(
        arguments: [
            (Array("A=1\nB=".utf8) + [0xFC], true), (Array("A=1\n".utf8) + [0xC3, 0x28] + Array("=x".utf8), true),
            (Array("A=".utf8) + [0xED, 0xA0, 0x80], true), (Array("# f".utf8) + [0xFC] + Array("r\nA=1".utf8), false),
        ] as [([UInt8], Bool)])
    func `invalid UTF-8 is rejected in a name or a value but not in a comment`(bytes: [UInt8], isRefused: Bool) {
        let file = try? EnvironmentFile(parsing: bytes, path: "/etc/env")

        #expect((file == nil) == isRefused)
    }
}
