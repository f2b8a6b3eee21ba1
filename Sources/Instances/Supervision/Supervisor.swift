package import OpenCode

/// Starts OpenCode servers and tells what becomes of them. Used on the control loop only.
package protocol Supervisor: Sendable {
    /// Starts one server. Its events come later, on the control loop, never from within this call.
    func start(
        _ launch: Launch, observer: @escaping @Sendable (SupervisedEvent) -> Void
    ) throws(LaunchError) -> any SupervisedInstance
}

/// A server that a supervisor has started. Used on the control loop only.
package protocol SupervisedInstance: AnyObject, Sendable {
    /// The process's number.
    var processIdentifier: Int32 { get }
    /// Its last lines of output, the oldest first.
    var tail: [String] { get }
    /// Sends SIGTERM to all that belongs to it.
    func terminate()
    /// Sends SIGKILL to all that belongs to it.
    func kill()
}

/// Which server to start.
package struct Launch: Sendable {
    /// The project that it is for; its folder is the server's working directory.
    package let folder: ProjectFolder
    /// What the server is to ask for.
    package let credentials: InstanceCredentials

    /// A launch for this folder.
    package init(folder: ProjectFolder, credentials: InstanceCredentials) {
        self.folder = folder
        self.credentials = credentials
    }
}

/// What a supervised server does.
package enum SupervisedEvent: Sendable, Equatable {
    /// It announced its port.
    case announced(port: UInt16)
    /// It ended, and nothing of it is left; how, as a phrase, and its last lines. The last event.
    case exited(how: String, tail: [String])
}

/// A server could not be started.
package struct LaunchError: Error, Equatable, CustomStringConvertible {
    /// One sentence that says what to do.
    package let description: String

    /// An error with this sentence.
    package init(_ description: String) { self.description = description }
}
