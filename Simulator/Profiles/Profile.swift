// SPDX-License-Identifier: Apache-2.0

/// The properties in which the simulated versions of OpenCode 1 differ.
struct Profile: Sendable {
    /// The places where the server accepts the password.
    enum Access: Sendable {
        /// The server silently ignores the password.
        case ignored
        case authorization
        /// The server accepts the password in the header field and in the query's `auth_token`.
        case authorizationOrQuery
    }

    /// The HTTP framework, which determines the format of heads and errors.
    enum Framework: Sendable {
        case hono
        case effect
    }

    /// The version in `--version` and `/global/health`.
    let version: String
    let start: Start
    let framework: Framework
    let access: Access
    /// The time between two heartbeats of an event stream.
    let heartbeat: Duration
    let events: Events
    let turns: Turns
    let refusals: Refusals
    let layouts: Layouts
    /// Whether a request for any directory can name any session by its id, and whether lists begin with the session
    /// that was changed last. The value is false for 1.1.11, which stores sessions in files. Later versions use a
    /// database.
    let sharesSessions: Bool
    /// Whether responses are compressed for clients that accept compression.
    let compresses: Bool
    /// Whether a terminal sends its cursor, and a close frame when its shell has exited.
    let terminalsHaveCursors: Bool
    /// Whether an upgrade for a missing terminal receives no response if it is the first request about a directory
    /// (measured with 1.18.34).
    var hangsFirstUpgrade = false
    /// Whether the server makes a request's directory absolute and follows its symbolic links (1.2.21 and later).
    /// Earlier versions use the directory unchanged.
    var resolvesDirectories = true

    /// The program's behaviour at its start.
    struct Start: Sendable {
        /// Whether a warning precedes the banner if no password is set.
        let warnsWithoutPassword: Bool
        /// The output on standard error at a user's first start.
        let firstRun: [String]
        /// The output on standard error if a named port is in use.
        let portTaken: [String]
        /// Returns a line of `--print-logs` in this version's format; nil if the version writes no such line.
        let logLine: @Sendable (_ message: String) -> String?
        /// The text before the address in the banner.
        var banner = "opencode server listening on"
        var portChoice = PortChoice.first4096
        /// The environment variables that may contain the password. The server uses the first variable that is not
        /// empty.
        var passwordVariables = ["OPENCODE_SERVER_PASSWORD"]
        /// The environment variable that contains the user name. Without such a variable, the user name is always
        /// `opencode`.
        var userVariable: String? = "OPENCODE_SERVER_USERNAME"
        /// Whether the server generates a password if none is set, and prints the password after the banner.
        var makesPassword = false
        /// Whether the server can listen on ::1. The banner shows this address without brackets.
        var knowsIPv6 = false
        var termination = Termination.bySignal
    }

    /// The port that the server uses if the command line names no port or port 0.
    enum PortChoice: Sendable {
        /// Port 4096 in both cases, or any free port if port 4096 is in use.
        case first4096
        /// If no port is named, the first free port from 4096 on. For port 0, any free port.
        case counting
    }

    /// The general format of events.
    struct Events: Sendable {
        /// Whether the JSON of an event begins with its `id`.
        let haveIdentifiers: Bool
        /// Whether `/global/event` names the project, and repeats stored changes as `sync` events.
        let areSynchronized: Bool
        /// The header fields of a stream. The simulator adds the value of `Date`.
        let head: [String]
        /// The events of a directory's first turn.
        let catalogue: [String]
        /// The events that precede the end of a disposal.
        let disposal: [String]
    }

    /// All recorded versions of OpenCode 1. The newest is the default.
    static var all: [Profile] { [oldest, middle, newest] }

    /// Returns the profile of a version; nil if the version is unknown. If `version` is nil, returns the default
    /// profile.
    static func chosen(_ version: String?) -> Profile? {
        guard let version else { return newest }
        return all.first { $0.version == version }
    }
}
