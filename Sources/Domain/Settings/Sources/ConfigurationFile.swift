// SPDX-License-Identifier: Apache-2.0

internal import EnvironmentFiles

/// The optional file for settings that neither a flag nor the environment sets. The file has the syntax of systemd's
/// environment files. The names in the file are the settings' environment variables.
struct ConfigurationFile: Sendable, Equatable {
    /// The file's path below `~/.config` and `/etc`.
    static let name = "viberemote-gateway/config"
    /// The description of the default path in help.
    static let defaultText = "\(name) in ~/.config or /etc"

    /// The absolute path of the file.
    let path: String
    private let assignments: [String: EnvironmentFile.Assignment]

    /// Returns the value of a name and the value's origin; nil if the name is missing or its value is empty.
    func value(of name: String) -> (text: String, origin: SettingOrigin)? {
        guard let assignment = assignments[name], !assignment.value.isEmpty else { return nil }
        return (assignment.value, .file(path: path, line: assignment.line, name: name))
    }

    /// Returns the paths at which the gateway looks for a file. The gateway uses the first existing file (XDG Base
    /// Directory Specification).
    static func candidates(_ environment: [String: String], _ defaults: SystemDefaults) -> [String] {
        let configHome = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        return [(configHome ?? "\(defaults.home)/.config") + "/\(name)", "/etc/\(name)"]
    }

    /// Reads and checks a file. A file that contains a secret must be accessible only to its owner.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - errors: Receives all problems with the file.
    init(
        reading path: String, _ files: SettingFiles, errors: inout [SettingError]
    ) throws(PrivateFileError) {
        let file = try Self.parse(path, for: .everybody, files: files, errors: &errors)
        let secrets = Settings.table.filter(\.isSecret).map(\.environment)
        let hasSecret = file?.assignments.contains { secrets.contains($0.name) } ?? false
        // Read the file again with the owner check, so that the values in use come from a file that passed this check.
        let checked = hasSecret ? try Self.parse(path, for: .owner, files: files, errors: &errors) : file
        self.path = path
        assignments = Dictionary((checked?.assignments ?? []).map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        errors += (checked?.ignoredLines ?? []).map { SettingError($0.description) }
        errors += (checked?.assignments ?? []).compactMap { Self.problem(of: $0, path) }
        errors += Self.repetitions(in: checked?.assignments ?? [], path)
    }

    private static func parse(
        _ path: String, for audience: PrivateFile.Audience, files: SettingFiles, errors: inout [SettingError]
    ) throws(PrivateFileError) -> EnvironmentFile? {
        let bytes = try files.read(path, audience)
        do throws(EnvironmentFileProblem) {
            return try EnvironmentFile(parsing: bytes, path: path)
        } catch {
            errors.append(SettingError(error.description))
            return nil
        }
    }

    /// Returns errors about names that are set twice. Without these errors, the last line would take precedence, and a
    /// change of the first line would have no effect.
    private static func repetitions(in assignments: [EnvironmentFile.Assignment], _ path: String) -> [SettingError] {
        var lines: [String: Int] = [:]
        return assignments.compactMap { assignment in
            guard let first = lines[assignment.name] else {
                lines[assignment.name] = assignment.line
                return nil
            }
            return SettingError(
                "\(path), line \(assignment.line): \(assignment.name) is already set on line \(first): remove one of the two lines."
            )
        }
    }

    /// Returns an error about a name that the file must not contain. Without this error, a misspelt name would silently
    /// leave a setting at its default.
    private static func problem(of assignment: EnvironmentFile.Assignment, _ path: String) -> SettingError? {
        let location = "\(path), line \(assignment.line)"
        guard let setting = Settings.table.first(where: { $0.environment == assignment.name }) else {
            if Settings.retired.contains(where: { $0.environment == assignment.name }) { return nil }
            let known = Settings.table.filter(\.isReadFromFile).map(\.environment)
            let hint = NearestWord.hint(
                assignment.name, among: known, else: "see `\(GatewayVersion.program) help serve`")
            return SettingError("\(location): \(SettingError.quoted(assignment.name)) is not a setting: \(hint)")
        }
        guard !setting.isReadFromFile else { return nil }
        return SettingError(
            "\(location): \(setting.environment) cannot be set in the configuration file itself: use the environment or "
                + "--\(setting.name).")
    }
}
