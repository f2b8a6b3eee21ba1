// SPDX-License-Identifier: Apache-2.0

package import Addresses
package import OpenCodeFamilies

/// An event of a project's server. `run` is the ``Run/id`` of the server.
package enum SupervisedEvent: Sendable, Equatable {
    /// A server is running. The server was requested, restarted by the supervisor, started by another program, or found
    /// at start-up. The event is repeated if more becomes known about the same run, such as its password.
    case launched(Run)
    /// A requested start has failed. The value is the reason.
    case launchFailed(reason: String)
    /// The supervisor could not ask the server to end, and the server continues to run. The value is the reason.
    case stopFailed(reason: String)
    /// The server's address is known.
    ///
    /// - Parameters:
    ///   - family: The API family whose announcement format the server used; nil if the server announced nothing.
    ///   - warning: A message that says how the address was found; nil if the server announced it.
    case announced(run: String, address: InstanceAddress, family: APIFamily? = nil, warning: String? = nil)
    /// The server announced a host on which it must not listen, or at which the gateway cannot reach it.
    case announcedElsewhere(run: String, host: String)
    /// The server is ending without a request from the gateway, and its address is no longer valid.
    case ending(run: String)
    /// The server's main process has ended by itself, so no process listens at the server's address any more.
    /// Descendants of the main process may still run. The event `exited` follows when no process remains.
    case mainProcessExited(run: String)
    /// No process of the server remains. `how` describes the end, such as `exit status 1`. `tail` contains the last
    /// lines of output, oldest first.
    case exited(run: String, how: String, tail: [String], next: Next)

    /// The action that follows a server's end.
    package enum Next: Sendable, Equatable {
        /// No action follows, because the gateway or another program asked the server to end.
        case stopped
        /// The server ended by itself. The gateway decides whether and when to restart it.
        case failed
        /// The supervisor itself restarts the server after the delay. The delay is nil if it is unknown.
        case restarts(after: Duration?)
        /// The supervisor has restarted the server too often and does not restart it again.
        case gaveUp
    }
}
