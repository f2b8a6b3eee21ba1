// SPDX-License-Identifier: Apache-2.0

import Access
import Addresses
import EventLoop
import Locking

/// The ``FailureLimiter`` shared by all loops. Its lock is acquired for a connection's first request with a key and for
/// wrong keys, never for the requests after them.
package final class FailedTries: Sendable {
    private let limiter = Locked(FailureLimiter())

    /// Creates a limiter that has counted nothing.
    package init() {}

    func wait(for address: IPAddress, _ rate: FailureLimiter.Rate, _ now: MonotonicTime) -> Duration? {
        limiter.withLock { $0.wait(for: address, at: .nanoseconds(now.nanoseconds), rate) }
    }

    func succeeded(_ address: IPAddress, _ now: MonotonicTime) {
        limiter.withLock { $0.succeeded(address, at: .nanoseconds(now.nanoseconds)) }
    }

    func failed(_ address: IPAddress, rate: FailureLimiter.Rate, at now: MonotonicTime) -> FailureLimiter.Failure {
        limiter.withLock { $0.failed(address, at: .nanoseconds(now.nanoseconds), rate) }
    }
}
