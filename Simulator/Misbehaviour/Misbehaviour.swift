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
        /// The web app's page with status 200, as from versions without this route.
        case page
        /// No response. The connection stays open.
        case hang
        /// `"healthy":false` with status 200. OpenCode 2 has no such member, so its response has the `pid` of a process
        /// that does not exist.
        case unhealthy
        /// OpenCode 2's response without its `pid`.
        case withoutPid = "no-pid"
    }

    /// The progress of OpenCode 2's migration of the sessions of OpenCode 1.
    enum Migration: String, Sendable, CaseIterable {
        case required, running, completed, error
    }

    /// A process that the simulator leaves running. It keeps the simulator's standard output and standard error open.
    enum Grandchild: String, Sendable, CaseIterable {
        /// Runs in the simulator's process group and ignores SIGTERM.
        case stubborn
        /// Runs in the simulator's process group and ends at SIGTERM.
        case obedient
        /// Runs in its own session and ignores SIGTERM.
        case escaped
    }

    /// If set, the simulator ends with this code before the banner, with the output for a broken configuration file.
    var exitAtStart: Int32?
    /// Whether the simulator prints the output of the version's first run for a user.
    var isFirstRun = false
    var banner = Banner.atOnce
    /// Whether connections to the port in the banner are refused.
    var refuses = false
    var health: Health?
    /// The delay of the response to the health check.
    var healthDelay: Duration?
    /// Whether every request is accepted and none receives a response. Streams send nothing more.
    var isWedged = false
    /// The broken responses, by path.
    var faults: [Fault] = []
    /// The idle time of a connection after which a request on it is lost, because the connection is closed without a
    /// response.
    var idleLoss: Duration?
    var migration = Migration.completed
    /// Whether all event streams are closed without their last chunk.
    var cutsStreams = false
    /// The time after which the simulator ends with exit code 1.
    var crashDelay: Duration?
    /// The prefix of a path. The simulator ends with exit code 1 at the first request for such a path.
    var crashPath: String?
    /// The time after which the simulator ends by SIGKILL, as by the kernel's out-of-memory killer.
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
