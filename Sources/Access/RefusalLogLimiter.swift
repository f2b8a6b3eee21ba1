// SPDX-License-Identifier: Apache-2.0

package import Addresses

/// Limits the log lines that clients without a valid key cause, for each client address: a bucket of lines that fills again at a
/// steady rate. What is left out is counted.
///
/// Pure: time comes in, as a duration since any fixed point. Its memory is bounded.
package struct RefusalLogLimiter: Sendable {
    /// Lines that were left out for one client.
    package struct Omission: Sendable, Equatable {
        /// The client's address, of IPv6 its network; nil for clients without one and for those beyond ``mostClients``.
        package var client: IPAddress?
        /// How many lines there would have been.
        package var count: Int

        /// So many lines of that client.
        package init(client: IPAddress?, count: Int) {
            self.client = client
            self.count = count
        }
    }

    /// Lines that a client may cause at once.
    package static let burst = 100
    /// The time after which a client may cause one more.
    package static let interval = Duration.milliseconds(100)
    /// The most clients whose omissions are counted one by one.
    package static let mostClients = 64

    /// When a client's bucket is full again.
    private var full: RecentTable<IPAddress?, Duration>
    private var omitted: [IPAddress?: Int] = [:]

    /// A limiter that remembers `capacity` addresses at least, twice as many at most.
    package init(capacity: Int = 1024) { full = RecentTable(capacity: capacity) }

    /// Returns whether a line about this client is written; if not, it is counted.
    package mutating func admits(_ client: IPAddress?, at now: Duration) -> Bool {
        let client = client?.network
        let base = max(full[client] ?? .zero, now)
        guard base - now <= Self.interval * (Self.burst - 1) else {
            omitted[omitted[client] == nil && omitted.count >= Self.mostClients ? nil : client, default: 0] += 1
            return false
        }
        full[client] = base + Self.interval
        return true
    }

    /// Whether lines were left out since ``takeOmissions()``.
    package var hasOmissions: Bool { !omitted.isEmpty }

    /// Returns what was left out, the most first, and forgets it.
    package mutating func takeOmissions() -> [Omission] {
        defer { omitted = [:] }
        return omitted.map { Omission(client: $0.key, count: $0.value) }.sorted { $0.count > $1.count }
    }
}
