// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A point in time on the clock that never jumps (CLOCK_MONOTONIC), for deadlines and durations.
package struct MonotonicTime: Sendable, Comparable {
    /// The number of nanoseconds since an arbitrary point in time.
    package var nanoseconds: Int64

    /// Creates a point in time from the nanoseconds since the clock's start.
    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// A point in time that is later than any deadline.
    package static let distantFuture = MonotonicTime(nanoseconds: .max)

    /// The current time of the clock.
    package static var now: MonotonicTime {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    /// Returns whether `left` is earlier than `right`.
    package static func < (left: MonotonicTime, right: MonotonicTime) -> Bool { left.nanoseconds < right.nanoseconds }

    /// Returns the point `duration` after `time`, or the distant future if the result cannot be represented.
    package static func + (time: MonotonicTime, duration: Duration) -> MonotonicTime {
        let (sum, overflow) = time.nanoseconds.addingReportingOverflow(duration.wholeNanoseconds)
        return overflow ? .distantFuture : MonotonicTime(nanoseconds: sum)
    }

    /// Returns the time between two points.
    package static func - (end: MonotonicTime, start: MonotonicTime) -> Duration {
        .nanoseconds(end.nanoseconds - start.nanoseconds)
    }
}

extension Duration {
    /// The duration in nanoseconds, limited to 64 bits (292 years).
    package var wholeNanoseconds: Int64 {
        // Divide by 10⁹ = 2⁹ × 1,953,125 in two steps. After the division by 2⁹, a typical time-out fits into 64 bits.
        // A 128-bit division takes ten times as long, and each request needs several divisions.
        if let parts = UInt64(exactly: attoseconds >> 9) { return Int64(parts / 1_953_125) }
        return Int64(clamping: attoseconds / 1_000_000_000)
    }
}
