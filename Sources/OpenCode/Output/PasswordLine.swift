/// The line `server password …` that OpenCode 2 prints when it has made a password of its own.
package enum PasswordLine {
    private static let words = "server password "

    /// A line of output without the password that OpenCode tells in it.
    package static func masked(_ line: String) -> String {
        // Colours cost nothing to whoever wants the password.
        ControlSequences.plain(line).hasPrefix(words) ? words + "***" : line
    }
}
