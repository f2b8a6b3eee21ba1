// SPDX-License-Identifier: Apache-2.0

/// The action that a command line requests.
package enum Command: Sendable {
    /// Run the gateway. A reload uses the sources again.
    case serve(Configuration, SettingSources)
    /// Print the settings, and whether `serve` would work with them.
    case check(Resolution)
    /// Send a request to the running gateway.
    case project(ProjectRequest, ProjectOutput, Configuration)
    /// Manage the named keys, through the running gateway or in its database.
    case key(KeyRequest, isJSON: Bool, Configuration)
    /// Print a pairing code of the running gateway.
    case pair(PairRequest, isJSON: Bool, Configuration)
    /// Print entries of the audit log, from the running gateway or from its database.
    case audit(AuditRequest, isJSON: Bool, Configuration)
    /// Replace this process with the OpenCode server of a unit's instance.
    case exec(instance: String, Configuration)
    /// Report that the settings of `exec` are invalid. Print this text to stderr and exit with `misconfiguredExitCode`.
    case misconfigured(String)
    /// Print this text to stdout and exit with code 0.
    case print(String)
    /// Print this text to stderr and exit with `usageExitCode`.
    case usageError(String)

    /// The exit code after an invalid command line or setting.
    package static let usageExitCode: Int32 = 2
    /// The exit code of `exec` if another attempt would also fail (EX_CONFIG, sysexits.h).
    package static let misconfiguredExitCode: Int32 = 78

    /// Parses a command line without the program's name. The parser reads files only through `files`.
    package static func parse(
        arguments: [String], environment: [String: String], defaults: SystemDefaults, files: SettingFiles
    ) -> Command {
        guard let first = arguments.first else { return .usageError(HelpText.overview) }
        if first == "--help" || first == "-h" { return .print(HelpText.overview) }
        if first == "--version" { return .print(GatewayVersion.line) }
        guard let subcommand = Subcommand.named(first) else { return .usageError(unknown(first)) }
        do throws(SettingError) {
            let splitter = FlagSplitter(subcommand)
            let split: FlagSplitter.SplitArguments
            switch try splitter.split(Array(arguments.dropFirst())) {
            case .help(let words): return .print(HelpText.text(of: subcommand, action: words.first))
            case .arguments(let arguments): split = arguments
            }
            let sources = SettingSources(
                flags: split.flags, environment: environment, defaults: defaults, settings: subcommand.settings)
            return try command(subcommand, arguments: split, sources: sources, files: files)
        } catch {
            return .usageError(error.description)
        }
    }

    private static func command(
        _ subcommand: Subcommand, arguments: FlagSplitter.SplitArguments, sources: SettingSources, files: SettingFiles
    ) throws(SettingError) -> Command {
        switch subcommand.name {
        case "serve": return .serve(try sources.configuration(files), sources)
        case "check": return .check(sources.resolve(files))
        case "project": return try project(arguments, sources: sources, files: files)
        case "key":
            if arguments.words.first == "help" {
                return help([subcommand.name] + arguments.words.dropFirst())
            }
            let request = try KeyRequest(arguments.words, arguments.values, arguments.switches)
            return .key(request, isJSON: arguments.switches.contains("--json"), try sources.configuration(files))
        case "pair":
            let request = try PairRequest(arguments.values)
            return .pair(request, isJSON: arguments.switches.contains("--json"), try sources.configuration(files))
        case "audit":
            let request = try AuditRequest(arguments.values)
            return .audit(request, isJSON: arguments.switches.contains("--json"), try sources.configuration(files))
        case "exec": return try exec(arguments, sources: sources, files: files)
        case "completion": return .print(try CompletionScript.text(shell: arguments.words))
        case "man": return .print(ManualPage.text)
        default: return help(arguments.words)
        }
    }

    private static func project(
        _ arguments: FlagSplitter.SplitArguments, sources: SettingSources, files: SettingFiles
    ) throws(SettingError) -> Command {
        let request = try ProjectRequest(arguments.words)
        var output = ProjectOutput.table
        if arguments.switches.contains("--json") { output = .json }
        if arguments.switches.contains("--names") {
            guard request == .list, output == .table else {
                throw SettingError("--names is valid only for project list without --json: remove --names or --json.")
            }
            output = .names
        }
        return .project(request, output, try sources.configuration(files))
    }

    private static func exec(
        _ arguments: FlagSplitter.SplitArguments, sources: SettingSources, files: SettingFiles
    ) throws(SettingError) -> Command {
        guard arguments.words.count == 1, let instance = arguments.words.first, !instance.isEmpty else {
            throw SettingError("exec requires the instance name of the unit: write \(GatewayVersion.program) exec %i.")
        }
        do throws(SettingError) {
            return .exec(instance: instance, try sources.configuration(files))
        } catch {
            return .misconfigured(error.description)
        }
    }

    private static func help(_ words: [String]) -> Command {
        guard let word = words.first else { return .print(HelpText.overview) }
        guard let subcommand = Subcommand.named(word) else { return .usageError(unknown(word)) }
        let action = words.dropFirst().first
        if let action, !subcommand.actions.isEmpty, !subcommand.actions.contains(where: { $0.name == action }) {
            let hint = NearestWord.hint(
                action, among: subcommand.actions.map(\.name), else: "see `\(GatewayVersion.program) help \(word)`")
            return .usageError("\(SettingError.quoted(action)) is not an action of \(word): \(hint)")
        }
        return .print(HelpText.text(of: subcommand, action: action))
    }

    private static func unknown(_ word: String) -> String {
        let names = Subcommand.all.map(\.name)
        let hint = NearestWord.hint(
            word, among: names + ["--help", "--version"], else: "see `\(GatewayVersion.program) --help`")
        return "\(SettingError.quoted(word)) is not a command of \(GatewayVersion.program): \(hint)"
    }
}
