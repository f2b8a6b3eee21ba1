// SPDX-License-Identifier: Apache-2.0

internal import Addresses
internal import OpenCodeFamilies

/// The command line with which all supervisors start OpenCode for a project.
enum InstanceCommand {
    /// Returns the words of the command line.
    ///
    /// A relative path of the program is resolved against `directory` instead of the project's folder. A name without a
    /// slash is searched for in the PATH.
    ///
    /// - Parameters:
    ///   - command: The program with its first arguments.
    ///   - directory: The working directory in which the calling program was started.
    static func words(_ command: [String], from directory: String) -> [String] {
        let program = command[0]
        let isRelative = program.contains("/") && !program.hasPrefix("/")
        // Pass flags and values as separate words, because some versions of OpenCode do not accept `--port=0`.
        return [isRelative ? "\(directory)/\(program)" : program] + command.dropFirst()
            + ["serve", "--port", "0", "--hostname", "127.0.0.1"]
    }
}

extension Announcement {
    /// The server's address; nil if the server announced a host on which it must not listen.
    var address: InstanceAddress? { isExpectedHost ? .loopback(port) : nil }
}
