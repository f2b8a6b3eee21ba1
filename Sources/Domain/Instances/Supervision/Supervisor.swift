// SPDX-License-Identifier: Apache-2.0

package import Projects

/// Runs OpenCode servers, at most one for each project, and reports their events. A supervisor is used only on the
/// control loop.
package protocol Supervisor: Sendable {
    /// The name in logs and project settings, `process` or `systemd`. The supervisors of a registry have different
    /// names.
    var name: String { get }
    /// Whether the servers continue to run when the gateway ends.
    var outlivesGateway: Bool { get }
    /// Returns the command that shows a project's log, such as `journalctl --user -u opencode@demo`; nil if the
    /// server's output is in the gateway's own log.
    func logCommand(of project: ProjectName) -> String?
    /// Starts to report to `observer`, to which the supervisor keeps a weak reference. The method returns after the
    /// supervisor has reported every server that was already running.
    func open(_ observer: any SupervisorObserver) async throws(LaunchError)
    /// Starts the project's server. The result is reported as an event: `launched` or `launchFailed`.
    func start(_ folder: ProjectFolder)
    /// Asks all processes of the project's server to end (SIGTERM or StopUnit). The event `exited` follows when no
    /// process remains.
    func terminate(_ project: ProjectName)
    /// Kills all processes of the project's server with SIGKILL.
    func kill(_ project: ProjectName)
    /// Returns the last lines of output of the project's current or last server, oldest first, at most 20 lines.
    func tail(of project: ProjectName) -> [String]
    /// Stores facts about the project's current server for the gateway that takes it over.
    func remember(_ memory: InstanceMemory, of project: ProjectName)
    /// Returns whether a process of the project's current server has this number in its own PID namespace (`NSpid`,
    /// proc_pid_status(5)); nil if this cannot be determined.
    func hasProcess(_ number: Int32, of project: ProjectName) -> Bool?
    /// Returns the identity and the present path of the working directory of the project's current server; nil if they
    /// cannot be determined.
    func workingFolder(of project: ProjectName) -> (identity: FolderIdentity, path: String)?
    /// Detaches from servers that outlive the gateway. The supervisor then reports no events, and the caller sends no
    /// requests.
    func close()
}

extension Supervisor {
    /// Returns nil, because the supervisor cannot see the server's processes.
    package func hasProcess(_ number: Int32, of project: ProjectName) -> Bool? { nil }

    /// Returns nil, because the directory cannot be determined.
    package func workingFolder(of project: ProjectName) -> (identity: FolderIdentity, path: String)? { nil }

    /// Does nothing, because there are no servers to detach from.
    package func close() {}
}

/// Receives the events of supervised servers, one after the other on the control loop.
package protocol SupervisorObserver: AnyObject, Sendable {
    /// Handles an event of a project's server. The supervisor may call this method during a call from the observer. The
    /// observer then handles the event after its current work.
    func supervised(_ project: ProjectName, _ event: SupervisedEvent)
    /// Handles a change of the supervisor's availability. `reason` is a message that includes the fix; nil means that
    /// the supervisor is reachable.
    func supervisorChanged(unavailable reason: String?)
}

/// The error for a server that could not be started, or a supervisor that could not be used.
package struct LaunchError: Error, Equatable, CustomStringConvertible {
    /// A message that includes the fix.
    package let description: String

    /// Creates an error with this message.
    package init(_ description: String) { self.description = description }
}
