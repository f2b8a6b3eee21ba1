// SPDX-License-Identifier: Apache-2.0

/// Generates the manual page as man(7) source from the tables of commands and settings.
enum ManualPage {
    static var text: String {
        let name = GatewayVersion.program
        let lines =
            [
                ".TH \(name.uppercased().replacing("-", with: "\\-")) 1 \"\" \"\(escaped(GatewayVersion.line))\"",
                ".SH NAME", "\(escaped(name)) \\- reach the OpenCode servers of this machine from anywhere",
                ".SH SYNOPSIS", ".B \(escaped(name))", "COMMAND [FLAGS]",
                ".SH DESCRIPTION",
                escaped(
                    "Connects remote clients to the OpenCode servers of a machine. Each project folder has its own OpenCode server. "
                        + "The gateway starts and stops these servers, finds their ports, gives each of them a password, and "
                        + "forwards requests, event streams and WebSockets."),
                ".SH COMMANDS",
            ] + Subcommand.all.flatMap(command) + [".SH SETTINGS", precedence] + Settings.table.flatMap(entry) + files
        return lines.joined(separator: "\n") + "\n"
    }

    private static let precedence = escaped(
        """
        Set a value with a flag, with an environment variable, or with a line in the configuration file that uses the \
        variable's name. A flag overrides the environment, the environment overrides the configuration file, \
        and the configuration file overrides the default.
        """)

    private static func command(_ command: Subcommand) -> [String] {
        let paragraphs = command.description.isEmpty ? [command.summary] : command.description
        return [".SS \(escaped("\(command.name) \(command.usage)"))"]
            + paragraphs.map { escaped($0) }.joinedBy(".PP")
            + command.actions.flatMap { action in
                [".TP", ".B \(escaped(([action.name] + action.arguments).joined(separator: " ")))"]
                    + (action.description.isEmpty ? [action.summary + "."] : action.description).map { escaped($0) }
            }
            + command.valueFlags.flatMap {
                [".TP", "\\fB\(escaped($0.flag))\\fR \\fI\(escaped($0.placeholder))\\fR", escaped($0.help)]
            } + command.switches.flatMap { [".TP", ".B \(escaped($0.flag))", escaped($0.help)] }
            + (command.examples + command.actions.flatMap(\.examples)).flatMap { example in
                [".PP", escaped(example.purpose), ".PP", ".nf", ".RS"] + example.lines.map { escaped($0) } + [
                    ".RE", ".fi",
                ]
            }
    }

    private static func entry(_ setting: Setting) -> [String] {
        let environment = "\\fB\(escaped(setting.environment))\\fR"
        let head = setting.flag.map { "\\fB\(escaped($0))\\fR \\fI\(escaped(setting.placeholder))\\fR, \(environment)" }
        return [
            ".TP", head ?? "\(environment)=\\fI\(escaped(setting.placeholder))\\fR",
            escaped("\(setting.help) Default: \(setting.defaultText)."),
        ]
    }

    private static var files: [String] {
        [
            ".SH FILES", ".TP", escaped("~/.config/\(ConfigurationFile.name), /etc/\(ConfigurationFile.name)"),
            escaped(
                "Configuration file, in the syntax of systemd's EnvironmentFile=. Use mode 0600 if it contains a key."),
            ".TP", escaped("~/.config/opencode/env, ~/.config/opencode/env.d/NAME.env"),
            escaped("Environment files of all OpenCode servers, and of the project NAME. Use mode 0600."),
            ".SH SEE ALSO", ".BR systemd.exec (5)",
        ]
    }

    /// Returns text in roff's syntax. The result has escaped backslashes and hyphens, and words in backquotes are bold.
    /// A leading period or apostrophe is protected, because it would begin a roff request.
    private static func escaped(_ text: String) -> String {
        var isBold = false
        var result = ""
        for character in text {
            switch character {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "`":
                isBold.toggle()
                result += isBold ? "\\fB" : "\\fR"
            default: result.append(character)
            }
        }
        return result.hasPrefix(".") || result.hasPrefix("'") ? "\\&" + result : result
    }
}

extension [String] {
    fileprivate func joinedBy(_ separator: String) -> [String] {
        Array(map { [$0] }.joined(separator: [separator]))
    }
}
