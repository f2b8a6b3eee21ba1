// SPDX-License-Identifier: Apache-2.0

import GatewayCore

/// The detection of unresponsive chat clients. Each tick sends a ping, and the client must send any bytes before the
/// next tick. If bytes wait for the client, accepting some of them also counts as a sign of life, because a ping would
/// be queued after those bytes. The type performs no I/O.
struct PingWatch: Sendable, Equatable {
    /// The action to perform at a tick.
    enum Action: Equatable {
        case ping
        case wait
        case disconnect
    }

    private var hasPinged = false
    private var hasReceived = false
    private var hasSent = false

    /// Records that bytes were received.
    mutating func received() { hasReceived = true }

    /// Records that the client has accepted bytes.
    mutating func sent() { hasSent = true }

    /// Returns the action to perform at a tick.
    ///
    /// - Parameter isBlocked: Whether bytes wait that the client has not accepted.
    mutating func tick(isBlocked: Bool) -> Action {
        defer {
            hasReceived = false
            hasSent = false
        }
        if isBlocked { return hasReceived || hasSent ? .wait : .disconnect }
        guard !hasPinged || hasReceived else { return .disconnect }
        hasPinged = true
        return .ping
    }
}
