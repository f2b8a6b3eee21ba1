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

    /// Returns a command's flags, each with its help text and its setting. A flag without a value has no setting.
    static func flags(of command: Subcommand) -> [(flag: String, help: String, setting: Setting?)] {
        command.settings.flatMap { setting in
            guard let flag = setting.flag else { return [(flag: String, help: String, setting: Setting?)]() }
            let off = setting.offFlag.map { [($0, "Same as \(flag)=off", nil as Setting?)] } ?? []
            return [(flag, firstSentence(setting.help), setting)] + off
        } + command.switches.map { ($0.flag, firstSentence($0.help), nil) } + [
            ("--help", "Print the command's help.", nil)
        ]
    }

    /// All flags that accept a value, without duplicates.
    static var valueFlags: [(flag: String, setting: Setting)] {
        Settings.table.compactMap { setting in setting.flag.map { ($0, setting) } }
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
