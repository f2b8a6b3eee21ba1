// SPDX-License-Identifier: Apache-2.0

/// Generates the completion script for zsh (zshcompsys(1)).
enum ZshCompletion {
    static var text: String {
        """
        #compdef \(GatewayVersion.program)
        # Completions for zsh: \(GatewayVersion.program) completion zsh
        _viberemote-gateway_projects() {
            local -a names
            names=(${(f)"$(\(GatewayVersion.program) \(CompletionScript.projectNames))"})
            compadd -a names
        }
        _viberemote-gateway_keys() {
            local -a names
            [[ $words[2] == (\(CompletionScript.keyActions.joined(separator: "|"))) ]] || return
            names=(${(f)"$(\(GatewayVersion.program) \(CompletionScript.keyNames))"})
            compadd -a names
        }
        _viberemote-gateway() {
            if (( CURRENT == 2 )); then
                local -a commands
                commands=(
        \(commandList)
                )
                _describe command commands
                return
            fi
            local command=$words[2]
            shift words
            (( CURRENT-- ))
            case $command in
        \(CompletionScript.commands.map(commandCase).joined(separator: "\n"))
            esac
        }
        # zsh loads this file from $fpath, or `source` reads it.
        if [[ $funcstack[1] == _viberemote-gateway ]]; then
            _viberemote-gateway "$@"
        else
            compdef _viberemote-gateway \(GatewayVersion.program)
        fi

        """
    }

    private static var commandList: String {
        CompletionScript.commands.map { "            " + quoted("\(escaped($0.name)):\($0.summary)") }
            .joined(separator: "\n")
    }

    private static func commandCase(_ command: Subcommand) -> String {
        var specifications = CompletionScript.flags(of: command).map { flag in
            guard let value = flag.value else { return quoted("\(flag.flag)[\(escaped(flag.help))]") }
            return quoted(
                "\(flag.flag)=[\(escaped(flag.help))]:\(escaped(value.placeholder)):\(action(value.hint))")
        }
        let words = CompletionScript.firstWords(of: command)
        if !words.isEmpty { specifications.append(quoted("1:word:(\(words.joined(separator: " ")))")) }
        if command.name == "project" { specifications.append(quoted("2:name:_viberemote-gateway_projects")) }
        if command.name == "key" { specifications.append(quoted("2:key:_viberemote-gateway_keys")) }
        let lines = specifications.map { "                \($0)" }.joined(separator: " \\\n")
        return "        \(command.name)) _arguments \\\n\(lines) ;;"
    }

    private static func action(_ hint: ValueHint) -> String {
        switch hint {
        case .none: ""
        case .words(let words): "(\(words.joined(separator: " ")))"
        case .folder: "_directories"
        case .file: "_files"
        }
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing(":", with: "\\:").replacing("[", with: "\\[")
            .replacing("]", with: "\\]")
    }

    private static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }
}
