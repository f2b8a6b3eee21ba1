// SPDX-License-Identifier: Apache-2.0

/// Generates the scripts for shell completion from the tables of commands and settings.
enum CompletionScript {
    /// Returns the completion script for a shell.
    ///
    /// - Parameter words: The words after `completion`, which must be the name of one shell.
    static func text(shell words: [String]) throws(SettingError) -> String {
        let names = CompletionShell.allCases.map(\.rawValue)
        guard words.count == 1, let word = words.first else {
            throw SettingError(
                "completion requires the name of a shell: write \(GatewayVersion.program) completion bash.")
        }
        switch CompletionShell(rawValue: word) {
        case .bash: return BashCompletion.text
        case .zsh: return ZshCompletion.text
        case .fish: return FishCompletion.text
        case nil:
            let hint = NearestWord.hint(word, among: names, else: "use bash, zsh or fish")
            throw SettingError("\(SettingError.quoted(word)) is not a supported shell: \(hint)")
        }
    }

    /// The commands that a shell completes. Commands for systemd units are excluded.
    static var commands: [Subcommand] { Subcommand.all.filter { !$0.isForUnits } }

    /// A flag in a completion script.
    struct Flag {
        let flag: String
        let help: String
        /// The flag's value; nil if the flag has none.
        var value: (placeholder: String, hint: ValueHint)?
    }

    /// Returns a command's flags.
    static func flags(of command: Subcommand) -> [Flag] {
        command.settings.flatMap { setting in
            guard let flag = setting.flag else { return [Flag]() }
            let off = setting.offFlag.map { [Flag(flag: $0, help: "Same as \(flag)=off")] } ?? []
            return [
                Flag(flag: flag, help: firstSentence(setting.help), value: (setting.placeholder, setting.hint))
            ] + off
        }
            + command.valueFlags.map {
                Flag(flag: $0.flag, help: firstSentence($0.help), value: ($0.placeholder, $0.hint))
            } + command.switches.map { Flag(flag: $0.flag, help: firstSentence($0.help)) } + [
                Flag(flag: "--help", help: "Print the command's help.")
            ]
    }

    /// All flags that accept a value, without duplicates.
    static var valueFlags: [(flag: String, hint: ValueHint)] {
        var flags: Set<String> = []
        return
            (Settings.table.compactMap { setting in setting.flag.map { ($0, setting.hint) } }
            + commands.flatMap(\.valueFlags).map { ($0.flag, $0.hint) }).filter { flags.insert($0.0).inserted }
    }

    /// The command that prints the names of projects, one on each line.
    static let projectNames = "project list --names 2>/dev/null"

    /// The words that may follow `help`.
    static var commandNames: [String] { commands.map(\.name) }

    private static func firstSentence(_ text: String) -> String {
        let plain = text.replacing("`", with: "")
        return String(plain.split(separator: ". ", maxSplits: 1).first ?? "").trimmingFullStop
    }
}

extension String {
    fileprivate var trimmingFullStop: String { hasSuffix(".") ? String(dropLast()) : self }
}

/// A shell with a completion script.
enum CompletionShell: String, Sendable, CaseIterable {
    case bash, zsh, fish

    /// The commands that install the script.
    var installation: [String] {
        switch self {
        case .bash:
            [
                "folder=~/.local/share/bash-completion/completions; mkdir -p $folder",
                "viberemote-gateway completion bash > $folder/viberemote-gateway",
            ]
        case .zsh: ["viberemote-gateway completion zsh > ~/.zfunc/_viberemote-gateway"]
        case .fish:
            [
                "viberemote-gateway completion fish > ~/.config/fish/completions/viberemote-gateway.fish"
            ]
        }
    }
}
