// SPDX-License-Identifier: Apache-2.0

package import Addresses

/// Limits the log lines that clients without a valid key can cause, and counts the omitted lines. Each client address
/// has a token bucket.
///
/// The limiter has no clock. The caller passes the time as a duration since any fixed point. The memory use is bounded.
package struct RefusalLogLimiter: Sendable {
    /// The omitted lines of one client.
    package struct Omission: Sendable, Equatable {
        /// The client's address, or its network for IPv6. The value is nil for clients without an address and for the
        /// clients that exceed ``mostClients``.
        package var client: IPAddress?
        /// The number of omitted lines.
        package var count: Int

        /// Creates an omission of `count` lines.
        package init(client: IPAddress?, count: Int) {
            self.client = client
            self.count = count
        }
    }

    /// The default number of lines that a client may cause without a pause.
    package static let burst = 100
    /// The default time after which a client may cause one more line.
    package static let interval = Duration.milliseconds(100)
    /// The maximum number of clients whose omissions are counted separately.
    package static let mostClients = 64

    /// The time at which each client's bucket is full again.
    private var full: RecentTable<IPAddress?, Duration>
    private var omitted: [IPAddress?: Int] = [:]
    private let burst: Int
    private let interval: Duration

    /// Creates a limiter.
    ///
    /// - Parameters:
    ///   - capacity: The limiter remembers at least this number of addresses, and at most twice as many.
    ///   - burst: The number of lines that a client may cause without a pause.
    ///   - interval: The time after which a client may cause one more line.
    package init(capacity: Int = 1024, burst: Int = Self.burst, interval: Duration = Self.interval) {
        full = RecentTable(capacity: capacity)
        self.burst = burst
        self.interval = interval
    }

    /// Returns whether a line about this client may be written. A line that may not be written counts as omitted.
    package mutating func admits(_ client: IPAddress?, at now: Duration) -> Bool {
        let client = client?.network
        let base = max(full[client] ?? .zero, now)
        guard base - now <= interval * (burst - 1) else {
            omitted[omitted[client] == nil && omitted.count >= Self.mostClients ? nil : client, default: 0] += 1
            return false
        }
        full[client] = base + interval
        return true
    }

    /// Whether lines were omitted since the last call of ``takeOmissions()``.
    package var hasOmissions: Bool { !omitted.isEmpty }

    /// Returns the omissions, the largest first, and resets them.
    package mutating func takeOmissions() -> [Omission] {
        defer { omitted = [:] }
        return omitted.map { Omission(client: $0.key, count: $0.value) }.sorted { $0.count > $1.count }
    }
}
