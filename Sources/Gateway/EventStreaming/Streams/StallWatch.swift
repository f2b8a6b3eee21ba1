// SPDX-License-Identifier: Apache-2.0

import EventLoop
import GatewayCore

/// A check whether a client still reads although its socket accepts no more bytes.
///
/// The check uses the number of bytes that the kernel holds for the client. The state of the socket alone is not
/// sufficient, because the socket accepts bytes again only after the client has read many bytes. A slow client may need
/// minutes to read so many bytes.
struct StallWatch {
    /// The number of checks during the time limit. After the limit, the gateway disconnects the client.
    private static let looks = 4

    private let limit: Duration
    private var since: MonotonicTime?
    private var unacknowledged = 0

    /// Creates a watch for a client.
    ///
    /// - Parameter limit: The maximum time during which the client reads nothing.
    init(limit: Duration) { self.limit = limit }

    /// Starts the watch when the socket accepts no more bytes.
    ///
    /// - Parameter unacknowledged: The number of bytes that the kernel holds for the client.
    mutating func start(unacknowledged: Int, at now: MonotonicTime) {
        guard since == nil else { return }
        since = now
        self.unacknowledged = unacknowledged
    }

    /// Ends the watch, because bytes were sent again.
    mutating func stop() { since = nil }

    /// Returns whether the client has read nothing for too long. `unacknowledged` is the number of bytes that the
    /// kernel holds now.
    mutating func isOver(unacknowledged: Int, at now: MonotonicTime) -> Bool {
        guard let since else { return false }
        if unacknowledged < self.unacknowledged {
            self.unacknowledged = unacknowledged
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
