// SPDX-License-Identifier: Apache-2.0

/// Parses the output of a program that prints its version.
package enum VersionLine {
    /// Returns the version in a line; nil if the line does not have OpenCode's format. Examples are `1.18.33`,
    /// `v2.0.0-beta.1` and `0.0.0-dev-202511201200`. The program's name may precede the version.
    package static func version(_ line: String) -> String? {
        let words = line.split(whereSeparator: \.isWhitespace)
        guard let last = words.last, words.count == 1 || (words.count == 2 && words[0].lowercased() == "opencode")
        else {
            return nil
        }
        let version = last.first == "v" ? last.dropFirst() : last
        // The version consists of numbers with dots, optionally followed by a pre-release and a build (semver.org).
        let core = version.prefix { $0 != "-" && $0 != "+" }
        let numbers = core.split(separator: ".", omittingEmptySubsequences: false)
        let isNumber = { (text: Substring) in !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) } }
        let suffix = version.dropFirst(core.count).utf8
        let isPlain = suffix.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        guard numbers.count >= 2, numbers.allSatisfy(isNumber), isPlain else { return nil }
        return String(version)
    }
}

/// Masks the password in the line `server password …`, which OpenCode 2 prints if it has generated its own password.
package enum PasswordLine {
    private static let words = "server password "

    /// Returns a line of output, in which a generated password is masked.
    package static func masked(_ line: String) -> String {
        // Remove control sequences before the comparison, because they can interrupt the words of the line.
        ControlSequences.plain(line).hasPrefix(words) ? words + "***" : line
    }
}
