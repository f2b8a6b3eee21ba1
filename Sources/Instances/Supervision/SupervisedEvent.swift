package import Addresses
package import OpenCode

/// What becomes of a project's server. `run` is the ``Run/id`` of the server meant.
package enum SupervisedEvent: Sendable, Equatable {
    /// A server runs: asked for, restarted by the supervisor, started by somebody else, or found at the beginning.
    /// Told again when more is known of the same run, such as its password.
    case launched(Run)
    /// A start that was asked for led to no server; one sentence.
    case launchFailed(reason: String)
    /// It can't be asked to end, so it goes on; one sentence.
    case stopFailed(reason: String)
    /// The server announced where it listens. `family`: whose words those were; nil where there were none. `warning`: the
    /// address is not from the announcement; how it was found, as one sentence.
    case announced(run: String, address: InstanceAddress, family: APIFamily? = nil, warning: String? = nil)
    /// The server announced that it listens where it must not, or where the gateway can't ask it.
    case announcedElsewhere(run: String, host: String)
    /// Somebody else than the gateway stops it.
    case ending(run: String)
    /// Its main process has ended by itself, so nobody listens at its address. What it has started may still run; `exited`
    /// follows.
    case mainProcessExited(run: String)
    /// Nothing of it is left: how it ended, as in `exit status 1`, and its last lines of output, the oldest first.
    case exited(run: String, how: String, tail: [String], next: Next)

    /// What follows the end of a server.
    package enum Next: Sendable, Equatable {
        /// Nothing: it was asked to end, by whomever.
        case stopped
        /// It ended by itself: the gateway decides whether and when it is started again.
        case failed
        /// The supervisor starts it again by itself, after this time if that is known.
        case restarts(after: Duration?)
        /// The supervisor has started it too often and does so no more.
        case gaveUp
    }
}
