/// What the command line asks for.
package enum Command: Sendable {
    /// Run the gateway; the sources are for a reload.
    case serve(Configuration, SettingSources)
    /// Print this text on stdout and end with exit code 0.
    case print(String)
    /// Print this text on stderr and end with `usageExitCode`.
    case usageError(String)

    /// The exit code after a command line or setting that can't be used.
    package static let usageExitCode: Int32 = 2

    /// Understands a command line. `arguments` come without the program's name. Reads nothing but what it is given.
    package static func parse(
        arguments: [String], environment: [String: String], defaults: SystemDefaults, files: SettingFiles
    ) -> Command {
        guard let first = arguments.first else { return .usageError(HelpText.overview) }
        if first == "--help" || first == "-h" { return .print(HelpText.overview) }
        if first == "--version" { return .print(GatewayVersion.line) }
        guard let subcommand = Subcommand.named(first) else { return .usageError(unknown(first)) }
        do throws(SettingError) {
            let splitter = FlagSplitter(subcommand)
            guard case .given(let given) = try splitter.split(Array(arguments.dropFirst())) else {
                return .print(HelpText.text(of: subcommand))
            }
            let sources = SettingSources(
                flags: given.flags, environment: environment, defaults: defaults, settings: subcommand.settings)
            return try command(subcommand, given, sources, files)
        } catch {
            return .usageError(error.description)
        }
    }

    private static func command(
        _ subcommand: Subcommand, _ given: FlagSplitter.Given, _ sources: SettingSources, _ files: SettingFiles
    ) throws(SettingError) -> Command {
        switch subcommand.name {
        case "serve": return .serve(try sources.configuration(files), sources)
        case "completion": return .print(try CompletionScript.text(shell: given.words))
        case "man": return .print(ManualPage.text)
        default: return help(given.words)
        }
    }

    private static func help(_ words: [String]) -> Command {
        guard let word = words.first else { return .print(HelpText.overview) }
        guard let subcommand = Subcommand.named(word) else { return .usageError(unknown(word)) }
        return .print(HelpText.text(of: subcommand))
    }

    private static func unknown(_ word: String) -> String {
        let names = Subcommand.all.map(\.name)
        let hint =
            NearestWord.find(word, among: names + ["--help", "--version"]).map { "did you mean \($0)" }
            ?? "see `\(GatewayVersion.program) --help`"
        return "\(SettingError.quoted(word)) is no command of \(GatewayVersion.program): \(hint)."
    }
}
