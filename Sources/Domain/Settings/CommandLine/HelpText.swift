// SPDX-License-Identifier: Apache-2.0

/// Generates the texts of `--help` and `help COMMAND` from the tables of commands and settings.
enum HelpText {
    /// The maximum length of a line in characters.
    static let width = 100

    /// The program's description, its commands and examples.
    static var overview: String {
        let commands = Subcommand.all.filter { !$0.isForUnits }.map { ($0.name, $0.summary) }
        return """
            \(GatewayVersion.line): reach the OpenCode servers of this machine from anywhere.

            Usage: \(GatewayVersion.program) COMMAND [FLAGS]

            Commands:
            \(list(commands + [("--version", "print the version")]))

            Commands for systemd units:
            \(list(Subcommand.all.filter(\.isForUnits).map { ($0.name, $0.summary) }))

            \(examples(Subcommand.serve.examples))

            `\(GatewayVersion.program) help serve` describes every setting, and `\(GatewayVersion.program) check`
            prints the values in force.

            """
    }

    /// Returns the usage of a command.
    static func text(of command: Subcommand) -> String {
        let usage = "Usage: \(GatewayVersion.program) \(command.name) \(command.usage)"
        var parts = [usage.last == " " ? String(usage.dropLast()) : usage]
        parts += (command.description.isEmpty ? [sentence(command.summary)] : command.description).map {
            wrap($0, indent: 0).joined(separator: "\n")
        }
        if !command.examples.isEmpty { parts.append(examples(command.examples)) }
        let flags =
            command.valueFlags.map {
                let actions = $0.actions.isEmpty ? "" : "  (\($0.actions.joined(separator: ", ")))"
                return ("\($0.flag) \($0.placeholder)\(actions)", $0.help)
            }
            + command.switches.map { ($0.flag, $0.help) }
        if !flags.isEmpty {
            let entries = flags.map { (["  \($0)"] + wrap($1, indent: 6)).joined(separator: "\n") }
            parts.append((["Flags:"] + entries).joined(separator: "\n"))
        }
        parts += settings(command)
        return parts.joined(separator: "\n\n") + "\n"
    }

    private static func settings(_ command: Subcommand) -> [String] {
        guard !command.settings.isEmpty else { return [] }
        let groups = Setting.Group.allCases.compactMap { group -> String? in
            let entries = command.settings.filter { $0.group == group }.map(entry)
            return entries.isEmpty ? nil : ([heading(group)] + entries).joined(separator: "\n")
        }
        let precedence = """
            A flag overrides the environment, the environment overrides the configuration file, and the file overrides \
            the default.
            """
        return groups + [wrap(precedence, indent: 0).joined(separator: "\n")]
    }

    private static func list(_ entries: [(name: String, summary: String)]) -> String {
        entries.map { "  \($0.name)" + String(repeating: " ", count: max(1, 13 - $0.name.count)) + $0.summary }
            .joined(separator: "\n")
    }

    private static func sentence(_ summary: String) -> String {
        summary.prefix(1).uppercased() + summary.dropFirst() + "."
    }

    private static func examples(_ examples: [Subcommand.Example]) -> String {
        let entries = examples.map { example in
            (["  \(example.purpose)"] + example.lines.map { "    \($0)" }).joined(separator: "\n")
        }
        return (["Examples:"] + entries).joined(separator: "\n")
    }

    private static func heading(_ group: Setting.Group) -> String {
        switch group {
        case .general: "Settings (flag, environment variable, default):"
        case .limits: "Limits (TIME: 500ms, 10s, 15min, 24h, 1d or seconds; SIZE: 64KiB, 4MiB, 1GiB or bytes):"
        case .projects, .access, .instances, .events, .chat, .log: "\(group.rawValue):"
        }
    }

    private static func entry(_ setting: Setting) -> String {
        let flag = setting.flag.map { "\($0) \(setting.placeholder)  (\(setting.environment)" }
        let name = flag ?? "\(setting.environment)=\(setting.placeholder)  (no flag"
        return (["  \(name), default \(setting.defaultText))"] + wrap(setting.help, indent: 6)).joined(separator: "\n")
    }

    /// Wraps a text into lines of at most `width` characters.
    private static func wrap(_ text: String, indent: Int) -> [String] {
        let margin = String(repeating: " ", count: indent)
        var lines: [String] = []
        var line = margin
        for word in text.split(separator: " ") {
            if line.count > indent, line.count + 1 + word.count > width {
                lines.append(line)
                line = margin
            }
            line += line.count > indent ? " \(word)" : String(word)
        }
        return lines + [line]
    }
}
