// SPDX-License-Identifier: Apache-2.0

internal import Access
package import Addresses

/// Limits the entries about refused requests, for each client and in total, and counts the omitted entries.
///
/// The limiter has no clock. The caller passes the time as a duration since any fixed point. The memory use is bounded.
package struct RefusalLimiter: Sendable {
    /// The entries of one client: 20 at once, and then one a minute.
    private var clients = RefusalLogLimiter(burst: 20, interval: .seconds(60))
    /// The entries of all clients: 200 at once, and then one every 10 s.
    private var total = RefusalLogLimiter(capacity: 1, burst: 200, interval: .seconds(10))
    private var omitted = 0

    /// Creates a limiter that has not counted any entries.
    package init() {}

    /// Returns whether an entry about this client may be recorded. An entry that may not be recorded counts as omitted.
    package mutating func admits(_ client: IPAddress?, at now: Duration) -> Bool {
        // Ask for the client first, so that one client cannot use up the entries of all clients.
        if clients.admits(client, at: now), total.admits(nil, at: now) { return true }
        omitted += 1
        return false
    }

    /// Returns the number of omitted entries since the last call.
    package mutating func takeOmitted() -> Int {
        defer { omitted = 0 }
        // The limiters count each client's omissions for the log. The audit log contains only the total.
        _ = clients.takeOmissions()
        _ = total.takeOmissions()
        return omitted
    }
}
