// SPDX-License-Identifier: Apache-2.0

internal import JSONText

/// The values of an instance that OpenCode 1 sends with each session and message. OpenCode 2 does not send these values
/// with sessions and messages.
package struct InstanceDefaults: Sendable, Equatable {
    /// The version of the instance, which OpenCode 2's sessions do not contain.
    package var version: String
    /// The agent of sessions that name no agent.
    package var agent: String
    /// The model of sessions that name no model; nil if OpenCode has no default model.
    package var model: Model?

    /// Creates the defaults of an instance.
    package init(version: String, agent: String = "build", model: Model? = nil) {
        self.version = version
        self.agent = agent
        self.model = model
    }
}

/// Creates OpenCode 1's titles for untitled sessions.
enum DefaultTitle {
    /// Returns `New session - `, or `Child session - ` for a child, followed by the time.
    ///
    /// - Parameter created: The time in milliseconds since 1970.
    static func make(created: Number, isChild: Bool) -> String {
        (isChild ? "Child session - " : "New session - ") + time(created.integer ?? 0)
    }

    /// Returns a date in the format `YYYY-MM-DD`, or an empty text for nil.
    ///
    /// - Parameter milliseconds: The time in milliseconds since 1970.
    static func date(_ milliseconds: Number?) -> String {
        milliseconds?.integer.map { String(time($0).prefix(10)) } ?? ""
    }

    /// Returns a time in the format of JavaScript's `toISOString` (ECMA-262 §21.4.1.32), for years from 0 to 9999.
    private static func time(_ time: Int) -> String {
        // Limit the time to ECMAScript's range.
        let milliseconds = min(max(time, -8_640_000_000_000_000), 8_640_000_000_000_000)
        let day = 86_400_000
        let days = (milliseconds >= 0 ? milliseconds : milliseconds - day + 1) / day
        let remainder = milliseconds - days * day
        let (year, month, date) = civil(days)
        let clock = [remainder / 3_600_000, remainder / 60_000 % 60, remainder / 1000 % 60].map { digits($0, 2) }
        return "\(digits(year, 4))-\(digits(month, 2))-\(digits(date, 2))T"
            + clock.joined(separator: ":") + ".\(digits(remainder % 1000, 3))Z"
    }

    /// Returns the proleptic Gregorian date of a day, which is counted from 1970-01-01. The calculation begins each
    /// year in March, so that the leap day is the last day of the year.
    private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let year = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * year + year / 4 - year / 100)
        let month = (5 * dayOfYear + 2) / 153
        let civilMonth = month < 10 ? month + 3 : month - 9
        return (year + era * 400 + (civilMonth <= 2 ? 1 : 0), civilMonth, dayOfYear - (153 * month + 2) / 5 + 1)
    }

    private static func digits(_ number: Int, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(count - text.utf8.count, 0)) + text
    }
}
