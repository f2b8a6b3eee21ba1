/// The texts of `--help` and `help serve`, made from the settings table.
enum HelpText {
    /// The longest line.
    static let width = 100

    /// What the program is, its commands, examples, all settings.
    static let overview = """
        \(GatewayVersion.line): reach the OpenCode servers of this machine from anywhere.

        Usage: \(GatewayVersion.program) COMMAND [FLAGS]

        Commands:
          serve          run the gateway in the foreground
          help [serve]   print this text, or the one about a command
          --version      print the version

        \(examples)

        \(settings)

        """

    /// How to call `serve`.
    static let serve = """
        Usage: \(GatewayVersion.program) serve [FLAGS]

        Runs the gateway in the foreground until SIGTERM or Ctrl-C.

        \(examples)

        \(settings)

        """

    private static let examples = """
        Examples:
          Make a key, then serve the projects in your home folder on port 4000:
            export VIBE_AUTH_SECRET=$(openssl rand -hex 32)
            \(GatewayVersion.program) serve
          On this machine only, with the projects of another folder:
            \(GatewayVersion.program) serve --listen 127.0.0.1:4000 --home /home/vibe/projects
          As JSON lines with a longer limit, set by the environment:
            VIBE_LOG_FORMAT=json VIBE_ANSWER_TIMEOUT=1h \(GatewayVersion.program) serve
        """

    private static var settings: String {
        let groups = Setting.Group.allCases.map { group in
            let entries = Settings.table.filter { $0.group == group }.map(entry)
            return ([heading(group)] + entries).joined(separator: "\n")
        }
        return groups.joined(separator: "\n\n") + "\n\n"
            + wrap(
                "A flag holds over the environment, the environment over the default.", indent: 0
            ).joined(separator: "\n")
    }

    private static func heading(_ group: Setting.Group) -> String {
        switch group {
        case .general: "Settings (flag, name in the environment, default):"
        case .access: "Who may ask:"
        case .instances: "Instances:"
        case .log: "Log:"
        case .limits: "Limits (TIME: 500ms, 10s, 15min, 24h, 1d or seconds; SIZE: 64KiB, 4MiB, 1GiB or bytes):"
        }
    }

    private static func entry(_ setting: Setting) -> String {
        let flag = setting.flag.map { "\($0) \(setting.placeholder)  (\(setting.environment)" }
        let name = flag ?? "\(setting.environment)=\(setting.placeholder)  (environment only"
        return (["  \(name), default \(setting.defaultText))"] + wrap(setting.help, indent: 6)).joined(separator: "\n")
    }

    /// Breaks a text into lines of at most `width` characters.
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
