// SPDX-License-Identifier: Apache-2.0

/// The deliberate errors of the simulator.
struct Misbehaviour: Sendable, Equatable {
    /// A way to print the banner.
    enum Banner: Sendable, Equatable {
        case atOnce
        case late(Duration)
        case never
        /// The simulator prints the banner in two writes, which are split in the middle of the port.
        case split
        case twice
        /// The simulator prints the banner, and then the same line with another port, as an agent that quotes a banner
        /// may do.
        case followed(by: UInt16)
    }

    /// The wrong response to `/global/health`, or to OpenCode 2's `/api/info`.
    enum Health: String, Sendable, CaseIterable {
        case serverError = "500"
        case unauthorized = "401"
        case notFound = "404"
        /// The web app's page with status 200, which versions without this route return.
        case page
        /// No response. The connection stays open.
        case hang
        /// A response that reports a problem, with status 200. OpenCode 1's response contains `"healthy":false`.
        /// OpenCode 2's response contains the `pid` of a process that does not exist, because OpenCode 2's response has
        /// no member `healthy`.
        case unhealthy
        /// OpenCode 2's response without its `pid`.
        case withoutPid = "no-pid"
    }

    /// The progress of OpenCode 2's migration of OpenCode 1's sessions.
    enum Migration: String, Sendable, CaseIterable {
        case required, running, completed, error
    }

    /// A process that outlives the simulator, and keeps the simulator's standard output and standard error open.
    enum Grandchild: String, Sendable, CaseIterable {
        /// Runs in the simulator's process group and ignores SIGTERM.
        case stubborn
        /// Runs in the simulator's process group and ends at SIGTERM.
        case obedient
        /// Runs in its own session and ignores SIGTERM.
        case escaped
    }

    /// The exit code with which the simulator ends before it prints the banner; nil if the simulator starts normally.
    /// OpenCode 1 first prints the error about a broken configuration file. OpenCode 2 first prints the error about a
    /// port in use.
    var exitAtStart: Int32?
    /// Whether the simulator prints the output of the version's first run for a user.
    var isFirstRun = false
    var banner = Banner.atOnce
    /// Whether connections to the port in the banner are refused.
    var refuses = false
    var health: Health?
    /// The delay of the response to the health check.
    var healthDelay: Duration?
    /// Whether the simulator accepts every request without sending a response. Streams send no further events.
    var isWedged = false
    /// The broken responses, by path.
    var faults: [Fault] = []
    /// The idle time after which a connection is lost. At the next request on such a connection, the simulator closes
    /// the connection without a response.
    var idleLoss: Duration?
    var migration = Migration.completed
    /// Whether the simulator closes all event streams without their last chunk.
    var cutsStreams = false
    /// The time after which the simulator ends with exit code 1.
    var crashDelay: Duration?
    /// A prefix of paths. The simulator ends with exit code 1 at the first request for such a path.
    var crashPath: String?
    /// The time after which the simulator ends by SIGKILL, as by the kernel's out-of-memory killer.
    var killDelay: Duration?
    var ignoresTermination = false
    /// The time between SIGTERM and the exit.
    var terminationDelay: Duration?
    var grandchildren: [Grandchild] = []

    /// Returns the fault for a path; nil if the path has none.
    func fault(for path: String) -> Fault.Kind? {
        faults.first { $0.applies(to: path) }?.kind
    }
}
