// SPDX-License-Identifier: Apache-2.0

/// Generates the completion script for fish (fish's manual, command `complete`).
enum FishCompletion {
    static var text: String {
        let commands = CompletionScript.commands
        let lines =
            ["# Completions for fish: \(GatewayVersion.program) completion fish", "\(complete) -f"]
            + commands.map { "\(complete) -n __fish_use_subcommand -a \($0.name) -d \(quoted($0.summary))" }
            + ["\(complete) -n __fish_use_subcommand -l version -d 'print the version'"]
            + commands.flatMap(flags) + commands.compactMap(words)
            + [
                "\(complete) -n '__fish_seen_subcommand_from project; and __fish_seen_subcommand_from start stop status' "
                    + "-a '(\(GatewayVersion.program) \(CompletionScript.projectNames))'",
                "\(complete) -n '__fish_seen_subcommand_from key; and __fish_seen_subcommand_from "
                    + "\(CompletionScript.keyActions.joined(separator: " "))' "
                    + "-a '(\(GatewayVersion.program) \(CompletionScript.keyNames))'",
            ]
        return lines.joined(separator: "\n") + "\n"
    }

    private static let complete = "complete -c \(GatewayVersion.program)"

    private static func flags(_ command: Subcommand) -> [String] {
        CompletionScript.flags(of: command).map { flag in
            let action =
                flag.actions.isEmpty
                ? "" : "; and __fish_seen_subcommand_from \(flag.actions.joined(separator: " "))"
            let line =
                "\(complete) -n '__fish_seen_subcommand_from \(command.name)\(action)' -l \(flag.flag.dropFirst(2)) "
                + "-d \(quoted(flag.help))"
            guard let value = flag.value else { return line }
            switch value.hint {
            case .none: return line + " -x"
            case .words(let words): return line + " -x -a \(quoted(words.joined(separator: " ")))"
            case .folder: return line + " -x -a '(__fish_complete_directories)'"
            case .file: return line + " -r -F"
            }
        }
    }

    private static func words(_ command: Subcommand) -> String? {
        let words = CompletionScript.firstWords(of: command)
        guard !words.isEmpty else { return nil }
        let list = words.joined(separator: " ")
        return
            "\(complete) -n '__fish_seen_subcommand_from \(command.name); and not __fish_seen_subcommand_from \(list)' "
            + "-a \(quoted(list))"
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }
}
