// SPDX-License-Identifier: Apache-2.0

/// A failure in the communication between a test and its peer. Every blocking call of TestKit can throw it.
package enum TestKitError: Error, Equatable, CustomStringConvertible {
    /// The time limit was reached. The values are the limit and the expected event.
    case timedOut(after: Duration, waitingFor: String)
    /// The peer closed its sending direction (FIN) before the expected event, or a list of records was marked as
    /// complete before.
    case closed(waitingFor: String)
    /// The peer reset the connection (RST).
    case reset(during: String)
    /// This side had already closed the connection, possibly on another thread.
    case closedHere(during: String)
    /// The received bytes violate the protocol. The value describes the violation.
    case malformed(String)
    /// A system call failed. The values are its name and its errno.
    case system(operation: String, code: Int32)
    /// A precondition of a test is not fulfilled. For example, a program was not built.
    case unavailable(String)

    /// A sentence for the failure message of a test.
    package var description: String {
        switch self {
        case .timedOut(let limit, let what): "timed out after \(limit) waiting for \(what)"
        case .closed(let what): "the peer closed cleanly (FIN), or has ended, while waiting for \(what)"
        case .reset(let what): "the peer reset the connection (RST) during \(what)"
        case .closedHere(let what): "the connection was closed on this side during \(what)"
        case .malformed(let what): "malformed: \(what)"
        case .system(let operation, let code): "\(operation) failed: \(SystemCall.message(code))"
        case .unavailable(let what): what
        }
    }
}
