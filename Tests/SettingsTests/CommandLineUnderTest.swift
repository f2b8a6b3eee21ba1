import Settings
import Testing

/// Calls the command-line parser as the program does, with a good key unless told otherwise.
enum CommandLineUnderTest {
    static let key = "0123456789abcdef"
    static let defaults = SystemDefaults(home: "/home/vibe", processors: 8)

    static func parse(
        _ arguments: [String], _ environment: [String: String] = ["VIBE_AUTH_SECRET": key],
        defaults: SystemDefaults = defaults
    ) -> Command {
        Command.parse(arguments: arguments, environment: environment, defaults: defaults)
    }

    /// The configuration of `serve` with those flags and, besides the key, that environment.
    static func serve(
        _ flags: [String] = [], _ environment: [String: String] = [:], defaults: SystemDefaults = defaults
    ) throws -> Configuration {
        let environment = ["VIBE_AUTH_SECRET": key].merging(environment) { $1 }
        guard case .serve(let configuration) = parse(["serve"] + flags, environment, defaults: defaults) else {
            Issue.record("\(flags) \(environment) is refused: \(message(["serve"] + flags, environment))")
            throw CancellationError()
        }
        return configuration
    }

    /// The sentence with which a command line is refused; empty where it is not.
    static func message(_ arguments: [String], _ environment: [String: String] = ["VIBE_AUTH_SECRET": key]) -> String {
        guard case .usageError(let text) = parse(arguments, environment) else { return "" }
        return text
    }
}
