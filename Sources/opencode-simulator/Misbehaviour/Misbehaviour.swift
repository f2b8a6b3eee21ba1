/// What the simulator does wrong on purpose.
struct Misbehaviour: Sendable, Equatable {
    /// How the banner comes.
    enum Banner: Sendable, Equatable {
        case atOnce
        case late(Duration)
        case never
        /// In two writes, cut in the middle of the port.
        case split
        case twice
        /// Followed by the same line with another port, as an agent that quotes a banner would print it.
        case followed(by: UInt16)
    }

    /// What `/global/health`, of OpenCode 2 `/api/info`, answers instead of the truth.
    enum Health: String, Sendable, CaseIterable {
        case serverError = "500"
        case unauthorized = "401"
        case notFound = "404"
        /// The web app's page with 200, as versions without that route answer.
        case page
        /// Nothing; the connection stays open.
        case hang
        /// `"healthy":false` with 200; of OpenCode 2, which has no such member, the `pid` of no process that there is.
        case unhealthy
        /// OpenCode 2's answer without its `pid`.
        case withoutPid = "no-pid"
    }

    /// How far OpenCode 2 is with taking over the sessions of OpenCode 1.
    enum Migration: String, Sendable, CaseIterable {
        case required, running, completed, error
    }

    /// A process that the simulator leaves behind. All hold its standard output and error open.
    enum Grandchild: String, Sendable, CaseIterable {
        /// In the simulator's process group, ignores SIGTERM.
        case stubborn
        /// In the simulator's process group, ends at SIGTERM.
        case obedient
        /// In a session of its own, ignores SIGTERM.
        case escaped
    }

    /// Ends with this code before the banner, with the output that a broken configuration file gives.
    var exitAtStart: Int32?
    /// Prints what the version prints when a user runs it for the first time.
    var isFirstRun = false
    var banner = Banner.atOnce
    /// Refuses connections on the port that the banner names.
    var refuses = false
    var health: Health?
    /// The time before the health question is answered.
    var healthDelay: Duration?
    /// Takes every request and answers none; streams fall silent.
    var isWedged = false
    /// Answers that are broken.
    var faults: [Fault] = []
    /// From this idle time of a connection on, what arrives on it is lost: it is closed without an answer.
    var idleLoss: Duration?
    var migration = Migration.completed
    /// Closes all event streams without their last chunk.
    var cutsStreams = false
    /// Ends with exit code 1 after this time.
    var crashDelay: Duration?
    /// Ends with exit code 1 at the first request whose path begins like this.
    var crashPath: String?
    /// Ends by SIGKILL after this time, as the kernel's out-of-memory killer does.
    var killDelay: Duration?
    var ignoresTermination = false
    /// The time that it takes to end after SIGTERM.
    var terminationDelay: Duration?
    var grandchildren: [Grandchild] = []

    /// What goes wrong with the answer to a path.
    func fault(for path: String) -> Fault.Kind? {
        faults.first { $0.applies(to: path) }?.kind
    }
}
