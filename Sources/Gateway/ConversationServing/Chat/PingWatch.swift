// SPDX-License-Identifier: Apache-2.0

import GatewayCore

/// Detects unresponsive chat clients. Each tick sends a ping, and the client must send any bytes before the next tick.
/// If bytes wait for the client, accepting some of them also counts as a sign of life, because a ping would be queued
/// after them. It performs no I/O.
struct PingWatch: Sendable, Equatable {
    /// The action to perform at a tick.
    enum Move: Equatable {
        case ping
        case wait
        case cut
    }

    private var isAsked = false
    private var hasHeard = false
    private var hasMoved = false

    /// Records that bytes were received.
    mutating func heard() { hasHeard = true }

    /// Records that the client has accepted bytes.
    mutating func moved() { hasMoved = true }

    /// Returns the action to perform at a tick.
    ///
    /// - Parameter isBlocked: Whether bytes wait that the client has not accepted.
    mutating func tick(isBlocked: Bool) -> Move {
        defer {
            hasHeard = false
            hasMoved = false
        }
        if isBlocked { return hasHeard || hasMoved ? .wait : .cut }
        guard !isAsked || hasHeard else { return .cut }
        isAsked = true
        return .ping
    }
}
