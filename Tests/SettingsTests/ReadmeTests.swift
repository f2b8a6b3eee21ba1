import Foundation
import Settings
import Testing

/// README.md repeats what the program says of itself; here both are compared.
@Suite("README.md agrees with the program")
struct ReadmeTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func lines(of file: String) throws -> [String] {
        try String(contentsOf: root.appending(path: file), encoding: .utf8).components(separatedBy: "\n")
    }

    /// A row of README's table; a `|` within a cell needs a backslash there.
    private static func row(_ setting: Setting) -> String {
        let flag = setting.flag.map { "`\($0) \(setting.placeholder)`" } ?? "no flag"
        let cells = [flag, "`\(setting.environment)`", setting.defaultText, setting.help]
        return "| " + cells.map { $0.replacing("|", with: #"\|"#) }.joined(separator: " | ") + " |"
    }

    @Test("The configuration table has every setting with its default and meaning, in the table's order")
    func configurationTable() throws {
        let header = "| flag | environment | default | meaning |"
        let lines = try Self.lines(of: "README.md")
        let start = try #require(lines.firstIndex(of: header), "README.md has no line \(header)")
        let rows = lines[(start + 2)...].prefix { $0.hasPrefix("|") }
        #expect(Array(rows) == Settings.table.map(Self.row))
    }

    @Test("The settings that a reload does not change are named in the table's order")
    func reload() throws {
        let names = Settings.table.filter { !$0.isReloaded }.compactMap(\.flag).map { "`\($0)`" }
        let text = try Self.lines(of: "README.md").joined(separator: " ")
        let sentence = "and the log says so when they have changed: \(names.joined(separator: ", ")). Flags"
        #expect(text.contains(sentence), "README.md lacks: \(sentence)")
    }

    @Test("The tour's commands are those that `make run` prints")
    func demoCommands() throws {
        let readme = Set(try Self.lines(of: "README.md").map { $0.trimmingCharacters(in: .whitespaces) })
        let commands = try Self.lines(of: "scripts/run-demo.sh").filter {
            $0.hasPrefix("  ") && $0.contains(#""\$KEY""#)
        }
        // One starts the project; three open a session, in the words of OpenCode 1 and of OpenCode 2.
        #expect(commands.count == 7)
        for command in commands {
            let typed = command.replacing(#"\$"#, with: "$").trimmingCharacters(in: .whitespaces)
            #expect(readme.contains(typed), "README.md lacks the line: \(typed)")
        }
    }
}
