// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Parses certificate dates in the format that OpenSSL prints (ASN1_TIME_print(3)) and libcurl passes on.
enum CertificateDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Returns the seconds since 1970 for a date such as `Nov 22 16:00:00 2027 GMT`; nil if the text is not such a
    /// date.
    static func seconds(_ text: String) -> Int? {
        let words = text.split(separator: " ")
        guard words.count == 5, words[4] == "GMT", let month = months.firstIndex(of: String(words[0])),
            let day = Int32(words[1]), let year = Int32(words[3]), (1950...9999).contains(year)
        else { return nil }
        // Fractions of a second may follow the time, so ignore everything after a dot.
        let clock = words[2].prefix { $0 != "." }.split(separator: ":").compactMap { Int32($0) }
        guard clock.count == 3, (1...31).contains(day), clock.allSatisfy({ (0...60).contains($0) }) else { return nil }
        var parts = tm()
        parts.tm_year = year - 1900
        parts.tm_mon = Int32(month)
        parts.tm_mday = day
        parts.tm_hour = clock[0]
        parts.tm_min = clock[1]
        parts.tm_sec = clock[2]
        return timegm(&parts)
    }
}
