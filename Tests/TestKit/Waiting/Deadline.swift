// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A point in monotonic time before which an event must have occurred.
package struct Deadline: Sendable {
    /// The time in nanoseconds of CLOCK_MONOTONIC.
    let nanoseconds: Int64
    /// The duration from which the deadline was created, for messages.
    let limit: Duration

    /// Creates a deadline at the given duration from now.
    package init(after limit: Duration) {
        self.limit = limit
        let parts = limit.components
        let length = parts.seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let end = length.overflow ? Int64.max / 2 : length.partialValue + parts.attoseconds / 1_000_000_000
        nanoseconds = Deadline.now &+ min(end, Int64.max / 2)
    }

    /// Whether the deadline is in the past.
    package var hasPassed: Bool { Deadline.now >= nanoseconds }

    /// The remaining time, which is never negative.
    package var remaining: Duration { .nanoseconds(max(0, nanoseconds - Deadline.now)) }

    /// The remaining time for poll(2), rounded up so that no wait ends early.
    var remainingMilliseconds: Int32 {
        let left = max(0, nanoseconds - Deadline.now)
        return Int32(clamping: (left + 999_999) / 1_000_000)
    }

    /// The deadline in the form that the condition variables of `Monitor` require.
    var timespec: Glibc.timespec {
        Glibc.timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    }

    private static var now: Int64 {
        var time = Glibc.timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
