internal import Addresses
internal import OpenCode

/// How OpenCode is called to serve a project, whoever calls it.
enum InstanceCommand {
    /// The words of the call: `command` is the program with its first arguments.
    ///
    /// A relative path is meant from `directory`, where the caller was started, and not from the project's folder; a bare
    /// name is looked for on the PATH.
    static func words(_ command: [String], from directory: String) -> [String] {
        let program = command[0]
        let isRelative = program.contains("/") && !program.hasPrefix("/")
        // Flag and value apart: OpenCode does not know the other form (`--port=0`) at every version.
        return [isRelative ? "\(directory)/\(program)" : program] + command.dropFirst()
            + ["serve", "--port", "0", "--hostname", "127.0.0.1"]
    }
}

extension Announcement {
    /// Where the server is to be asked; nil where it was not told to listen.
    var address: InstanceAddress? { isExpectedHost ? .loopback(port) : nil }
}
