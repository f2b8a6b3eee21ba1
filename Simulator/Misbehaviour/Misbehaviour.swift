// SPDX-License-Identifier: Apache-2.0

/// The deliberate errors of the simulator.
struct Misbehaviour: Sendable, Equatable {
    /// A way to print the banner.
    enum Banner: Sendable, Equatable {
        case atOnce
        case late(Duration)
        case never
        /// The banner is printed in two writes, split in the middle of the port.
        case split
        case twice
        /// The banner is followed by the same line with another port, as an agent that quotes a banner would print it.
        case followed(by: UInt16)
    }

    /// The wrong response to `/global/health`, or to OpenCode 2's `/api/info`.
    enum Health: String, Sendable, CaseIterable {
        case serverError = "500"
        case unauthorized = "401"
        case notFound = "404"
        /// The web app's page with 200, as from versions without that route.
        case page
        /// No response; the connection stays open.
        case hang
        /// `"healthy":false` with 200. OpenCode 2 has no such member; its response has the `pid` of a process that does
        /// not exist.
        case unhealthy
        /// OpenCode 2's response without its `pid`.
        case withoutPid = "no-pid"
    }

    /// The progress of OpenCode 2's migration of the sessions of OpenCode 1.
    enum Migration: String, Sendable, CaseIterable {
        case required, running, completed, error
    }

    /// A process that the simulator leaves running. Each holds the simulator's standard output and error open.
    enum Grandchild: String, Sendable, CaseIterable {
        /// Runs in the simulator's process group and ignores SIGTERM.
        case stubborn
        /// Runs in the simulator's process group and ends at SIGTERM.
        case obedient
        /// Runs in its own session and ignores SIGTERM.
        case escaped
    }

    /// Ends with this code before the banner, with the output for a broken configuration file.
    var exitAtStart: Int32?
    /// Prints the output of the version's first run for a user.
    var isFirstRun = false
    var banner = Banner.atOnce
    /// Refuses connections on the port that the banner names.
    var refuses = false
    var health: Health?
    /// The delay of the response to the health check.
    var healthDelay: Duration?
    /// Accepts every request and answers none; streams send nothing more.
    var isWedged = false
    /// The broken responses, by path.
    var faults: [Fault] = []
    /// The idle time of a connection after which a request on it is lost: the connection is closed without a response.
    var idleLoss: Duration?
    var migration = Migration.completed
    /// Closes all event streams without their last chunk.
    var cutsStreams = false
    /// Ends with exit code 1 after this time.
    var crashDelay: Duration?
    /// Ends with exit code 1 at the first request whose path has this prefix.
    var crashPath: String?
    /// Ends by SIGKILL after this time, as by the kernel's out-of-memory killer.
    var killDelay: Duration?
    var ignoresTermination = false
    /// The time between SIGTERM and the exit.
    var terminationDelay: Duration?
    var grandchildren: [Grandchild] = []

    /// Returns the fault of the response to a path.
    func fault(for path: String) -> Fault.Kind? {
        faults.first { $0.applies(to: path) }?.kind
    }
}
