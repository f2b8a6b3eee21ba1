/// Splits arguments into flags and values: `--flag value`, `--flag=value`, `--` for the end of flags.
///
/// Written here rather than left to getopt_long(3): that one keeps its place in global variables, wants C strings that
/// live on, prints its own messages, and accepts any unambiguous beginning of a flag, so a later flag breaks old scripts.
struct FlagSplitter {
    /// What the arguments say.
    enum Outcome: Equatable {
        /// Somebody asked for help.
        case help
        /// Flags in the order in which they were given, each with its value.
        case flags([Pair])
    }

    /// A flag and its value.
    struct Pair: Equatable {
        let flag: String
        let value: String
    }

    let settings: [Setting]

    /// Splits the arguments behind the subcommand.
    func split(_ arguments: [String]) throws(SettingError) -> Outcome {
        var pairs: [Pair] = []
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--help" || argument == "-h" { return .help }
            if argument == "--" {
                guard let word = rest.popFirst() else { break }
                throw Self.unexpected(word)
            }
            guard argument.hasPrefix("-") else { throw Self.unexpected(argument) }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let flag = String(parts[0])
            let setting = try setting(of: flag)
            if parts.count == 2 {
                pairs.append(Pair(flag: flag, value: String(parts[1])))
            } else if let value = rest.first, !value.hasPrefix("--") {
                rest.removeFirst()
                pairs.append(Pair(flag: flag, value: value))
            } else {
                throw SettingError("\(flag) has no value: write \(flag) \(setting.placeholder).")
            }
        }
        return .flags(pairs)
    }

    /// The setting of a flag. Errors never show what stands behind a `=`: it could be a key.
    private func setting(of flag: String) throws(SettingError) -> Setting {
        if let setting = settings.first(where: { $0.flag == flag }) { return setting }
        if let secret = settings.first(where: { $0.isSecret && "--\($0.name)" == flag }) {
            throw SettingError(
                "\(flag) is no flag, because every local user can read command lines: set \(secret.environment) in the "
                    + "environment.")
        }
        let hint =
            NearestWord.find(flag, among: settings.compactMap(\.flag) + ["--help"]).map { "did you mean \($0)" }
            ?? "see `\(GatewayVersion.program) help serve`"
        throw SettingError("\(SettingError.quoted(flag)) is no flag of serve: \(hint).")
    }

    private static func unexpected(_ word: String) -> SettingError {
        SettingError(
            "\(SettingError.quoted(word)) is not expected: serve takes only flags, see `\(GatewayVersion.program) help "
                + "serve`.")
    }
}
