// SPDX-License-Identifier: Apache-2.0

/// Splits a command's arguments into flags with values, switches and words. The accepted forms are `--flag value`,
/// `--flag=value`, `--switch`, and `--` as the end of the flags.
///
/// `FlagSplitter` does not use getopt_long(3), because getopt_long(3) keeps its position in global variables, needs
/// permanent C strings, and prints its own messages. getopt_long(3) also accepts any unambiguous prefix of a flag, so a
/// new flag could break existing scripts.
struct FlagSplitter {
    /// The result of splitting the arguments.
    enum SplitResult: Equatable {
        /// The arguments contain a request for help after these words.
        case help(words: [String])
        /// The arguments contain no request for help.
        case arguments(SplitArguments)
    }

    /// The arguments by kind. Arguments of the same kind have the order of the command line.
    struct SplitArguments: Equatable {
        var flags: [FlagValue] = []
        var switches: [String] = []
        /// The values of flags that are not settings.
        var values: [FlagValue] = []
        var words: [String] = []
    }

    private let command: Subcommand

    init(_ command: Subcommand) { self.command = command }

    /// Splits the arguments after the command's name.
    func split(_ arguments: [String]) throws(SettingError) -> SplitResult {
        var result = SplitArguments()
        var remaining = arguments[...]
        while let argument = remaining.popFirst() {
            if argument == "--help" || argument == "-h" { return .help(words: result.words) }
            if argument == "--" {
                for word in remaining { try append(word, to: &result) }
                break
            }
            guard argument.hasPrefix("-") else {
                try append(argument, to: &result)
                continue
            }
            if command.switches.contains(where: { $0.flag == argument }) {
                result.switches.append(argument)
                continue
            }
            if let flag = switchedOff(by: argument) {
                result.flags.append(FlagValue(flag: flag, value: "off"))
                continue
            }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let flag = String(parts[0])
            let placeholder = try placeholder(of: flag)
            let value: String
            if parts.count == 2 {
                value = String(parts[1])
            } else if let next = remaining.first, !next.hasPrefix("--") {
                remaining.removeFirst()
                value = next
            } else {
                throw SettingError("\(flag) has no value: write \(flag) \(placeholder).")
            }
            if command.valueFlags.contains(where: { $0.flag == flag }) {
                result.values.append(FlagValue(flag: flag, value: value))
            } else {
                result.flags.append(FlagValue(flag: flag, value: value))
            }
        }
        return .arguments(result)
    }

    /// Returns the flag of the setting that an argument such as `--no-directory-pinning` turns off.
    private func switchedOff(by argument: String) -> String? {
        guard argument.hasPrefix("--no-") else { return nil }
        return command.settings.first { $0.offFlag == argument }?.flag
    }

    /// Returns the placeholder of a flag's value. Error messages omit the text after `=`, because it can be a key.
    private func placeholder(of flag: String) throws(SettingError) -> String {
        if let setting = command.settings.first(where: { $0.flag == flag }) { return setting.placeholder }
        if let valueFlag = command.valueFlags.first(where: { $0.flag == flag }) { return valueFlag.placeholder }
        if Settings.retired(beside: command.settings).contains(where: { $0.flag == flag }) { return "VALUE" }
        if let secret = Settings.table.first(where: { $0.isSecret && "--\($0.name)" == flag }) {
            throw SettingError(
                "\(flag) is not a flag, because every local user can read command lines: set \(secret.environment) in the "
                    + "environment, or use --key-file.")
        }
        if command.switches.contains(where: { $0.flag == flag }) {
            throw SettingError("\(flag) does not accept a value: write \(flag) alone.")
        }
        if let setting = command.settings.first(where: { $0.offFlag == flag }), let onFlag = setting.flag {
            throw SettingError(
                "\(flag) does not accept a value: write \(flag) alone, or \(onFlag)=on or \(onFlag)=off.")
        }
        let known =
            command.settings.flatMap { [$0.flag, $0.offFlag].compactMap(\.self) } + command.switches.map(\.flag)
            + command.valueFlags.map(\.flag) + ["--help"]
        let hint = NearestWord.hint(
            flag, among: known, else: "see `\(GatewayVersion.program) help \(command.name)`")
        throw SettingError("\(SettingError.quoted(flag)) is not a flag of \(command.name): \(hint)")
    }

    private func append(_ word: String, to result: inout SplitArguments) throws(SettingError) {
        guard command.acceptsWords else {
            throw SettingError(
                "\(SettingError.quoted(word)) is not expected: \(command.name) accepts only flags, see "
                    + "`\(GatewayVersion.program) help \(command.name)`.")
        }
        result.words.append(word)
    }
}
