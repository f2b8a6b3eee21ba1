// SPDX-License-Identifier: Apache-2.0

/// Formats dates and times. Caches the text up to the second, because consecutive log lines usually share this text.
package struct Timestamp: Sendable {
    /// The character between date and time: `T` in RFC 3339, a space in human-readable text.
    private let separator: UInt8
    private var second = Int64.min
    private var prefix: [UInt8] = []

    /// Creates a formatter that writes the given character between date and time.
    package init(separator: UInt8) {
        self.separator = separator
    }

    /// Appends a timestamp such as `2026-11-21T18:04:05.123`.
    ///
    /// - Parameters:
    ///   - nanoseconds: The nanoseconds since 1970.
    ///   - offset: Returns the offset from UTC in seconds for a time in seconds since 1970.
    package mutating func append(
        _ nanoseconds: Int64, offset: (Int64) -> Int64 = { _ in 0 }, to output: inout [UInt8]
    ) {
        let (second, remainder) = Self.divide(nanoseconds, by: 1_000_000_000)
        if second != self.second || prefix.isEmpty {
            self.second = second
            prefix.removeAll(keepingCapacity: true)
            writePrefix(second + offset(second))
        }
        output.append(contentsOf: prefix)
        output.append(UInt8(ascii: "."))
        output.append(decimal: remainder / 1_000_000, digits: 3)
    }

    /// Returns a UTC time in the format of RFC 3339, such as `2026-11-21T18:04:05Z`, optionally with milliseconds.
    ///
    /// - Parameter nanoseconds: The nanoseconds since 1970.
    package static func utc(_ nanoseconds: Int64, withMilliseconds: Bool = false) -> String {
        var timestamp = Timestamp(separator: UInt8(ascii: "T"))
        var text: [UInt8] = []
        timestamp.append(nanoseconds, to: &text)
        if !withMilliseconds { text.removeLast(4) }
        return String(decoding: text, as: UTF8.self) + "Z"
    }

    /// Returns a UTC time in the format of RFC 3339. A time outside the range of 64-bit nanoseconds is replaced by the
    /// nearest time inside it.
    package static func utc(milliseconds: Int64) -> String {
        let (nanoseconds, isTooLarge) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
        return utc(isTooLarge ? (milliseconds < 0 ? .min : .max) : nanoseconds)
    }

    private mutating func writePrefix(_ second: Int64) {
        let (day, secondOfDay) = Self.divide(second, by: 86_400)
        let date = Self.date(ofDay: day)
        prefix.append(decimal: date.year, digits: 4)
        prefix.append(UInt8(ascii: "-"))
        prefix.append(decimal: date.month, digits: 2)
        prefix.append(UInt8(ascii: "-"))
        prefix.append(decimal: date.day, digits: 2)
        prefix.append(separator)
        prefix.append(decimal: secondOfDay / 3_600, digits: 2)
        prefix.append(UInt8(ascii: ":"))
        prefix.append(decimal: secondOfDay / 60 % 60, digits: 2)
        prefix.append(UInt8(ascii: ":"))
        prefix.append(decimal: secondOfDay % 60, digits: 2)
    }

    /// Returns the Gregorian date of a day number counted from 1970-01-01. Years are counted from March, so that a leap
    /// day is the last day of its year.
    private static func date(ofDay day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let daysIn400Years: Int64 = 146_097
        let marchFirstOfYearZero: Int64 = -719_468
        let (era, dayOfEra) = divide(day - marchFirstOfYearZero, by: daysIn400Years)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfMonth)
    }

    /// Returns the quotient, rounded down, and the remainder. Rounding down makes the results correct for times before
    /// 1970.
    private static func divide(_ value: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
