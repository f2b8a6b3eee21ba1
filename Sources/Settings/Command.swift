/// What the command line asks for.
package enum Command: Sendable {
    /// Run the gateway.
    case serve(Configuration)
    /// Print this text on stdout and end with exit code 0.
    case help(String)
    /// Print `GatewayVersion.line` on stdout and end with exit code 0.
    case version
    /// Print this text on stderr and end with `usageExitCode`.
    case usageError(String)

    /// The exit code after a command line or setting that can't be used.
    package static let usageExitCode: Int32 = 2

    /// Understands a command line. `arguments` come without the program's name. Reads nothing but what it is given.
    package static func parse(
        arguments: [String], environment: [String: String], defaults: SystemDefaults
    ) -> Command {
        guard let first = arguments.first else { return .usageError(HelpText.overview) }
        let rest = Array(arguments.dropFirst())
        switch first {
        case "serve": return serve(rest, environment, defaults)
        case "help", "--help", "-h": return help(rest)
        case "--version": return .version
        default: return .usageError(unknown(first))
        }
    }

    private static func serve(
        _ arguments: [String], _ environment: [String: String], _ defaults: SystemDefaults
    ) -> Command {
        do throws(SettingError) {
            switch try FlagSplitter(settings: Settings.table).split(arguments) {
            case .help: return .help(HelpText.serve)
            case .flags(let pairs):
                let flags = pairs.map { ($0.flag, $0.value) }
                return .serve(
                    try Settings.configuration(flags: flags, environment: environment, defaults: defaults))
            }
        } catch {
            return .usageError(error.description)
        }
    }

    private static func help(_ arguments: [String]) -> Command {
        switch arguments {
        case []: .help(HelpText.overview)
        case ["serve"]: .help(HelpText.serve)
        default: .usageError(unknown(arguments[0]))
        }
    }

    private static func unknown(_ word: String) -> String {
        let hint =
            NearestWord.find(word, among: ["serve", "help", "--help", "--version"]).map { "did you mean \($0)" }
            ?? "use serve, help, --help or --version"
        return "\(SettingError.quoted(word)) is no command of \(GatewayVersion.program): \(hint)."
    }
}
