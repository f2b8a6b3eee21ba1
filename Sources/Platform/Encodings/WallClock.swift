// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The time of day, for display and for the times in OpenCode's data and in stored events. Deadlines use the monotonic
/// clock instead.
package enum WallClock {
    /// Returns the nanoseconds since 1970-01-01 00:00 UTC (clock_gettime(2), `CLOCK_REALTIME`).
    @Sendable package static func nanoseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// The milliseconds since 1970-01-01 00:00 UTC, the unit of OpenCode's times.
    package static var milliseconds: Int64 { nanoseconds() / 1_000_000 }

    /// Returns how many seconds the machine's local time is ahead of UTC at the given time (`tm_gmtoff`, ctime(3)).
    @Sendable package static func localOffset(at seconds: Int64) -> Int64 {
        var moment = time_t(seconds)
        var local = tm()
        guard localtime_r(&moment, &local) != nil else { return 0 }
        return Int64(local.tm_gmtoff)
    }
}
