// SPDX-License-Identifier: Apache-2.0

package import Addresses
package import OpenCodeFamilies

/// An event of a project's server. `run` is the ``Run/id`` of the server.
package enum SupervisedEvent: Sendable, Equatable {
    /// A server runs: on request, restarted by the supervisor, started by another program, or found at start-up. The
    /// event is repeated if more becomes known about the same run, such as its password.
    case launched(Run)
    /// A requested start has not led to a server. The value is the reason.
    case launchFailed(reason: String)
    /// The server cannot be asked to end and continues to run. The value is the reason.
    case stopFailed(reason: String)
    /// The server announced its address.
    ///
    /// - Parameters:
    ///   - family: The API whose announcement format the server used; nil without an announcement.
    ///   - warning: How the address was found, as a message, if it is not from an announcement.
    case announced(run: String, address: InstanceAddress, family: APIFamily? = nil, warning: String? = nil)
    /// The server announced that it listens where it must not, or where the gateway cannot reach it.
    case announcedElsewhere(run: String, host: String)
    /// The server is being stopped from outside the gateway.
    case ending(run: String)
    /// The main process has ended by itself, so nothing listens at its address. Its descendants may still run; `exited`
    /// follows.
    case mainProcessExited(run: String)
    /// No process of the server remains. `how` describes the end, such as `exit status 1`; `tail` contains the last
    /// lines of output, oldest first.
    case exited(run: String, how: String, tail: [String], next: Next)

    /// The consequence of a server's end.
    package enum Next: Sendable, Equatable {
        /// The server was asked to end, by the gateway or by another program, so there is no consequence.
        case stopped
        /// The server ended by itself. The gateway decides whether and when to restart it.
        case failed
        /// The supervisor restarts the server itself, after the delay if it is known.
        case restarts(after: Duration?)
        /// The supervisor has restarted the server too often and no longer does so.
        case gaveUp
    }
}
