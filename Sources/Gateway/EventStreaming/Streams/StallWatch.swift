// SPDX-License-Identifier: Apache-2.0

import EventLoop
import GatewayCore

/// Checks whether a client still reads although its socket accepts no more bytes. The watch is a value type.
///
/// The check uses the number of bytes that the kernel holds for the client. The kernel's buffers accept bytes again
/// only after the client has read many bytes, which may take a slow client minutes.
struct StallWatch {
    /// The number of checks before a client is disconnected.
    private static let looks = 4

    private let limit: Duration
    private var since: MonotonicTime?
    private var held = 0

    /// Creates a watch for a client.
    ///
    /// - Parameter limit: How long the client may accept no bytes.
    init(limit: Duration) { self.limit = limit }

    /// Starts the watch when the socket accepts no more bytes.
    ///
    /// - Parameter held: The number of bytes that the kernel holds for the client.
    mutating func begin(held: Int, at now: MonotonicTime) {
        guard since == nil else { return }
        since = now
        self.held = held
    }

    /// Ends the watch when bytes were sent again.
    mutating func end() { since = nil }

    /// Returns whether the client has read nothing for too long.
    ///
    /// - Parameter held: The number of bytes that the kernel holds now.
    mutating func isOver(held: Int, at now: MonotonicTime) -> Bool {
        guard let since else { return false }
        if held < self.held {
            self.held = held
            self.since = now
            return false
        }
        return now - since >= limit
    }

    /// Returns the time of the next check.
    func nextLook(_ now: MonotonicTime) -> MonotonicTime {
        min((since ?? now) + limit, now + limit / Self.looks)
    }
}
