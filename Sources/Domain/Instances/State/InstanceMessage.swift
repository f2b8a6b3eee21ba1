// SPDX-License-Identifier: Apache-2.0

internal import OpenCodeFamilies

/// The messages about instances. The wire contract defines some of them.
package enum InstanceMessage {
    /// Returns the 404 error of the start, stop and status endpoints.
    package static func projectNotFound(_ name: String) -> String { "Project not found: \(name)" }

    /// Returns the 503 error for a request to an instance that is not running.
    package static func notRunning(_ name: String) -> String {
        "OpenCode instance for \(name) is not running. Start it first."
    }

    /// Returns the 503 error for a request to an instance that is not ready yet.
    package static func notReady(_ name: String, _ state: InstanceState) -> String {
        let what =
            if case .restarting = state { "exited, and the gateway restarts it" } else { "is still starting" }
        return "OpenCode instance for \(name) \(what) (\(state.name)). Try again in a moment."
    }

    /// Returns the 503 error for a request whose instance was ended before it responded.
    package static func ended(_ name: String, by initiator: StopInitiator) -> String {
        let what =
            switch initiator {
            case .request: "was stopped through the gateway before it responded."
            case .gateway(let reason): "was stopped by the gateway before it responded: \(reason)"
            case .outside: "was stopped by its service manager, not by the gateway, before it responded."
            }
        return "OpenCode instance for \(name) \(what) Check the session before you send the request again."
    }

    /// Returns the 504 error for a start that takes longer than the time limit of its callers.
    package static func stillStarting(_ name: String, _ state: InstanceState) -> String {
        "OpenCode instance for \(name) is still starting (\(state.name)). The start continues: request the project's status until it is ready."
    }

    /// Returns the 500 error for a start that failed.
    package static func startFailed(_ reason: String) -> String { "Failed to start service: \(reason)" }

    /// Returns the 500 error for a started server whose port is unknown.
    ///
    /// - Parameter hint: Advice on where to find the cause.
    package static func noPort(_ hint: String) -> String { "Service started but failed to get port. \(hint)" }

    /// Returns the 500 error for a stop that failed.
    package static func stopFailed(_ reason: String) -> String { "Failed to stop service: \(reason)" }

    /// The warning in `status` and in the log for a server that accepts requests without its password.
    package static let passwordNotEnforced = "password not enforced by this OpenCode version"

    /// The warning in `status` for an instance whose environment files, or whose directory for OpenCode's data, have
    /// changed since its start.
    package static let olderEnvironment =
        "the environment files or --isolate-sessions have changed since the instance started: restart to apply"

    /// The warning in `status` for an OpenCode 2 instance with a configured user name other than `opencode`.
    package static let usernameIgnored =
        "OPENCODE_SERVER_USERNAME is set, but OpenCode 2 accepts only the user opencode: remove the variable from the environment files"

    /// The warning in `status` and in the log for an instance without a model.
    package static let noModels =
        "OpenCode has no model: add a provider's API key to the environment files or sign in to a provider "
        + "(`opencode auth login`), check OpenCode's configuration, then restart the project"

    /// The recorded reason if an instance was stopped because the gateway, its parent process, ended.
    static let gatewayEnded = "The gateway has ended, and its child processes with it."

    /// The recorded reason if an instance was stopped outside the gateway.
    static let stoppedElsewhere = "The instance was stopped, but not through the gateway."

    /// The recorded reason if an instance ended while no gateway was running.
    static let lost = "The instance ended while no gateway was running."

    /// Returns the reason for the failure of an instance that listens on a host other than 127.0.0.1.
    static func listensElsewhere(_ host: String) -> String {
        "OpenCode listens on \(host), but the gateway connects only to 127.0.0.1. Remove the host from OpenCode's command "
            + "(--opencode, VIBE_OPENCODE) or configuration."
    }

    /// Returns the reason for rejecting a health response that contains the process number of another server.
    static func foreignProcess(_ number: Int32, _ port: UInt16) -> String {
        "Another server responds on the instance's port \(port): it reports process \(number), which is not one of the "
            + "instance's processes. Check which program listens on the port (`ss -ltnp`), then stop and start the project."
    }

    /// Returns the warning in `status` and in the log for an instance whose folder was replaced.
    ///
    /// - Parameter path: The present path of the server's working directory.
    package static func replacedFolder(_ path: String?) -> String {
        "the server runs in a folder that was moved or deleted\(path.map { " (\($0))" } ?? ""): stop and start the project"
    }

    /// Returns the warning in `status` for a project that OpenCode treats as one project with others.
    package static func sharedProject(with others: [String]) -> String {
        "OpenCode treats this folder and \(others.joined(separator: ", ")) as one project (clones or worktrees of one "
            + "repository): /api/session lists only the sessions of this folder, not those of its worktrees and subdirectories"
    }

    /// Returns the reason why an instance is unhealthy if another project's instance announced the same port later.
    static func portInUse(_ port: UInt16, by name: String) -> String {
        "The instance of project \(name) announced port \(port) after this instance did. Stop and start this project."
    }

    /// Returns a reason followed by the last lines of output. The lines are converted to plain text, because terminals
    /// and apps display them.
    static func reason(_ reason: String, tail: [String]) -> String {
        let lines = tail.map(ControlSequences.plain).filter { !$0.isEmpty }
        return lines.isEmpty ? reason : reason + outputFollows + lines.joined(separator: "\n")
    }

    /// Returns a reason from ``reason(_:tail:)`` without the lines of output.
    static func withoutOutput(_ reason: String) -> String {
        reason.firstRange(of: outputFollows).map { String(reason[..<$0.lowerBound]) } ?? reason
    }

    private static let outputFollows = " Its last output:\n"
}
