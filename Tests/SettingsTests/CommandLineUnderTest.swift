// SPDX-License-Identifier: Apache-2.0

import EnvironmentFiles
import Settings
import Testing

/// Calls the command-line parser in the same way as the program, by default with a valid key.
enum CommandLineUnderTest {
    static let key = "0123456789abcdef"
    static let defaults = SystemDefaults(
        home: "/home/vibe", stateFolder: "/home/vibe/.local/state/viberemote-gateway", processors: 8)

    /// A file with the properties that the settings read.
    struct File: Sendable {
        var content: String
        var mode: UInt32 = 0o600
    }

    static func parse(
        _ arguments: [String], _ environment: [String: String] = ["VIBE_AUTH_SECRET": key],
        files: [String: File] = [:], defaults: SystemDefaults = defaults
    ) -> Command {
        Command.parse(
            arguments: arguments, environment: environment, defaults: defaults, files: settingFiles { files[$0] })
    }

    /// Returns files that exist only in the test. Their modes cause the same errors as in `PrivateFile`.
    static func settingFiles(_ find: @escaping @Sendable (String) -> File?) -> SettingFiles {
        SettingFiles { (path, audience) throws(PrivateFileError) in
            guard let file = find(path) else { throw PrivateFileError(.missing, "\(path) does not exist.") }
            guard file.mode != 0 else {
                throw PrivateFileError(.forbidden, "Cannot read \(path): Permission denied.")
            }
            if audience == .owner, file.mode & 0o077 != 0 { throw PrivateFileError(.open, "\(path) is open.") }
            if file.mode & 0o022 != 0 { throw PrivateFileError(.open, "\(path) can be changed by others.") }
            return Array(file.content.utf8)
        }
    }

    /// Returns the configuration of `serve` with these flags and with an environment that contains these variables and
    /// the key.
    static func serve(
        _ flags: [String] = [], _ environment: [String: String] = [:], files: [String: File] = [:],
        defaults: SystemDefaults = defaults
    ) throws -> Configuration {
        let environment = ["VIBE_AUTH_SECRET": key].merging(environment) { $1 }
        guard
            case .serve(let configuration, _) = parse(
                ["serve"] + flags, environment, files: files, defaults: defaults)
        else {
            Issue.record(
                "\(flags) \(environment) is refused: \(message(["serve"] + flags, environment, files: files))")
            throw CancellationError()
        }
        return configuration
    }

    /// Returns the error message for a rejected command line, or an empty text if the command line is accepted.
    static func message(
        _ arguments: [String], _ environment: [String: String] = ["VIBE_AUTH_SECRET": key], files: [String: File] = [:]
    ) -> String {
        guard case .usageError(let text) = parse(arguments, environment, files: files) else { return "" }
        return text
    }
}
