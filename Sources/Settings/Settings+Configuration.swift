/// From flags, environment and defaults to a configuration.
extension Settings {
    /// Gives every setting its value: the flag's, else the environment's, else the default. An empty value in the
    /// environment counts as not set. Of a flag that was given twice the later one holds.
    package static func configuration(
        flags: [(flag: String, value: String)], environment: [String: String], defaults: SystemDefaults
    ) throws(SettingError) -> Configuration {
        var configuration = Configuration()
        for setting in table {
            if let flag = setting.flag, let given = flags.last(where: { $0.flag == flag }) {
                try setting.set(given.value, from: .flag(flag), in: &configuration)
            } else if let value = environment[setting.environment], !value.isEmpty {
                try setting.set(value, from: .environment(setting.environment), in: &configuration)
            } else {
                try applyDefault(of: setting, defaults, to: &configuration)
            }
        }
        configuration.notices = unknownNames(in: environment)
        return configuration
    }

    private static func applyDefault(
        of setting: Setting, _ defaults: SystemDefaults, to configuration: inout Configuration
    ) throws(SettingError) {
        switch setting.defaultValue {
        case .text(let text): try setting.set(text, from: .default, in: &configuration)
        case .system(_, let find): try setting.set(find(defaults), from: .default, in: &configuration)
        case .required(let fix):
            throw SettingError(
                source: setting.flag ?? setting.environment, value: nil, InvalidValue("is not set", fix: fix))
        }
    }

    /// A misspelt name would otherwise leave a setting at its default without a word.
    private static func unknownNames(in environment: [String: String]) -> [String] {
        let known = table.map(\.environment)
        return environment.keys.filter { $0.hasPrefix("VIBE_") && !known.contains($0) }.sorted().map { name in
            let hint = NearestWord.find(name, among: known).map { "; did you mean \($0)?" } ?? "."
            return "The environment's \(name) is no setting and has no effect\(hint)"
        }
    }
}
