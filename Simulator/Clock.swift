// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The wall-clock time in the formats that OpenCode uses.
enum Clock {
    /// The time in milliseconds since 1970.
    static var milliseconds: Int {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    }

    /// The current time as an HTTP `Date` field (RFC 9110 §5.6.7).
    static var httpDate: String { httpDate(milliseconds) }

    /// Formats a time as an HTTP `Date` field.
    static func httpDate(_ milliseconds: Int) -> String {
        let time = parts(milliseconds)
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let date = "\(padded(time.tm_mday)) \(months[Int(time.tm_mon)]) \(time.tm_year + 1900)"
        return "\(days[Int(time.tm_wday)]), \(date) \(clock(time)) GMT"
    }

    /// Formats a time as JavaScript's `toISOString` does.
    static func iso(_ milliseconds: Int) -> String {
        let time = parts(milliseconds)
        let date = "\(time.tm_year + 1900)-\(padded(time.tm_mon + 1))-\(padded(time.tm_mday))"
        return "\(date)T\(clock(time)).\(String(1000 + milliseconds % 1000).dropFirst())Z"
    }

    private static func parts(_ milliseconds: Int) -> tm {
        var time = time_t(milliseconds / 1000)
        var parts = tm()
        gmtime_r(&time, &parts)
        return parts
    }

    private static func clock(_ time: tm) -> String {
        "\(padded(time.tm_hour)):\(padded(time.tm_min)):\(padded(time.tm_sec))"
    }

    private static func padded(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
