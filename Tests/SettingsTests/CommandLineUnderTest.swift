import EnvironmentFiles
import Settings
import Testing

/// Calls the command-line parser as the program does, with a good key unless told otherwise.
enum CommandLineUnderTest {
    static let key = "0123456789abcdef"
    static let defaults = SystemDefaults(
        home: "/home/vibe", stateFolder: "/home/vibe/.local/state/viberemote-gateway", processors: 8)

    /// A file as the settings find it.
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

    /// Files that exist in the test alone; what is wrong with their mode is what `PrivateFile` says.
    static func settingFiles(_ find: @escaping @Sendable (String) -> File?) -> SettingFiles {
        SettingFiles { (path, audience) throws(PrivateFileError) in
            guard let file = find(path) else { throw PrivateFileError(.missing, "\(path) does not exist.") }
            guard file.mode != 0 else {
                throw PrivateFileError(.forbidden, "\(path) can't be read: Permission denied.")
            }
            if audience == .owner, file.mode & 0o077 != 0 { throw PrivateFileError(.open, "\(path) is open.") }
            if file.mode & 0o022 != 0 { throw PrivateFileError(.open, "\(path) can be changed by others.") }
            return Array(file.content.utf8)
        }
    }

    /// The configuration of `serve` with those flags and, besides the key, that environment.
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

    /// The sentence with which a command line is refused; empty where it is not.
    static func message(
        _ arguments: [String], _ environment: [String: String] = ["VIBE_AUTH_SECRET": key], files: [String: File] = [:]
    ) -> String {
        guard case .usageError(let text) = parse(arguments, environment, files: files) else { return "" }
        return text
    }
}
