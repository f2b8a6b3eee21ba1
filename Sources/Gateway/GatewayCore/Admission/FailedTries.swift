// SPDX-License-Identifier: Apache-2.0

import Access
import Addresses
import EventLoop
import Locking

/// The ``FailureLimiter`` that all loops share. A connection's first request with a key and each wrong key acquire the
/// limiter's lock. Later requests with a valid key do not acquire the lock.
package final class FailedTries: Sendable {
    private let limiter = Locked(FailureLimiter())

    /// Creates a limiter that has not counted any attempts.
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
