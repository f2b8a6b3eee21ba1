internal import OpenCode

/// The sentences about instances, those of the wire contract first of all.
package enum InstanceMessage {
    /// 404 of start, stop and status.
    package static func projectNotFound(_ name: String) -> String { "Project not found: \(name)" }

    /// 503 of a request to an instance that does not run.
    package static func notRunning(_ name: String) -> String {
        "OpenCode instance for \(name) is not running. Start it first."
    }

    /// 503 of a request to an instance that is on its way to being ready.
    package static func notReady(_ name: String, _ state: InstanceState) -> String {
        let what =
            if case .restarting = state { "has ended by itself and is started again" } else { "is still starting" }
        return "OpenCode instance for \(name) \(what) (\(state.name)). Try again in a moment."
    }

    /// 503 of a request whose instance was ended before it had answered; by whom.
    package static func ended(_ name: String, by ender: InstanceEnder) -> String {
        let what =
            switch ender {
            case .request: "was stopped through the gateway before it had answered."
            case .gateway(let reason): "is ended by the gateway before it has answered: \(reason)"
            case .outside: "was stopped by its service manager, not by the gateway, before it had answered."
            }
        return "OpenCode instance for \(name) \(what) Look at the session before you send this again."
    }

    /// 504 of a start whose callers can't wait any longer.
    package static func stillStarting(_ name: String, _ state: InstanceState) -> String {
        "OpenCode instance for \(name) is still starting (\(state.name)) and goes on. Ask its status until it is ready."
    }

    /// 500 of a start that failed.
    package static func startFailed(_ reason: String) -> String { "Failed to start service: \(reason)" }

    /// 500 of a start whose port never became known; where to look for the cause.
    package static func noPort(_ hint: String) -> String { "Service started but failed to get port. \(hint)" }

    /// 500 of a stop that failed.
    package static func stopFailed(_ reason: String) -> String { "Failed to stop service: \(reason)" }

    /// What status and log say of a server that answers without its password.
    package static let passwordNotEnforced = "password not enforced by this OpenCode version"

    /// What status says of an instance whose environment files have changed since it started.
    package static let olderEnvironment =
        "it runs with older values, for its environment files have changed since it started: restart to apply"

    /// What status says of an OpenCode 2 for which another user's name is configured.
    package static let usernameIgnored =
        "OPENCODE_SERVER_USERNAME is set, but OpenCode 2 knows the user opencode only: take it out of the environment files"

    /// What status and log say of an instance that has no model to work with.
    package static let noModels =
        "OpenCode has no model: put a provider's API key into the environment files or sign in to one (`opencode auth login`), "
        + "and see that its configuration can be read; then restart"

    /// Why an instance was stopped that is the gateway's child.
    static let gatewayEnded = "The gateway has ended, and its child processes with it."

    /// Why an instance was stopped that the gateway runs no more.
    static let stoppedElsewhere = "It was stopped, but not through the gateway."

    /// What became of an instance that was to run.
    static let lost = "It no longer ran when the gateway began: it has ended while no gateway was there."

    /// Why an instance fails that listens on another host than 127.0.0.1.
    static func listensElsewhere(_ host: String) -> String {
        "OpenCode listens on \(host) and not on 127.0.0.1, where the gateway asks it and other machines can't: take what "
            + "sets its host out of its command (--opencode, VIBE_OPENCODE) or of its configuration."
    }

    /// Why a health answer is not believed: it names a process that the instance doesn't have.
    static func foreignProcess(_ number: Int32, _ port: UInt16) -> String {
        "Another server has its port \(port): process \(number), as that says of itself, is none of the instance's. "
            + "See what listens there (`ss -ltnp`), then stop and start the project."
    }

    /// What status and log say of an instance whose folder was replaced; where its server works now.
    package static func replacedFolder(_ path: String?) -> String {
        "its server runs in a folder that was moved or deleted\(path.map { " (\($0))" } ?? ""): stop and start it"
    }

    /// What status says of a project that is the same one to OpenCode as others here.
    package static func sharedProject(with others: [String]) -> String {
        "OpenCode takes this folder and \(others.joined(separator: ", ")) for one project (clones of one repository, or its "
            + "worktrees): /api/session lists the sessions of this very folder, without those of its worktrees and sub-folders"
    }

    /// Why an instance is not believed that a port is its own.
    static func portTaken(_ port: UInt16, by name: String) -> String {
        "Its port \(port) was announced by the instance for \(name) after it."
    }

    /// A reason with the last lines of output behind it, as plain text: it is shown on terminals and in apps.
    static func reason(_ reason: String, tail: [String]) -> String {
        let lines = tail.map(ControlSequences.plain).filter { !$0.isEmpty }
        return lines.isEmpty ? reason : reason + outputFollows + lines.joined(separator: "\n")
    }

    /// Such a reason without those lines.
    static func withoutOutput(_ reason: String) -> String {
        reason.firstRange(of: outputFollows).map { String(reason[..<$0.lowerBound]) } ?? reason
    }

    private static let outputFollows = " Its last output:\n"
}
