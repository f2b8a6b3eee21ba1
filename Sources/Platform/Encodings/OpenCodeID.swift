// SPDX-License-Identifier: Apache-2.0

/// Ids in the form that OpenCode 1.15 and later and OpenCode 2 use. An id consists of a prefix such as `msg_`, the time
/// in twelve hexadecimal digits, and fourteen random letters and digits. The last three digits of the time are a
/// counter. OpenCode counts the ids of each millisecond from 1. In the gateway's ids, the counter is 0.
package enum OpenCodeID {
    /// The number of hexadecimal digits that represent the time.
    package static let digits = 12
    /// The number of random letters and digits at the end.
    package static let letters = 14

    /// Returns a new id in this form.
    ///
    /// - Parameters:
    ///   - prefix: The beginning of the id, with its underscore.
    ///   - milliseconds: The time, in milliseconds since 1970.
    ///   - random: Returns the next random number.
    package static func make(
        _ prefix: String, at milliseconds: Int64, random: () -> UInt64 = { UInt64.random(in: 0 ... .max) }
    ) -> [UInt8] {
        var id = Array(prefix.utf8)
        id.append(hexadecimal: UInt64(truncatingIfNeeded: milliseconds) << 12 & 0xFFFF_FFFF_FFFF, digits: digits)
        for _ in 0..<letters { id.append(Base62.alphabet[Int(random() % UInt64(Base62.alphabet.count))]) }
        return id
    }

    /// Returns the time for which an object with this id has existed, in milliseconds. Returns nil if the id has another
    /// form, or if the time is longer than ``longestAge``.
    ///
    /// The digits contain the last 36 bits of the time in milliseconds, which repeat after 795 days. The result is
    /// therefore correct only for ids that count upwards, such as those of permission requests and questions.
    ///
    /// - Parameter now: The time in milliseconds since 1970.
    package static func age(_ id: String, at now: Int64) -> Int64? {
        let bytes = Array(id.utf8)
        guard let underscore = bytes.firstIndex(of: UInt8(ascii: "_")),
            bytes.count == underscore + 1 + digits + letters
        else { return nil }
        var time: Int64 = 0
        for byte in bytes[(underscore + 1)...].prefix(digits) {
            guard let digit = byte.hexadecimalDigitValue else { return nil }
            time = time << 4 | Int64(digit)
        }
        let period: Int64 = 1 << 36
        // The instance's clock is the gateway's own, so an id is never newer than the time.
        let age = (now - time >> 12) & (period - 1)
        return age <= longestAge ? age : nil
    }

    /// The longest time in milliseconds that ``age(_:at:)`` returns: a year.
    package static let longestAge: Int64 = 365 * 86_400_000
}
