// SPDX-License-Identifier: Apache-2.0

internal import EnvironmentFiles

/// The sources of all settings, which a reload reads again. A flag overrides the environment, the environment overrides
/// the configuration file, and the file overrides the default.
package struct SettingSources: Sendable {
    private let flags: [FlagValue]
    private let environment: [String: String]
    private let defaults: SystemDefaults
    /// The settings that the command uses. Other settings are neither read nor checked.
    private let settings: [Setting]

    init(
        flags: [FlagValue], environment: [String: String], defaults: SystemDefaults,
        settings: [Setting] = Settings.table
    ) {
        self.flags = flags
        self.environment = environment
        self.defaults = defaults
        self.settings = settings
    }

    /// Reads the files and returns a configuration with a value for every setting. Throws the first error.
    package func configuration(_ files: SettingFiles) throws(SettingError) -> Configuration {
        let resolution = resolve(files)
        if let error = resolution.errors.first { throw error }
        return resolution.configuration
    }

    /// Reads the files and returns a configuration with a value for every setting, together with all errors. An invalid
    /// setting has its default value.
    ///
    /// An empty value in the environment or the file counts as unset. If a flag occurs twice, the last occurrence takes
    /// precedence.
    package func resolve(_ files: SettingFiles) -> Resolution {
        var resolution = Resolution(configuration: Configuration(), errors: [])
        let file = configurationFile(files, &resolution)
        var wrong: Set<String> = []
        for setting in settings {
            let values = allValues(setting, file)
            resolution.overridden += Self.wrongWithoutEffect(values, of: setting)
            if let (text, origin) = values.first {
                do throws(SettingError) {
                    try setting.set(text, from: origin, in: &resolution.configuration)
                    continue
                } catch {
                    resolution.errors.append(error)
                    wrong.insert(setting.name)
                }
            }
            applyDefault(of: setting, &resolution)
        }
        resolution.errors += resolution.configuration.contradictions(leavingOut: wrong)
        resolution.configuration.configurationFile = file?.path
        readKeys(files, file: file, into: &resolution)
        resolution.configuration.notices +=
            Self.unknownNames(in: environment) + retired(file) + resolution.configuration.cautions
        return resolution
    }

    private typealias SourceValue = (text: String, origin: SettingOrigin)

    /// Returns all values of a setting, from the flag, the environment and the file. The value in use is first.
    private func allValues(_ setting: Setting, _ file: ConfigurationFile?) -> [SourceValue] {
        var all: [SourceValue] = []
        if let flag = setting.flag, let pair = flags.last(where: { $0.flag == flag }) {
            all.append((pair.value, .flag(flag)))
        }
        if let value = environment[setting.environment], !value.isEmpty {
            all.append((value, .environment(setting.environment)))
        }
        if let value = file?.value(of: setting.environment) { all.append(value) }
        return all
    }

    /// Returns the value of a setting from a flag, the environment or the file; nil if there is none.
    private func value(_ setting: Setting, _ file: ConfigurationFile?) -> SourceValue? {
        allValues(setting, file).first
    }

    /// Returns the errors in values that another source overrides. The errors would become effective if the
    /// overriding source were removed.
    private static func wrongWithoutEffect(_ values: [SourceValue], of setting: Setting) -> [String] {
        guard let (_, holding) = values.first else { return [] }
        return values.dropFirst().compactMap { text, origin in
            var scratch = Configuration()
            do throws(SettingError) {
                try setting.set(text, from: origin, in: &scratch)
                return nil
            } catch {
                return "\(error) It has no effect, because \(setting.source(holding)) overrides it."
            }
        }
    }

    /// Returns a message for each retired setting that is still in use.
    private func retired(_ file: ConfigurationFile?) -> [String] {
        Settings.retired(beside: settings).compactMap { retired in
            if flags.contains(where: { $0.flag == retired.flag }) { return retired.notice(retired.flag) }
            if environment[retired.environment]?.isEmpty == false { return retired.notice(retired.environment) }
            guard case .file(let path, let line, let name) = file?.value(of: retired.environment)?.origin else {
                return nil
            }
            return retired.notice("\(path), line \(line): \(name)")
        }
    }

    private func applyDefault(of setting: Setting, _ resolution: inout Resolution) {
        let text: String
        switch setting.defaultValue {
        case .text(let fixed): text = fixed
        case .system(_, let find): text = find(defaults)
        case .unset: return
        }
        do throws(SettingError) {
            try setting.set(text, from: .default, in: &resolution.configuration)
        } catch {
            resolution.errors.append(error)
        }
    }

    /// Returns the configuration file that the settings name. Without such a setting, returns the first existing file
    /// at the usual paths.
    private func configurationFile(_ files: SettingFiles, _ resolution: inout Resolution) -> ConfigurationFile? {
        guard let setting = settings.first(where: { !$0.isReadFromFile }) else { return nil }
        guard let (text, origin) = value(setting, nil) else {
            return usualFile(files, &resolution)
        }
        do throws(SettingError) {
            try setting.set(text, from: origin, in: &resolution.configuration)
        } catch {
            // Ignore the error here, because `resolve` applies this setting again and then reports the error.
            return nil
        }
        guard let path = resolution.configuration.configurationFile else { return nil }
        do throws(PrivateFileError) {
            return try ConfigurationFile(reading: path, files, errors: &resolution.errors)
        } catch {
            resolution.errors.append(SettingError("\(setting.source(origin)): \(error.description)"))
            return nil
        }
    }

    private func usualFile(_ files: SettingFiles, _ resolution: inout Resolution) -> ConfigurationFile? {
        for path in ConfigurationFile.candidates(environment, defaults) {
            do throws(PrivateFileError) {
                return try ConfigurationFile(reading: path, files, errors: &resolution.errors)
            } catch {
                switch error.kind {
                case .missing: continue
                // The file probably belongs to another user's gateway or to the system's gateway, so ignore it.
                case .forbidden:
                    resolution.configuration.notices.append("\(error.description) The file has no effect.")
                case .open, .unusable:
                    resolution.errors.append(SettingError(error.description))
                    return nil
                }
            }
        }
        return nil
    }

    /// Collects the keys from `VIBE_AUTH_SECRET` and from the key file. The gateway accepts all of these keys.
    private func readKeys(_ files: SettingFiles, file: ConfigurationFile?, into resolution: inout Resolution) {
        guard let secret = settings.first(where: \.isSecret) else { return }
        if let key = resolution.configuration.authSecret {
            resolution.configuration.keys.append(NamedKey(name: secret.environment, secret: key))
        }
        if let path = resolution.configuration.keyFile {
            do throws(SettingError) {
                resolution.configuration.keys += try keys(in: path, files, resolution.configuration)
            } catch {
                resolution.errors.append(error)
            }
        } else if !isKeySet(file) {
            resolution.errors.append(
                SettingError(source: secret.environment, value: nil, InvalidValue("is not set", fix: KeyPolicy.fix)))
        }
    }

    /// Returns whether a setting provides a key, even an invalid one.
    private func isKeySet(_ file: ConfigurationFile?) -> Bool {
        settings.contains { ($0.isSecret || $0.name == Self.keyFileName) && value($0, file) != nil }
    }

    private static let keyFileName = "key-file"

    private func keys(
        in path: String, _ files: SettingFiles, _ configuration: Configuration
    ) throws(SettingError) -> [NamedKey] {
        let bytes: [UInt8]
        do throws(PrivateFileError) {
            bytes = try files.read(path, .owner)
        } catch {
            let setting = settings.first { $0.name == Self.keyFileName }
            let source = setting.map { "\($0.source(configuration.origin(of: $0))): " } ?? ""
            throw SettingError(source + error.description)
        }
        return try KeyFile.parse(bytes, path: path)
    }

    /// Returns notices about unknown names in the environment. Without these notices, a misspelt name would silently
    /// leave a setting at its default.
    private static func unknownNames(in environment: [String: String]) -> [String] {
        let known = Settings.table.map(\.environment)
        let retired = Settings.retired.map(\.environment)
        let unknown = environment.keys.filter { $0.hasPrefix("VIBE_") && !known.contains($0) && !retired.contains($0) }
        return unknown.sorted().map { name in
            let hint = NearestWord.find(name, among: known).map { "; did you mean \($0)?" } ?? "."
            return "\(name) in the environment is not a setting and has no effect\(hint)"
        }
    }
}

/// A configuration, and the errors in the values from which it was created.
package struct Resolution: Sendable {
    /// The configuration. An invalid setting has its default value.
    package internal(set) var configuration: Configuration
    /// The errors, one sentence each.
    package internal(set) var errors: [SettingError]
    /// Messages about invalid values that another source overrides.
    package internal(set) var overridden: [String] = []
}

/// A command-line flag with its value.
struct FlagValue: Equatable {
    let flag: String
    let value: String
}
