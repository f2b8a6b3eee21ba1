// SPDX-License-Identifier: Apache-2.0

package import Projects

/// Runs OpenCode servers, at most one for each project, and reports their events. Used only on the control loop.
package protocol Supervisor: Sendable {
    /// The name in logs and project settings, `process` or `systemd`. The supervisors of a registry have different
    /// names.
    var name: String { get }
    /// Whether the servers continue to run when the gateway ends.
    var outlivesGateway: Bool { get }
    /// Returns the command that shows a project's log, such as `journalctl --user -u opencode@demo`; nil if the
    /// server's output is in the gateway's own log.
    func logCommand(of project: ProjectName) -> String?
    /// Starts to report to `observer`, which is referenced weakly. Returns after reporting every server that was
    /// already running.
    func open(_ observer: any SupervisorObserver) async throws(LaunchError)
    /// Starts the project's server. The result is reported as an event: `launched` or `launchFailed`.
    func start(_ folder: ProjectFolder)
    /// Asks all processes of the project's server to end (SIGTERM, StopUnit). The event `exited` follows when no
    /// process remains.
    func terminate(_ project: ProjectName)
    /// Kills all processes of the project's server with SIGKILL.
    func kill(_ project: ProjectName)
    /// Returns the last lines of output of the project's current or last server, oldest first; at most 20.
    func tail(of project: ProjectName) -> [String]
    /// Stores the learned facts about the project's current server for a gateway that takes it over.
    func remember(_ memory: InstanceMemory, of project: ProjectName)
    /// Returns whether a process of the project's current server has this number in its own PID namespace (`NSpid`,
    /// proc_pid_status(5)); nil if this cannot be determined.
    func hasProcess(_ number: Int32, of project: ProjectName) -> Bool?
    /// Returns the current working directory of the project's current server and its current path; nil if it cannot be
    /// determined.
    func workingFolder(of project: ProjectName) -> (identity: FolderIdentity, path: String)?
    /// Detaches from servers that outlive the gateway. No events and requests follow.
    func close()
}

extension Supervisor {
    /// Returns nil, because the server's processes do not run on this machine.
    package func hasProcess(_ number: Int32, of project: ProjectName) -> Bool? { nil }

    /// Returns nil, because the directory cannot be determined.
    package func workingFolder(of project: ProjectName) -> (identity: FolderIdentity, path: String)? { nil }

    /// Does nothing, because there are no servers to detach from.
    package func close() {}
}

/// Receives the events of supervised servers, one after the other on the control loop.
package protocol SupervisorObserver: AnyObject, Sendable {
    /// Handles an event of a project's server. May be called during a call to the supervisor. In that case the observer
    /// handles the event after its current work.
    func supervised(_ project: ProjectName, _ event: SupervisedEvent)
    /// Handles a change of the supervisor's availability. `reason` is a message with the fix; nil means that it is
    /// reachable (again).
    func supervisorChanged(unavailable reason: String?)
}

/// The error for a server that could not be started, or a supervisor that could not be used.
package struct LaunchError: Error, Equatable, CustomStringConvertible {
    /// A message that includes the fix.
    package let description: String

    /// Creates an error with this message.
    package init(_ description: String) { self.description = description }
}
