// SPDX-License-Identifier: Apache-2.0

/// The differences between the versions of OpenCode that the simulator can simulate, as data.
struct Profile: Sendable {
    /// The places where the server looks for the password.
    enum Access: Sendable {
        /// The server silently ignores the password.
        case ignored
        case authorization
        /// The server looks in the header field and in the query's `auth_token`.
        case authorizationOrQuery
    }

    /// The HTTP framework, which determines the form of heads and of errors.
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
    /// Whether a request for any directory finds any session by its id, and lists begin with the last changed session.
    /// 1.1.11 stores files, and the later versions use a database.
    let sharesSessions: Bool
    /// Whether responses are compressed for clients that accept it.
    let compresses: Bool
    /// Whether a terminal sends its cursor, and a close frame when its shell has exited.
    let terminalsHaveCursors: Bool
    /// Whether an upgrade for a terminal that does not exist receives no response until another request about a
    /// directory has arrived (1.18.34, measured).
    var hangsFirstUpgrade = false
    /// Whether the directory of a request is made absolute and its symbolic links are followed (1.2.21 and later).
    /// Otherwise its text is used unchanged.
    var resolvesDirectories = true

    /// The program's behaviour at its start.
    struct Start: Sendable {
        /// Whether a warning precedes the banner if no password is set.
        let warnsWithoutPassword: Bool
        /// The output on standard error of a user's first start.
        let firstRun: [String]
        /// The output on standard error if a named port is in use.
        let portTaken: [String]
        /// Returns a line of `--print-logs` in this version's form; nil if the version writes none.
        let logLine: @Sendable (_ message: String) -> String?
        /// The text before the address in the line with the port.
        var banner = "opencode server listening on"
        var portChoice = PortChoice.first4096
        /// The variables that may contain the password. The first variable that is not empty counts.
        var passwordVariables = ["OPENCODE_SERVER_PASSWORD"]
        /// The variable that names the user. Without such a variable, the user is always `opencode`.
        var userVariable: String? = "OPENCODE_SERVER_USERNAME"
        /// Whether the server generates a password if none is set, and prints it after the banner.
        var makesPassword = false
        /// Whether the server can listen on ::1. Its banner shows this address without brackets.
        var knowsIPv6 = false
        var termination = Termination.bySignal
    }

    /// The port that is used if none is named, or if 0 is named.
    enum PortChoice: Sendable {
        /// Port 4096 in both cases, or any free port if port 4096 is in use.
        case first4096
        /// Port 4096, 4097 and so on if none is named, and any free port for 0.
        case counting
    }

    /// The general form of events.
    struct Events: Sendable {
        /// Whether the JSON of an event begins with its `id`.
        let haveIdentifiers: Bool
        /// Whether `/global/event` names the project, and repeats stored changes as `sync` events.
        let areSynchronized: Bool
        /// The header fields of a stream; the value of `Date` is filled in.
        let head: [String]
        /// The events of a directory's first turn, and the events that precede the end of a disposal.
        let catalogue: [String]
        let disposal: [String]
    }

    /// All recorded versions of OpenCode 1. The newest is the default.
    static var all: [Profile] { [oldest, middle, newest] }

    /// Returns the profile of a version. Returns the default profile for nil, and nil for an unknown version.
    static func chosen(_ version: String?) -> Profile? {
        guard let version else { return newest }
        return all.first { $0.version == version }
    }
}
