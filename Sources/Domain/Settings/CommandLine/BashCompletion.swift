// SPDX-License-Identifier: Apache-2.0

/// Generates the completion script for bash (bash(1), "Programmable Completion").
enum BashCompletion {
    static var text: String {
        """
        # Completions for bash: \(GatewayVersion.program) completion bash
        _viberemote_gateway() {
            local IFS=$'\\n' cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} flag="" line
            local -i index
            local -a given=()
            COMPREPLY=()
            # bash splits --flag=value at the equals sign.
            if [[ $cur == = ]]; then flag=$prev cur=""
            elif [[ $prev == = ]]; then flag=${COMP_WORDS[COMP_CWORD-2]}
            elif [[ $prev == --* ]]; then flag=$prev
            fi
            if ((COMP_CWORD == 1)); then
                _viberemote_gateway_words \(words(CompletionScript.commandNames + ["--help", "--version"]))
                return
            fi
            case $flag in
        \(valueCases)
            esac
            # The words after the command, without flags and their values.
            for ((index = 2; index < COMP_CWORD; index++)); do
                case ${COMP_WORDS[index]} in
                    \(CompletionScript.valueFlags.map(\.flag).joined(separator: "|")))
                        index+=1
                        [[ ${COMP_WORDS[index]} != = ]] || index+=1 ;;
                    -*) ;;
                    *) given+=("${COMP_WORDS[index]}") ;;
                esac
            done
            case ${COMP_WORDS[1]} in
        \(CompletionScript.commands.map(commandCase).joined(separator: "\n"))
            esac
        }
        # Offers the words that begin with the typed text. compgen -W would expand a project's name as the shell expands a command.
        _viberemote_gateway_words() {
            for line in "$@"; do
                printf -v line %q "$line"
                [[ $line == "$cur"* ]] && COMPREPLY+=("$line")
            done
        }
        # Offers the word after `project ACTION`.
        _viberemote_gateway_projects() {
            local -a names
            mapfile -t names < <("${COMP_WORDS[0]}" \(CompletionScript.projectNames))
            _viberemote_gateway_words "${names[@]}"
        }
        # Offers the word after `key ACTION`.
        _viberemote_gateway_keys() {
            local -a names
            mapfile -t names < <("${COMP_WORDS[0]}" \(CompletionScript.keyNames))
            _viberemote_gateway_words "${names[@]}"
        }
        # Offers the flags of `key ACTION`.
        _viberemote_gateway_key_flags() {
            case ${given[0]} in
        \(keyFlagCases)
            esac
        }
        complete -F _viberemote_gateway \(GatewayVersion.program)

        """
    }

    private static var keyFlagCases: String {
        let flags = CompletionScript.flags(of: .key)
        let cases = Subcommand.key.actions.map { action in
            let valid = flags.filter { $0.actions.isEmpty || $0.actions.contains(action.name) }
            return "        \(action.name)) _viberemote_gateway_words \(words(valid.map(\.flag))) ;;"
        }
        let others = "        *) _viberemote_gateway_words \(words(flags.map(\.flag))) ;;"
        return (cases + [others]).joined(separator: "\n")
    }

    private static var valueCases: String {
        CompletionScript.valueFlags.map { flag, hint in
            let reply =
                switch hint {
                case .none: "return"
                case .words(let list): "_viberemote_gateway_words \(words(list)); return"
                case .folder: "compopt -o filenames; COMPREPLY=($(compgen -d -- \"$cur\")); return"
                case .file: "compopt -o filenames; COMPREPLY=($(compgen -f -- \"$cur\")); return"
                }
            return "        \(flag)) \(reply) ;;"
        }.joined(separator: "\n")
    }

    private static func commandCase(_ command: Subcommand) -> String {
        let flags = CompletionScript.flags(of: command)
        let commandWords = CompletionScript.firstWords(of: command)
        let offerFlags = "_viberemote_gateway_words \(words(flags.map(\.flag)))"
        guard !commandWords.isEmpty else { return "        \(command.name)) \(offerFlags) ;;" }
        var lines = [
            "        \(command.name))", "            if [[ $cur == -* ]]; then \(offerFlags)",
            "            elif ((${#given[@]} == 0)); then _viberemote_gateway_words \(words(commandWords))",
        ]
        if command.name == "key" {
            lines[1] = "            if [[ $cur == -* ]]; then _viberemote_gateway_key_flags"
            lines.append(
                "            elif ((${#given[@]} == 1)) && [[ ${given[0]} =~ ^(\(CompletionScript.keyActions.joined(separator: "|")))$ ]]; "
                    + "then _viberemote_gateway_keys")
            return (lines + ["            else _viberemote_gateway_key_flags", "            fi ;;"])
                .joined(separator: "\n")
        }
        if command.name == "project" {
            lines.append(
                "            elif ((${#given[@]} == 1)) && [[ ${given[0]} != list ]]; then _viberemote_gateway_projects"
            )
        }
        return (lines + ["            else \(offerFlags)", "            fi ;;"]).joined(separator: "\n")
    }

    private static func words(_ list: [String]) -> String { list.joined(separator: " ") }
}
