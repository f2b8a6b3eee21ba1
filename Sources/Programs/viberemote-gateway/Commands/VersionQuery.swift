// SPDX-License-Identifier: Apache-2.0

internal import Supervisors
import Systemd

/// The query for the version of an OpenCode command. The command runs in the same way as for an instance, but with
/// `--version`.
enum VersionQuery {
    /// The result of the query.
    enum VersionResult: Sendable {
        /// The first line that the command printed.
        case version(String)
        /// The command ran but printed no version. The phrase states the reason.
        case silent(String)
        /// The command could not be run, for this reason.
        case absent(String)
    }

    /// Runs a command, which consists of the program and its first arguments, until it ends.
    static func run(_ words: [String]) throws(SystemdError) -> VersionResult {
        let variables = InstanceEnvironment(base: Environment.variables, files: [])
            .variables(credentials: nil, directory: "/")
        switch try CommandQuery.run(words + ["--version"], environment: variables) {
        case .output(let bytes):
            guard let line = bytes.split(separator: UInt8(ascii: "\n")).first else {
                return .silent("the command ended with \(ProcessExit.exited(0).description)")
            }
            return .version(String(decoding: line, as: UTF8.self))
        case .failed(let reason): return .silent(reason)
        case .absent(let reason): return .absent(reason)
        }
    }
}
