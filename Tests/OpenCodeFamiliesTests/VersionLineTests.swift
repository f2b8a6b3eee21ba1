// SPDX-License-Identifier: Apache-2.0

import OpenCodeFamilies
import Testing

@Suite("Lines with a version")
struct VersionLineTests {
    @Test(arguments: [
        ("1.18.33", APIFamily.one), ("1.0.0-beta", .one), ("2.0.15", .two), ("2.0.0-beta.1", .two),
        ("0.0.0-dev-202511201200", nil), ("10.0.0", nil), ("20.1", nil), ("", nil), ("v2.0.15", nil),
    ])
    func `the first number of a version determines the family`(version: String, family: APIFamily?) {
        #expect(APIFamily(version: version) == family)
    }

    @Test(
        arguments: [
            ("1.18.33", "1.18.33"), ("v1.1.11", "1.1.11"), ("opencode 2.0.0", "2.0.0"), ("OpenCode v2.0", "2.0"),
            ("1.2.27\r", "1.2.27"), ("0.0.0-dev-202511201200", "0.0.0-dev-202511201200"),
            ("2.0.0-beta.1+build.5", "2.0.0-beta.1+build.5"),
            ("sleep (GNU coreutils) 9.1", nil), ("Python 3.11.2", nil), ("9", nil), ("1.", nil), (".1", nil), ("", nil),
            ("v", nil), ("version", nil), ("1.2.x", nil), ("1.2.3 (Debian)", nil), ("1.2-\u{1B}[2J", nil),
            ("\u{661}.\u{662}", nil), ("opencode", nil), ("sh 1.2.3", nil),
        ] as [(String, String?)])
    func `a version is read from a line in which at most a v or the name OpenCode precedes it`(
        line: String, version: String?
    ) {
        #expect(VersionLine.version(line) == version)
    }
}

@Suite("Output of an instance as plain text")
struct ControlSequencesTests {
    @Test(arguments: [
        ("plain – grün 👍", "plain – grün 👍"),
        ("\u{1B}[91m\u{1B}[1mError: \u{1B}[0mbroken", "Error: broken"),
        ("\u{1B}[38;2;255;0;0mred\u{1B}[m", "red"), ("a\u{1B}[2Kb\u{1B}[?25lc", "abc"),
        ("\u{1B}]0;title\u{07}text", "text"), ("\u{1B}]8;;http://x\u{1B}\\link\u{1B}]8;;\u{1B}\\", "link"),
        ("\u{1B}Pq#0\u{1B}\\sixel", "sixel"), ("\u{1B}cab", "ab"), ("end\u{1B}", "end"), ("end\u{1B}[1", "end"),
        ("\u{1B}]0;grün\u{07}x", "x"), ("\u{9B}ab\u{7F}\u{08}\u{0}c", "abc"), ("one\ttwo\rthree", "one two three"),
        ("\u{202E}evil\u{2028}", "evil"), ("", ""),
    ])
    func `control characters and control sequences are removed from each line`(line: String, text: String) {
        #expect(ControlSequences.plain(line) == text)
    }
}
