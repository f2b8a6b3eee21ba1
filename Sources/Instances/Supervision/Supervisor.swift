package import Projects

/// Runs OpenCode servers, one for each project at most, and tells what becomes of them. Used on the control loop only.
package protocol Supervisor: Sendable {
    /// `process` or `systemd`: in logs, and what a project names; no two supervisors of a registry have the same.
    var name: String { get }
    /// Whether its servers go on when the gateway ends.
    var outlivesGateway: Bool { get }
    /// The command that shows a project's log, as in `journalctl --user -u opencode@demo`; nil when what its server prints
    /// is in the gateway's own log.
    func logCommand(of project: ProjectName) -> String?
    /// Begins to report to `observer`, which it does not keep alive. Returns once every server that ran before has been
    /// reported.
    func open(_ observer: any SupervisorObserver) async throws(LaunchError)
    /// Starts the project's server; the outcome comes as an event: `launched` or `launchFailed`.
    func start(_ folder: ProjectFolder)
    /// Asks all that belongs to the project's server to end (SIGTERM, StopUnit); `exited` follows when nothing is left.
    func terminate(_ project: ProjectName)
    /// Ends all that belongs to it by SIGKILL.
    func kill(_ project: ProjectName)
    /// The last lines of output of the project's present or last server, the oldest first; at most 20.
    func tail(of project: ProjectName) -> [String]
    /// Keeps what was learnt of the project's present server for a gateway that takes it over.
    func remember(_ memory: InstanceMemory, of project: ProjectName)
    /// Whether the project's present server has a process that sees itself under this number (`NSpid`, proc_pid_status(5):
    /// it may live in a name space of its own); nil when that can't be told.
    func hasProcess(_ number: Int32, of project: ProjectName) -> Bool?
    /// Where the project's present server works now, with the folder's path as it is now; nil when that can't be told.
    func workingFolder(of project: ProjectName) -> (identity: FolderIdentity, path: String)?
    /// Lets go of servers that outlive the gateway: nothing is reported or asked for any more.
    func close()
}

extension Supervisor {
    /// It can't be told: its processes are none of this machine's.
    package func hasProcess(_ number: Int32, of project: ProjectName) -> Bool? { nil }

    /// It can't be told.
    package func workingFolder(of project: ProjectName) -> (identity: FolderIdentity, path: String)? { nil }

    /// Nothing to let go of.
    package func close() {}
}

/// Who hears of supervised servers: on the control loop, one event after the other.
package protocol SupervisorObserver: AnyObject, Sendable {
    /// Something became of a project's server. May be called from within a call to the supervisor: the observer takes
    /// the event after what it is just doing.
    func supervised(_ project: ProjectName, _ event: SupervisedEvent)
    /// The supervisor can't be reached, as one sentence that says what to do; nil: it can (again).
    func supervisorChanged(unavailable reason: String?)
}

/// A server could not be started, or a supervisor could not be used.
package struct LaunchError: Error, Equatable, CustomStringConvertible {
    /// One sentence that says what to do.
    package let description: String

    /// An error with this sentence.
    package init(_ description: String) { self.description = description }
}
