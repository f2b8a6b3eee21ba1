// SPDX-License-Identifier: Apache-2.0

/// Parses dates and times in the format of RFC 3339 §5.6.
package enum RFC3339 {
    /// Parses a date and time such as `2026-11-21T18:04:05.123Z` or `…+01:00`. Returns the milliseconds since 1970, or
    /// nil if the text has another format.
    package static func milliseconds(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, let date = date(bytes[0..<10]), isSeparator(bytes[10]),
            let time = time(bytes[11..<19])
        else { return nil }
        var index = 19
        var milliseconds: Int64 = 0
        if bytes[index] == UInt8(ascii: ".") {
            let digits = bytes[(index + 1)...].prefix { (0x30...0x39).contains($0) }
            guard !digits.isEmpty else { return nil }
            for decimal in 0..<3 {
                let digit = digits.count > decimal ? Int64(digits[digits.startIndex + decimal] - 0x30) : 0
                milliseconds = milliseconds * 10 + digit
            }
            index = digits.endIndex
        }
        guard let offset = offset(bytes[index...]) else { return nil }
        return (date * 86_400 + time - offset) * 1_000 + milliseconds
    }

    private static func isSeparator(_ byte: UInt8) -> Bool { byte | 0x20 == UInt8(ascii: "t") || byte == 0x20 }

    /// Parses a date such as `2026-11-21` and returns the days since 1970-01-01. Counts years from March, so that a
    /// leap day is the last day of its year.
    private static func date(_ text: ArraySlice<UInt8>) -> Int64? {
        let parts = text.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count == 3, let year = number(parts[0], 4), let month = number(parts[1], 2),
            let day = number(parts[2], 2), (1...12).contains(month), (1...days(month, year)).contains(day)
        else { return nil }
        let fromMarch = (month + 9) % 12
        let shifted = month <= 2 ? year - 1 : year
        let dayOfYear = (153 * fromMarch + 2) / 5 + day - 1
        return 365 * shifted + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
    }

    private static func days(_ month: Int64, _ year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Parses a time such as `18:04:05` and returns the seconds since midnight. A leap second counts as the second
    /// before it.
    private static func time(_ text: ArraySlice<UInt8>) -> Int64? {
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 3, let hour = number(parts[0], 2), let minute = number(parts[1], 2),
            let second = number(parts[2], 2), hour < 24, minute < 60, second <= 60
        else { return nil }
        return hour * 3_600 + minute * 60 + min(second, 59)
    }

    /// Parses a UTC offset such as `Z`, `+01:00` or `-05:30` and returns it in seconds. A space counts as `+`, because
    /// form decoding turns a `+` into a space.
    private static func offset(_ text: ArraySlice<UInt8>) -> Int64? {
        guard let first = text.first else { return nil }
        if text.count == 1, first | 0x20 == UInt8(ascii: "z") { return 0 }
        let parts = text.dropFirst().split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 2, let hour = number(parts[0], 2), let minute = number(parts[1], 2), hour < 24, minute < 60
        else { return nil }
        switch first {
        case UInt8(ascii: "+"), UInt8(ascii: " "): return hour * 3_600 + minute * 60
        case UInt8(ascii: "-"): return -(hour * 3_600 + minute * 60)
        default: return nil
        }
    }

    private static func number(_ text: ArraySlice<UInt8>, _ count: Int) -> Int64? {
        guard text.count == count, text.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return text.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }
}
