/// What differs between the versions of OpenCode that the simulator can play, as data.
struct Profile: Sendable {
    /// Where the password is looked for.
    enum Access: Sendable {
        /// Nowhere: it is ignored without a word.
        case ignored
        case authorization
        /// Also in the query's `auth_token`.
        case authorizationOrQuery
    }

    /// The HTTP framework behind it: how heads are made, and how errors are told.
    enum Framework: Sendable {
        case hono
        case effect
    }

    /// What `--version` and `/global/health` tell.
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
    /// Whether any directory's request finds any session by its id, and lists have the last changed first: 1.1.11 keeps
    /// files, the later ones a database.
    let sharesSessions: Bool
    /// Whether answers are compressed for clients that ask for it.
    let compresses: Bool
    /// Whether a terminal tells its cursor, and says goodbye when its shell has exited.
    let terminalsHaveCursors: Bool
    /// Whether an upgrade for a terminal that is not there gets no answer while no other request about a directory has come
    /// (1.18.34; measured).
    var hangsFirstUpgrade = false
    /// Whether the directory that a request names is made absolute and its symbolic links are followed (1.2.21 and later); else its
    /// text counts.
    var resolvesDirectories = true

    /// How the program starts.
    struct Start: Sendable {
        /// Whether a warning stands before the banner when no password is set.
        let warnsWithoutPassword: Bool
        /// What a user's first start prints on standard error.
        let firstRun: [String]
        /// What standard error has when a named port is taken.
        let portTaken: [String]
        /// A line of `--print-logs` as this version writes it, from its message; nil where it writes none.
        let logLine: @Sendable (_ message: String) -> String?
        /// What stands before the address in the line that tells the port.
        var banner = "opencode server listening on"
        var portChoice = PortChoice.first4096
        /// The variables that may hold the password; the first that is not empty counts.
        var passwordVariables = ["OPENCODE_SERVER_PASSWORD"]
        /// The variable that names the user; without one it is always `opencode`.
        var userVariable: String? = "OPENCODE_SERVER_USERNAME"
        /// Whether it makes a password where none is set, and prints it behind the banner.
        var makesPassword = false
        /// Whether it may listen on ::1, which its banner tells without brackets.
        var knowsIPv6 = false
        var termination = Termination.bySignal
    }

    /// Which port is taken when none is named, or 0 is.
    enum PortChoice: Sendable {
        /// 4096 in both cases, and any free one when that is taken.
        case first4096
        /// Without one 4096, 4097 and so on; any free one for 0.
        case counting
    }

    /// How events look as a whole.
    struct Events: Sendable {
        /// Whether the JSON of an event begins with its `id`.
        let haveIdentifiers: Bool
        /// Whether `/global/event` names the project, and repeats stored changes as `sync` events.
        let areSynchronized: Bool
        /// The fields of a stream's head; `Date` has its value filled in.
        let head: [String]
        /// What a directory's first turn announces, and what disposing of it does before it ends.
        let catalogue: [String]
        let disposal: [String]
    }

    /// All recorded versions; the newest is the default.
    static var all: [Profile] { [oldest, middle, newest] }

    /// The profile of a version, the default one for nil; nil for a version that is not known.
    static func chosen(_ version: String?) -> Profile? {
        guard let version else { return newest }
        return all.first { $0.version == version }
    }
}
